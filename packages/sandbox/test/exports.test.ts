import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as sandbox from '../src/index.ts';

it('the package promises exactly these names', () => {
  assert.deepEqual(Object.keys(sandbox).toSorted(), ['looksReal', 'startSandbox']);
});
