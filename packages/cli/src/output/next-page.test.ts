import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPageHint } from './next-page.ts';

const hintOf = (cursor: unknown) =>
  nextPageHint({ data: [], meta: {}, nextParams: { cursor }, warnings: [] });

test('the next page is told in words for a shell', () => {
  assert.equal(hintOf('abc='), 'Next page: --param cursor=abc=, or --all.');
  assert.equal(
    hintOf("a'b $(id)"),
    String.raw`Next page: --param 'cursor=a'\''b $(id)', or --all.`,
  );
});

test('a cursor that a terminal would obey is not shown', () => {
  for (const cursor of ['\u001b]0;x\u0007', 'a\nrm', '\u009b31m', '\u202e'])
    assert.equal(
      hintOf(cursor),
      'Next page: --all, since its cursor has characters that no terminal shows.',
    );
});
