import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOfAnswer } from './service-errors.ts';

const NOW = Date.UTC(2026, 0, 1);
const PLACE = { fetch, baseUrl: 'http://127.0.0.1:9', now: () => NOW };

const rows: readonly (readonly [said: string | undefined, ms: number | undefined])[] = [
  ['2', 2_000],
  ['1.5', 1_500],
  ['0.25', 250],
  ['0', 0],
  [' 3 ', 3_000],
  [new Date(NOW + 9_000).toUTCString(), 9_000],
  [new Date(NOW - 9_000).toUTCString(), 0],
  ['1e3', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
];
for (const [said, ms] of rows)
  test(`Retry-After ${JSON.stringify(said)} is ${ms ?? 'no wait'} ms`, () => {
    const headers = said === undefined ? {} : { 'retry-after': said };
    const { retryAfterMs } = errorOfAnswer(PLACE, new Response('', { status: 429, headers }), '');
    assert.equal(retryAfterMs, ms);
  });
