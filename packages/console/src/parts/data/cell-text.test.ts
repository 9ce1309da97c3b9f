import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { marksOf } from './cell-marks.ts';
import { cellParts, cellText } from './cell-text.ts';

test('texts are shown as they are, on one line, and everything else as JSON', () => {
  assert.equal(cellText('a\n  b'), 'a b');
  assert.equal(cellText(null), '');
  assert.equal(cellText(undefined), '');
  assert.equal(cellText(false), 'false');
  assert.equal(cellText(1.5), '1.5');
  assert.equal(cellText({ a: [1, 'x"', null], b: {} }), '{"a":[1,"x\\"",null],"b":{}}');
});

test('what would turn the direction of a text is written out', () => {
  assert.equal(cellText('\u202eecila'), String.raw`\u202eecila`);
  assert.equal(cellText({ '\u202ea': '\u2066b' }), String.raw`{"\u202ea":"\u2066b"}`);
});

test('what is long is cut, and of what is huge only the beginning is written', () => {
  assert.equal(cellText('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(cellText('x'.repeat(201)), `${'x'.repeat(200)}…`);
  let written = 0;
  const huge = Array.from({ length: 100_000 }, () => ({
    get value() {
      written++;
      return 'some text';
    },
  }));
  assert.equal(cellText(huge).length, 201);
  assert.ok(written < 100, `${written} members were written`);
});

describe('what is marked', () => {
  test('is a part of a text, or parts that overlap', () => {
    assert.equal(shown('a green pear', [at(2, 7)]), 'a [green] pear');
    assert.equal(shown('a green pear', [at(2, 7), at(4, 9), at(0, 1)]), '[a] [green p]ear');
    assert.equal(shown('green', [{ path: ['field'] }]), '[green]');
    assert.equal(shown(41, [{ path: ['field'] }]), '[41]');
    assert.equal(shown(41, [at(0, 1)]), '[4]1');
  });

  test('is a text inside, as JSON escapes it, or an element', () => {
    const value = { tags: ['a', 'say "x" now'], n: 1 };
    assert.equal(shown(value, [at(4, 7, 'tags', 1)]), '{"tags":["a","say [\\"x\\"] now"],"n":1}');
    assert.equal(
      shown(value, [{ path: ['field', 'tags', 0] }]),
      '{"tags":[["a"],"say \\"x\\" now"],"n":1}',
    );
  });

  test('is in sight, however far in it is', () => {
    const text = `${'x '.repeat(500)}green pear`;
    assert.equal(shown(text, [at(1_000, 1_005)]), `…${'x '.repeat(6)}[green] pear`);
    assert.equal(shown({ text }, [at(1_000, 1_005, 'text')]), `…${'x '.repeat(6)}[green] pear"}`);
  });
});

function shown(value: unknown, places: Parameters<typeof marksOf>[0]): string {
  return cellParts(value, marksOf(places).get('field'))
    .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
    .join('');
}

function at(from: number, to: number, ...inside: readonly (string | number)[]) {
  return { path: ['field', ...inside], ranges: [{ from, to }] };
}
