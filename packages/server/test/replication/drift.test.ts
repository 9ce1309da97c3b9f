import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { KINDS } from '@patchbay/connectors';
import { at } from '../support/http-client.ts';
import { copiedEntitiesOf } from './support/expected-copies.ts';
import {
  DATABASE,
  makeReplicationGround,
  poll,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
} from './support/replicating.ts';

const KIND = 'chat-workspace';
const ENTITIES = copiedEntitiesOf(KINDS[KIND]).map(({ name }) => name);
/** As the sandbox's fault has them. */
const UNKNOWN = [
  'sandbox_unknown_text',
  'sandbox_unknown_number',
  'sandbox_unknown_null',
  'sandbox_unknown_object',
  'id_v2',
];
const NEWS = { unknown_fields: UNKNOWN, lost_values: 0, lost_fields: [] };

describe(`fields that an upstream sends and nobody knows, ${DATABASE.name}`, () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  let id: string;
  before(async () => {
    ground = await makeReplicationGround(DATABASE);
    running = await startReplicating(ground);
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  const driftOf = async (entity: string): Promise<unknown> => {
    const token = await running.applicationToken();
    const path = `/v1/integrations/connectors/${id}/sync`;
    const status = await running.send('GET', path, { token });
    const index = ENTITIES.indexOf(entity);
    assert.equal(at(status, `entities.${index}.entity`), entity);
    return at(status, `entities.${index}.drift`);
  };

  test('are told of each entity, and their records are copied all the same', async () => {
    const fault = ground.sandbox.faults.add({ kind: 'unknownFields' });
    id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'succeeded');
    fault.release();
    for (const entity of ENTITIES) assert.deepEqual(await driftOf(entity), NEWS, entity);
    await running.assertExact(id, KIND);
  });

  test('are told still where a sync has read nothing new', async () => {
    assert.equal((await running.sync(id)).state, 'succeeded');
    assert.deepEqual(await driftOf('channel_messages'), NEWS);
  });

  test('are told no more once everything has been read without them', async () => {
    await running.patch(id, { replication_config: { lookback_window: 2 } });
    assert.equal((await running.settled(id)).state, 'succeeded');
    for (const entity of ENTITIES) assert.equal(await driftOf(entity), null, entity);
  });

  test('are no news where this version knows them, whatever an earlier one found', async () => {
    // The worker gives its own back a moment after the run has ended.
    const lease = await poll(() =>
      ground.store.syncs.takeLease({ connectorId: id, owner: 'x', ttlMs: 60_000 }),
    );
    const read = { entity: 'users', mode: 'increment', definitionHash: 'any' } as const;
    const { resumedAt: askedAt } = await ground.store.syncs.beginRead(lease, read);
    const drift = { unknownFields: ['is_bot', 'mood'], lostValues: 3, lostFields: ['tz'] };
    const nothing = { records: [], pages: 1, position: null, askedAt };
    const page = { ...nothing, entity: 'users', kind: KIND };
    await ground.store.syncs.commitBatch(lease, { ...page, drift });
    const told = { unknown_fields: ['mood'], lost_values: 3, lost_fields: ['tz'] };
    assert.deepEqual(await driftOf('users'), told);
    const known = { unknownFields: ['is_bot'], lostValues: 0, lostFields: [] };
    await ground.store.syncs.commitBatch(lease, { ...page, drift: known });
    assert.equal(await driftOf('users'), null);
    await ground.store.syncs.releaseLease(lease);
  });
});
