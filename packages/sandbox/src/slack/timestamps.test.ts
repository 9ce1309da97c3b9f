import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';

import { formatTimestamp, parseTimestamp } from './timestamps.ts';

it('every timestamp survives being written and read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_007_199_254_740_991 }), (micros) => {
      assert.equal(parseTimestamp(formatTimestamp(micros)), micros);
    }),
  );
});

it('fewer decimals are read as Slack reads them, and nonsense is not', () => {
  assert.equal(parseTimestamp('12'), 12_000_000);
  assert.equal(parseTimestamp('12.5'), 12_500_000);
  for (const text of ['', '.5', '12.', '-1', '1e9', '12.1234567', '12345678901', ' 1']) {
    assert.equal(parseTimestamp(text), undefined, text);
  }
});
