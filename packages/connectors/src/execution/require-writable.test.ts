import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireWritable } from './require-writable.ts';

function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

function isWritten(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

test('what can be written as JSON passes', () => {
  for (const answer of [undefined, null, { a: [1] }, nested(1_000)]) requireWritable(answer);
});

test('what cannot be, or only just, does not: it goes out within other values', () => {
  let levels = 1_000;
  while (isWritten(nested(levels + 100))) levels += 100;
  for (const answer of [nested(100_000), nested(levels)])
    assert.throws(() => requireWritable(answer), { code: 'upstream_contract_broken' });
});
