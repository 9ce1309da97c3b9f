import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { printable, printableJson } from './printable.ts';
import { renderRecord, renderTable, type TableStyle } from './table.ts';
import { fitText, padText, textWidth } from './text-width.ts';

const plain = (text: string) => text;
const WIDE: TableStyle = { width: Infinity, bold: plain };

describe('a table', () => {
  test('aligns columns, numbers to the right, and leaves out what has no value', () => {
    const rows = [
      { id: 'a', count: 5, gone: null, note: undefined },
      { id: 'bcd', count: 1234, gone: null, note: 'x' },
    ];
    const { text, leftOut } = renderTable(['id', 'count', 'gone', 'note'], rows, WIDE);
    assert.equal(text, 'id   count  note\na        5\nbcd   1234  x\n');
    assert.deepEqual(leftOut, []);
  });

  test('aligns wide characters, marks and pictures', () => {
    const rows = ['日本語', 'e\u0301t\u00e9', '👩‍👩‍👧 x', '한국', '❤️', 'ﾊﾝｶｸ'].map((name) => ({
      name,
      next: '|',
    }));
    const { text } = renderTable(['name', 'next'], rows, WIDE);
    for (const line of text.trimEnd().split('\n').slice(1))
      assert.equal(textWidth(line.slice(0, line.indexOf('|'))), 8, line);
  });

  test('neutralises what a terminal would obey, and line breaks', () => {
    const evil = 'a\u001b[31mred\u009b2J\n\r\t\u0007\u202e\u2028z';
    const { text } = renderTable(['id', evil], [{ id: evil, [evil]: { evil } }], WIDE);
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    assert.equal(text.split('\n').length, 3);
    assert.match(text, /a\\u001b\[31mred\\u009b2J\\n\\r\\t\\u0007\\u202e\\u2028z/);
  });

  test('shows as many columns as fit, and tells the others', () => {
    const rows = [{ a: 'x'.repeat(100), b: 'y'.repeat(20), c: 'z'.repeat(20) }];
    const { text, leftOut } = renderTable(['a', 'b', 'c'], rows, { width: 70, bold: plain });
    assert.deepEqual(leftOut, ['c']);
    for (const line of text.trimEnd().split('\n')) assert.ok(textWidth(line) <= 70);
    assert.ok(text.includes(`${'x'.repeat(39)}…`));
  });

  test('of nothing is nothing, and titles are marked', () => {
    assert.equal(renderTable(['a'], [], WIDE).text, '');
    const terminal = { width: 80, bold: (text: string) => `<${text}>` };
    assert.equal(renderTable(['a'], [{ a: 1 }], terminal).text, '<a>\n1\n');
  });

  test('of very many rows is made', () => {
    const rows = Array.from({ length: 200_000 }, (_, id) => ({ id }));
    assert.equal(renderTable(['id'], rows, WIDE).text.split('\n').length, 200_002);
  });
});

test('a record is a line for each field, nothing cut', () => {
  const record = { id: 'a', profile: { title: 'x\ny' }, none: null };
  assert.equal(
    renderRecord(record, { bold: plain }),
    'id       a\nprofile  {"title":"x\\\\ny"}\nnone\n'.replace('\\\\n', '\\n'),
  );
});

describe('text', () => {
  test('fits the columns it is given, and is padded to them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (given, columns) => {
        const text = printable(given);
        const fitted = fitText(text, columns);
        assert.ok(textWidth(fitted) <= columns);
        assert.equal(textWidth(padText(fitted, columns)), columns);
        if (textWidth(text) <= columns) assert.equal(fitted, text);
      }),
    );
  });

  test('is printable whatever it was, and JSON means the same afterwards', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (given) => {
        assert.doesNotMatch(printable(given), /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u);
        const json = printableJson(JSON.stringify({ given }, null, 2));
        assert.deepEqual(JSON.parse(json), { given });
        assert.doesNotMatch(json.replaceAll('\n', ''), /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
