import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KindName } from '@patchbay/connectors';
import { findKind } from '@patchbay/connectors/engine';
import { sizeOf } from '@patchbay/connectors/testing';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { openStore } from '@patchbay/store';
import { EMBEDDED, queryOnce, type TestPlace } from '@patchbay/store/testing';
import { at, textAt } from '../support/http-client.ts';
import { connectorBody } from '../support/start-test-service.ts';
import { assertCopies, readUpstream } from './support/expected-copies.ts';
import { atRandomMoment } from './support/random-moments.ts';
import { accountOf, bodyOf, DATABASE, poll, upstreamsOf } from './support/replicating.ts';
import { startChild, type ChildService } from './support/start-child.ts';

const CLIENT = { clientId: 'kill-test', clientSecret: 'x'.repeat(40) };
const COLLECTION = '/v1/integrations/connectors';
const KINDS: readonly KindName[] = ['chat-workspace', 'support-ticketing'];
const KILLS =
  DATABASE === EMBEDDED ? sizeOf('kills of a worker') : sizeOf('kills of a worker on a server');

describe(`kill -9 of a worker, ${DATABASE.name}`, () => {
  let sandbox: Sandbox;
  let place: TestPlace;
  before(async () => {
    sandbox = await startSandbox({ scale: 100 });
    place = await DATABASE.makeMigrated();
  });
  after(async () => {
    await sandbox.close();
    await place.remove();
  });

  const start = () =>
    startChild({ store: place.options, upstreams: upstreamsOf(sandbox), client: CLIENT });

  /** Another process waits half a minute before it takes a connector over; here it need not. */
  const letLeasesRunOut = async () => {
    if (place.options.databaseUrl === undefined) return;
    const connection = await place.connection();
    await queryOnce(
      connection,
      'update patchbay.connector_syncs set lease_expires_at = now() where lease_owner is not null',
    );
    await queryOnce(connection, 'update patchbay.sync_queue set look_at = now() where is_taken');
  };

  test(`after ${KILLS} kills at random moments of a sync the copies equal the upstream`, async () => {
    // Slow enough for all the kills to find a sync under way.
    const slowness = sandbox.faults.add({ kind: 'delay', delayMs: 15 + 2 * KILLS });
    let child = await start();
    const ids: string[] = [];
    for (const kind of KINDS) ids.push(await create(child, kind));
    let foundWorking = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      await atRandomMoment(800);
      if (await isAnyRunning(child, ids)) foundWorking += 1;
      await child.kill();
      await letLeasesRunOut();
      child = await start();
    }
    assert.ok(foundWorking >= KILLS / 2, `only ${foundWorking} kills met a sync under way`);
    slowness.release();
    for (const id of ids) await poll(async () => ((await isRunning(child, id)) ? undefined : true));
    for (const id of ids) assert.equal(at(await view(child, id), 'last.state'), 'succeeded');
    await child.kill();
    await using store = await openStore(place.options);
    for (const [index, kind] of KINDS.entries()) {
      const expected = await readUpstream(accountOf(kind, sandbox));
      await assertCopies(store, ids[index] ?? '', findKind(kind), expected);
    }
  });
});

async function create({ send, token }: ChildService, kind: KindName): Promise<string> {
  const body = connectorBody({ connector_type: kind, ...bodyOf(kind) });
  const answer = await send('POST', COLLECTION, { token, body });
  assert.equal(answer.status, 201, answer.text);
  return textAt(answer, 'id');
}

function view({ send, token }: ChildService, id: string) {
  return send('GET', `${COLLECTION}/${id}/sync`, { token });
}

async function isRunning(child: ChildService, id: string): Promise<boolean> {
  return at(await view(child, id), 'current') !== null;
}

async function isAnyRunning(child: ChildService, ids: readonly string[]): Promise<boolean> {
  const running = await Promise.all(ids.map((id) => isRunning(child, id)));
  return running.includes(true);
}
