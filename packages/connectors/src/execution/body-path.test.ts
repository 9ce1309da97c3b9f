import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { valueAt } from './body-path.ts';

const body = { ok: false, a: { b: { c: null }, list: [{ d: 1 }] }, '': 1 };
const rows: readonly (readonly [unknown, string, unknown])[] = [
  [body, '$', body],
  [body, 'ok', false],
  [body, 'a.b', body.a.b],
  [body, 'a.b.c', null],
  [body, 'a.b.c.d', undefined],
  [body, 'a.x.y', undefined],
  [body, 'a.list', body.a.list],
  [body, 'a.list.0', body.a.list[0]],
  [body, 'a.list.0.d', 1],
  [body, 'a.list.1', undefined],
  [body, 'a.list.-1', undefined],
  [body, 'a.list.length', undefined],
  [body, 'a.list.at', undefined],
  [body, 'constructor', undefined],
  [body, 'a.toString', undefined],
  [body, '__proto__', undefined],
  [null, 'ok', undefined],
  ['text', 'length', undefined],
  [[body], 'ok', undefined],
  [undefined, '$', undefined],
];
for (const [from, path, value] of rows)
  test(`the value at ${path} of ${inspect(from).slice(0, 30)}`, () => {
    assert.equal(valueAt(from, path), value);
  });
