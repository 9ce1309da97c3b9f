import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { KindName } from '@patchbay/connectors';
import { findKind } from '@patchbay/connectors/engine';
import { makeHurriedClock } from './support/hurried-clock.ts';
import { copiedEntitiesOf, readUpstream } from './support/expected-copies.ts';
import {
  accountOf,
  DATABASE,
  makeReplicationGround,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
  upstreamsOf,
} from './support/replicating.ts';
import { startProxy, type TamperingProxy } from './support/tampering-proxy.ts';

const DAY_MS = 86_400_000;
const ALL_FULL_MS = 31 * DAY_MS;

/** So many records that there are pages, or pages made so small. */
const CASES: readonly {
  readonly kind: KindName;
  readonly scale: number;
  readonly shrink: (url: URL) => void;
  /** A list that surely has pages. */
  readonly paged: string;
  /** How fast the clock is. */
  readonly haste?: number;
}[] = [
  {
    kind: 'chat-workspace',
    scale: 60,
    shrink: (url) => shrinkTo(url, 'limit', 25),
    paged: 'users.list',
  },
  { kind: 'customer-messaging', scale: 160, shrink: () => undefined, paged: 'GET /contacts' },
  // Ends at a page that is shorter than it asked for, so its pages stay as they are.
  {
    kind: 'support-chat',
    scale: 1_100,
    shrink: () => undefined,
    paged: 'GET /incremental/chats',
  },
  {
    kind: 'support-ticketing',
    scale: 24,
    shrink: (url) => {
      if (url.pathname.includes('/incremental/')) url.searchParams.set('per_page', '8');
      shrinkTo(url, 'page[size]', 8);
    },
    paged: 'GET /incremental/tickets/cursor',
    haste: 20,
  },
];

for (const { kind, scale, shrink, paged, haste = 1 } of CASES)
  describe(`an account of ${kind} that changes`, () => {
    // What a vendor hides of what has just changed is waited for, a minute.
    const clock = makeHurriedClock(haste);
    let ground: ReplicationGround;
    let running: ReplicatingService;
    let proxy: TamperingProxy;
    before(async () => {
      ground = await makeReplicationGround(DATABASE, { scale });
      proxy = await startProxy(upstreamsOf(ground.sandbox)[kind]?.baseUrl ?? '');
      proxy.tamper = ({ url }, answer) => {
        shrink(url);
        return answer();
      };
      running = await startReplicating(ground, {
        clock,
        upstreams: { [kind]: { baseUrl: proxy.url, limits: 'reactive' } },
      });
    });
    afterEach(() => ground.sandbox.faults.clear());
    after(async () => {
      await running[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await ground[Symbol.asyncDispose]();
    });

    const upstream = () => readUpstream(accountOf(kind, ground.sandbox));

    test('what is inserted, changed and deleted while it is read is right in the end', async () => {
      const earlier = await upstream();
      const { faults } = ground.sandbox;
      // More come than go, or all of it might come to nothing.
      for (const change of ['insert', 'update', 'delete', 'insert', 'update', 'insert'] as const)
        faults.add({ kind: 'mutateWhilePaging', change, times: 3 });
      // Which lists are read first is chance, and short ones, without another page, use those up.
      const sure = faults.add({
        kind: 'mutateWhilePaging',
        change: 'insert',
        times: 1,
        method: paged,
      });
      const id = await running.create(kind);
      assert.equal((await running.settled(id)).state, 'succeeded');
      assert.equal(sure.hits, 1);
      faults.clear();
      const changed = await upstream();
      assert.notDeepEqual(changed, earlier);
      await assertHasAll(id, earlier, changed);
      assert.equal((await running.sync(id)).state, 'succeeded');
      await assertHasAll(id, changed, changed);
      clock.advance(ALL_FULL_MS);
      assert.equal((await running.sync(id)).state, 'succeeded');
      await running.assertExact(id, kind);
    });

    /** Asserts that copies have every record that was there both before and after. */
    const assertHasAll = async (
      id: string,
      earlier: Awaited<ReturnType<typeof upstream>>,
      later: Awaited<ReturnType<typeof upstream>>,
    ) => {
      for (const { name } of copiedEntitiesOf(findKind(kind))) {
        const copy = await running.copy(id, kind, name);
        const stayed = [...(earlier.get(name)?.keys() ?? [])].filter((key) =>
          later.get(name)?.has(key),
        );
        assert.deepEqual(
          stayed.filter((key) => !copy.has(key)),
          [],
          name,
        );
      }
    };
  });

function shrinkTo(url: URL, param: string, size: number): void {
  if (url.searchParams.has(param)) url.searchParams.set(param, String(size));
}
