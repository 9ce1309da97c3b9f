import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches, normalisedText, wordsOf } from '@patchbay/connectors';
import * as fc from 'fast-check';
import { textLanes } from '../hashes.ts';
import { addWordGrams } from '../terms.ts';
import { patternGrams } from './like-pattern.ts';

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

test('a text that matches a pattern has all of its grams', () => {
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
        const grams = gramsOf(text);
        for (const gram of patternGrams(PLACE, pattern)) assert.ok(grams.has(gram));
      },
    ),
    { numRuns: 10_000 },
  );
  assert.ok(matching > 2_000);
});

test('patterns say what they can', () => {
  assert.equal(countGrams('ad'), 0);
  assert.equal(countGrams('ada'), 1);
  assert.equal(countGrams('ada lovelace'), 2 + 7);
  assert.equal(countGrams('ada%'), 2);
  assert.equal(countGrams('%ada'), 2);
  assert.equal(countGrams('x%y'), 0);
  assert.equal(countGrams('Ünïcode'), 5);
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

function countGrams(pattern: string): number {
  return patternGrams(PLACE, pattern).length;
}

function gramsOf(text: string): ReadonlySet<number> {
  const grams = new Set<number>();
  for (const word of wordsOf(text)) addWordGrams(PLACE, word, (gram) => grams.add(gram));
  return grams;
}
