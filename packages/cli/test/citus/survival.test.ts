import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLUSTER_SKIP } from '@patchbay/store/testing';
import { CITUS_FAULTS } from '../faults/faults/citus.ts';
import { runFault } from '../faults/run-fault.ts';

/** How long each fault lasts. */
const SECONDS = 4;
const SEED = 1;

describe('a service whose cluster loses, gains and restarts nodes', { skip: CLUSTER_SKIP }, () => {
  for (const fault of CITUS_FAULTS)
    test(`${fault.name}: ${fault.doc}; nothing is lost, doubled or wrong`, async (context) => {
      const report = (progress: string) => context.diagnostic(`${fault.name}: ${progress}`);
      const run = { database: 'citus', seconds: SECONDS, seed: SEED, report } as const;
      const { lost, doubled, wrong, injected, calls, notes } = await runFault(fault, run);
      assert.ok(injected > 0, 'nothing happened to the cluster');
      assert.ok(calls > 100, `only ${calls} calls were made`);
      assert.deepEqual(
        { lost, doubled, wrong },
        { lost: 0, doubled: 0, wrong: 0 },
        notes.join('\n'),
      );
    });
});
