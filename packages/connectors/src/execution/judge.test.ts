import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { retryAfterMsOf } from './judge.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

function retryAfter(text: string | undefined): number | undefined {
  return retryAfterMsOf({ status: 429, body: '', header: headersOf({ 'retry-after': text }) }, NOW);
}

function headersOf(headers: Readonly<Record<string, string | undefined>>) {
  return (name: string) => headers[name];
}

const WEEK_S = 7 * 86_400;

test('Retry-After is seconds or a date, never in the past, and a week off at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: WEEK_S }), (seconds) => {
      assert.equal(retryAfter(String(seconds)), seconds * 1000);
      assert.equal(retryAfter(` ${seconds} `), seconds * 1000);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: -1e6, max: WEEK_S }), (seconds) => {
      const date = new Date(NOW + seconds * 1000).toUTCString();
      assert.equal(retryAfter(date), Math.max(0, seconds * 1000));
    }),
  );
  for (const text of [String(WEEK_S + 1), '9'.repeat(30), 'Sat, 13 Sep 275760 00:00:00 GMT'])
    assert.equal(retryAfter(text), WEEK_S * 1000, text);
});

test('a date is as far off as the upstream says where that is sooner than by our clock', () => {
  const dated = (date: string) => {
    const header = headersOf({ 'retry-after': new Date(NOW + 60_000).toUTCString(), date });
    return retryAfterMsOf({ status: 429, body: '', header }, NOW);
  };
  assert.equal(dated(new Date(NOW + 50_000).toUTCString()), 10_000);
  assert.equal(dated(new Date(NOW + 90_000).toUTCString()), 0);
  assert.equal(dated(new Date(0).toUTCString()), 60_000);
  assert.equal(dated('no date'), 60_000);
});

test('any other Retry-After is as good as none, and is no error', () => {
  for (const text of [undefined, '', ' ', 'soon', '0x10', 'NaN', '1e3s'])
    assert.equal(retryAfter(text), undefined, String(text));
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = retryAfter(text);
      assert.ok(ms === undefined || (Number.isFinite(ms) && ms >= 0));
    }),
  );
});
