/**
 * The test files that `TEST_TOGETHER` names, one a line, from the root: in one process, since what a process of its own takes
 * each of them is more than they do. Every one of them passes by itself, too.
 */
import { describe } from 'node:test';

const { TEST_TOGETHER: names } = process.env;
if (names === undefined) throw new Error('TEST_TOGETHER is missing: .ci/test sets it');

// A suite waits for what it imports, where the root would begin and end before.
describe('in one process', async () => {
  for (const name of names.split('\n')) await import(`../${name}`);
});
