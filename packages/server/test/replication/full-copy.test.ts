import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { KINDS, type KindName } from '@patchbay/connectors';
import { copiedEntitiesOf } from './support/expected-copies.ts';
import {
  DATABASE,
  makeReplicationGround,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
} from './support/replicating.ts';

// Its keys are the names of the kinds.
const KIND_NAMES = Object.keys(KINDS) as KindName[];

describe(`a first sync, ${DATABASE.name}`, () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  before(async () => {
    ground = await makeReplicationGround(DATABASE);
    running = await startReplicating(ground);
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  for (const kind of KIND_NAMES)
    test(`a new connector of ${kind} is copied at once, in full and exactly`, async () => {
      const id = await running.create(kind);
      const run = await running.settled(id);
      assert.equal(run.state, 'succeeded');
      assert.equal(await running.status(id), 'active');
      await running.assertExact(id, kind);
      for (const { name } of copiedEntitiesOf(KINDS[kind])) {
        const sync = await running.entity(id, name);
        const { size } = await running.copy(id, kind, name);
        assert.deepEqual(
          {
            state: sync.state,
            isComplete: sync.isComplete,
            recordCount: sync.recordCount,
            // What the vendors are known to send is no news.
            drift: sync.drift,
          },
          { state: 'idle', isComplete: true, recordCount: size, drift: null },
          name,
        );
      }
      const largest = copiedEntitiesOf(KINDS[kind])[0]?.name ?? '';
      assert.ok((await running.copy(id, kind, largest)).size > 0);
    });
});
