import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SERVER } from '@patchbay/store/testing';
import { STORMS, stormSize } from './faults/storms/index.ts';

/** A short cut; `npm run test:faults` makes the whole of it. */
const SIZE = stormSize({ processes: 2, callers: 20, seconds: 8, kills: 3 });

describe('renewals of tokens that live five seconds', { skip: SERVER.skip }, () => {
  for (const storm of STORMS)
    test(`${storm.name}: ${storm.doc}`, async () => {
      const { findings, told } = await storm.run(SIZE);
      process.stderr.write(`${told}\n`);
      assert.deepEqual(findings.lines(), [], told);
    });
});
