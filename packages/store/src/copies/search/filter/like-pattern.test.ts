import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches, normalisedText, wordsOf } from '@patchbay/connectors/engine';
import * as fc from 'fast-check';
import { textLanes } from '../../hashes.ts';
import { addWordGrams } from '../../terms.ts';
import { isWholePattern, mayMatchScalar, patternParts, textPattern } from './like-pattern.ts';

const PLACE = textLanes('a connector');

/** Letters, digits, marks, separators, and characters that are several of them when decomposed. */
const UNITS = [
  'a',
  'b',
  'S',
  '1',
  'É',
  'e\u0301',
  '\u0301',
  ' ',
  '-',
  '½',
  '⑴',
  'ﬁ',
  'Σ',
  'ς',
  'İ',
  '한',
  '𝒜',
  '%',
];

test('a text that matches a pattern has all of its words and grams', () => {
  let matching = 0;
  const part = fc.string({ unit: fc.constantFrom(...UNITS.slice(0, -1)), maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.array(part, { maxLength: 4 }),
      (parts, between) => {
        const pattern = parts.join('%');
        const text = parts.map((each, index) => each + (between[index] ?? '')).join('');
        const path = { segments: ['text'], type: 'string' } as const;
        if (!matches({ operator: 'like', path, pattern }, { text })) return;
        matching++;
        const has = { words: new Set(wordsOf(text)), grams: gramsOf(text) };
        const { words, grams } = patternParts(PLACE, pattern);
        for (const word of words) assert.ok(has.words.has(word));
        for (const gram of grams) assert.ok(has.grams.has(gram));
      },
    ),
    { numRuns: 10_000 },
  );
  assert.ok(matching > 2_000);
});

test('patterns say what they can', () => {
  assert.deepEqual(partsOf('ad'), [[], 0]);
  assert.deepEqual(partsOf('ada'), [[], 1]);
  assert.deepEqual(partsOf('ada lovelace'), [[], 2 + 7]);
  assert.deepEqual(partsOf('ada%'), [[], 2]);
  assert.deepEqual(partsOf('%ada'), [[], 2]);
  assert.deepEqual(partsOf('%ada@%'), [[], 2]);
  assert.deepEqual(partsOf('%.ada@%'), [['ada'], 0]);
  assert.deepEqual(partsOf('%@ada.org'), [['ada', 'org'], 0]);
  assert.deepEqual(partsOf('ada %@ada.or%'), [['ada'], 1]);
  assert.deepEqual(partsOf('x%y'), [[], 0]);
  assert.deepEqual(partsOf('Ünïcode'), [[], 5]);
});

test('a pattern that matches a number or boolean is known to', () => {
  const scalar = fc.oneof(fc.boolean(), fc.double({ noDefaultInfinity: true, noNaN: true }));
  const positions = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('', '%'), fc.boolean());
  fc.assert(
    fc.property(scalar, positions, (value, [from, length, joint, isUpper]) => {
      const text = JSON.stringify(value);
      const start = from % text.length;
      const part = text.slice(start, start + 1 + (length % text.length));
      const pattern = `%${isUpper ? part.toUpperCase() : part}${joint}%`;
      assert.ok(mayMatchScalar(pattern), pattern);
    }),
    { numRuns: 2_000 },
  );
  for (const other of ['ada', '%1a', 'tru%y', 'falls', '%@7']) assert.ok(!mayMatchScalar(other));
});

test('case does not change what the words of a character are', () => {
  for (let code = 0; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    const lower = normalisedText(character);
    if (lower === character) continue;
    assert.deepEqual(wordsOf(lower), wordsOf(character), code.toString(16));
  }
});

test('two characters alone become ASCII letters in lower case', () => {
  const found: string[] = [];
  for (let code = 0x80; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    // oxlint-disable-next-line no-control-regex -- the range is ASCII, control characters and all
    if (/[\x00-\x7f]/.test(normalisedText(character))) found.push(character);
  }
  assert.deepEqual(found, ['\u0130', '\u212a']);
});

function partsOf(pattern: string): readonly [readonly string[], number] {
  const { words, grams } = patternParts(PLACE, pattern);
  return [words, grams.length];
}

function gramsOf(text: string): ReadonlySet<number> {
  const grams = new Set<number>();
  for (const word of wordsOf(text)) addWordGrams(PLACE, word, (gram) => grams.add(gram));
  return grams;
}

test('of a long pattern its beginning alone is compared', () => {
  const long = 'ab'.repeat(500);
  for (const [pattern, compared] of [
    [long, `%${long.slice(0, 24)}%`],
    [`${long}%x`, `${long.slice(0, 24)}%`],
    [`%${long}`, `%${long.slice(0, 23)}%`],
    [`a${'%'.repeat(500)}b`, 'a%b'],
    ['abc', '%abc%'],
  ] as const) {
    assert.equal(textPattern(pattern), compared);
    assert.equal(isWholePattern(pattern), pattern.length < 24 || pattern.endsWith('%b'));
  }
});
