import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryOnce, SHARED } from '@patchbay/store/testing';
import {
  makeReplicationGround,
  poll,
  startReplicating,
  upstreamsOf,
  type ReplicationGround,
} from './support/replicating.ts';
import { startProxy } from './support/tampering-proxy.ts';

const KIND = 'customer-messaging';
/** On a cluster each node would have to be told. */
const SKIP =
  SHARED.skip === false && process.env['TEST_DATABASE'] === 'citus' ? 'on one server' : SHARED.skip;

/** Sets the clock of a database, as much ahead as SQL says it. */
async function setClock({ place }: ReplicationGround, ahead: string): Promise<void> {
  await queryOnce(
    await place.connection(),
    `create or replace function patchbay.clock() returns timestamptz language sql stable as
      'select date_trunc(''milliseconds'', clock_timestamp() + interval ''${ahead}'')'`,
  );
}

/** A service on a database whose clock is ahead, with something between it and Intercom. */
async function startAhead(ahead: string) {
  await using stack = new AsyncDisposableStack();
  const ground = stack.use(await makeReplicationGround(SHARED));
  await setClock(ground, ahead);
  const proxy = stack.use(await startProxy(ground.sandbox.urls.intercom));
  const upstreams = { ...upstreamsOf(ground.sandbox), [KIND]: { baseUrl: proxy.url } };
  const running = stack.use(await startReplicating(ground, { upstreams }));
  const all = stack.move();
  return { ground, proxy, running, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test(
  'what was copied while the clock was ahead is read and written anew',
  { skip: SKIP },
  async () => {
    await using ahead = await startAhead('1 day');
    const { ground, proxy, running } = ahead;
    const id = await running.create(KIND);
    await running.settled(id);
    const earlier = await running.copy(id, KIND, 'teams');
    assert.ok(earlier.size > 1);
    await setClock(ground, '0');
    // The first is deleted upstream, the others have other names.
    proxy.tamper = async ({ url }, answer) => {
      const given = await answer();
      if (!url.pathname.endsWith('/teams')) return given;
      // Proof: so the sandbox answers.
      const { teams, ...rest } = JSON.parse(given.body) as { teams: readonly object[] };
      const changed = teams.slice(1).map((each) => ({ ...each, name: 'Renamed' }));
      return { ...given, body: JSON.stringify({ ...rest, teams: changed }) };
    };
    assert.equal((await running.sync(id)).state, 'succeeded');
    const copied = await running.copy(id, KIND, 'teams');
    assert.equal(copied.size, earlier.size - 1);
    for (const { name } of copied.values()) assert.equal(name, 'Renamed');
    const { asOf } = await running.entity(id, 'teams');
    assert.ok(asOf !== null && asOf.getTime() < Date.now() + 60_000);
  },
);

test(
  'a clock that is set back during a sync does not have it read again and again',
  { skip: SKIP },
  async () => {
    await using ahead = await startAhead('1 hour');
    const { ground, proxy, running } = ahead;
    const held = Promise.withResolvers<void>();
    const asked = new Map<string, number>();
    proxy.tamper = async ({ method, url }, answer) => {
      // Whose the account is, is asked by others, too.
      if (url.pathname.endsWith('/me')) return answer();
      const list = `${method} ${url.pathname}${url.search}`;
      asked.set(list, (asked.get(list) ?? 0) + 1);
      await held.promise;
      return answer();
    };
    const id = await running.create(KIND);
    await poll(() => Promise.resolve(asked.size > 0 || undefined));
    await setClock(ground, '0');
    held.resolve();
    assert.equal((await running.settled(id)).state, 'succeeded');
    for (const [list, times] of asked) assert.ok(times <= 2, list);
    await running.assertExact(id, KIND);
  },
);
