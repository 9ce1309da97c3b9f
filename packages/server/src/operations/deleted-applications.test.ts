import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLogSink } from '../../test/support/log-sink.ts';
import { makeLogger } from '../log.ts';
import { DeletedApplications } from './deleted-applications.ts';

test('an application whose connectors cannot be deleted keeps no later one waiting', async () => {
  const log = makeLogSink();
  const forgotten = Promise.withResolvers<string>();
  const deleted = new DeletedApplications({
    store: {
      applications: {
        uncleared: (_, without) =>
          Promise.resolve(['broken', 'whole'].filter((id) => !without.includes(id)).slice(0, 1)),
      },
      connectors: {
        deleteSome: ({ applicationId }) =>
          applicationId === 'broken'
            ? Promise.reject(new Error('its node is down'))
            : Promise.resolve({ ids: ['its connector'], deleted: 1 }),
      },
    },
    live: { forget: forgotten.resolve },
    syncs: { clear: () => undefined },
    clock: { now: () => 0, monotonic: () => 0, after: () => assert.fail('nothing is waited for') },
    logger: makeLogger({ destination: log }),
  });
  deleted.clear();
  assert.equal(await forgotten.promise, 'its connector');
  await deleted.stop();
  assert.deepEqual(
    log.lines().map(({ application_id }) => application_id),
    ['broken'],
  );
});
