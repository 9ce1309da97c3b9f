import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missingHeapFlags } from './worker-heap.ts';

const GIB = 1024 ** 3;
const BOTH = ['--max-semi-space-size=32', '--max-old-space-size=1024'];

describe('the heap of a worker', () => {
  for (const [what, started, missing] of [
    ['of nothing', {}, BOTH],
    ['of other flags', { flags: ['--conditions=x'] }, BOTH],
    ['that the operator made larger', { flags: ['--max-old-space-size=4096'] }, [BOTH[0]]],
    ['in other spelling', { flags: ['--max_old_space_size=4096', '--max_semi_space_size=8'] }, []],
    ['by NODE_OPTIONS', { nodeOptions: '--no-warnings --max-semi-space-size=8' }, [BOTH[1]]],
    ['once it has it', { flags: BOTH, heapBytes: 1.15 * GIB }, []],
    ['where there is little memory', { heapBytes: GIB / 2 }, []],
  ] as const)
    test(what, () => {
      const defaults = { flags: [], nodeOptions: '', heapBytes: 4 * GIB };
      assert.deepEqual(missingHeapFlags({ ...defaults, ...started }), missing);
    });
});
