import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { arbitraryText } from '../../test/support/arbitrary-search.ts';
import {
  editAllowance,
  isLettersOnly,
  normalisedText,
  wordQuality,
  wordsInPieces,
  wordsOf,
} from './words.ts';

describe('words', () => {
  const rows: readonly (readonly [text: string, words: readonly string[]])[] = [
    ['', []],
    ['—%_ \0', []],
    ['Ada Lovelace', ['ada', 'lovelace']],
    ['ada ADA', ['ada', 'ada']],
    ['a1-b2_c3', ['a1', 'b2', 'c3']],
    ['Café cafe\u0301 CAFÉ', ['cafe', 'cafe', 'cafe']],
    ['Ångström', ['angstrom']],
    ['İstanbul', ['istanbul']],
    ['straße', ['straße']],
    ['ﬁn Ａda ② x²', ['fin', 'ada', '2', 'x2']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['𐐀𐐁', ['𐐨𐐩']],
    ['𝒜da', ['ada']],
    ['中文 日本語', ['中文', '日本語']],
    ['🙂ok🙂', ['ok']],
    ['٣٤', ['٣٤']],
    ['हिन्दी', ['हनद']],
    ['1.5', ['1', '5']],
  ];
  for (const [text, words] of rows)
    test(`of ${JSON.stringify(text)} are ${words.join(' ')}`, () => {
      assert.deepEqual(wordsOf(text), words);
    });

  test('of a word are the word', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryText(), fc.string({ unit: 'binary' })), (text) => {
        for (const word of wordsOf(text)) assert.deepEqual(wordsOf(word), [word]);
      }),
    );
  });

  test('of an ASCII text are found as those of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        assert.deepEqual(wordsOf(text), wordsOf(`${text} é`).slice(0, -1));
      }),
    );
  });

  test('may be as long as texts may be', () => {
    const length = 5_000_000;
    const long = '中'.repeat(length);
    assert.deepEqual(wordsOf(long), [long]);
    assert.equal(isLettersOnly(long), true);
    assert.deepEqual(wordsOf(`a${'\u0301'.repeat(length)}${'🙂'.repeat(length)}é`), ['a', 'e']);
  });

  test('of a text in pieces are those of the whole', () => {
    const texts = fc.oneof(arbitraryText(), fc.string({ unit: 'binary' }), fc.string());
    fc.assert(
      fc.property(
        fc.array(texts),
        fc.constantFrom(' ', '', '中'),
        fc.integer({ min: 1, max: 9 }),
        (parts, between, length) => {
          const text = parts.join(between);
          assert.deepEqual([...wordsInPieces(text, length)].flat(), wordsOf(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('come a few at a time, also where no space is between millions', () => {
    const long = '中'.repeat(1_000_000);
    for (const text of [long, 'a'.repeat(1_000_000), 'é '.repeat(500_000)]) {
      const pieces = [...wordsInPieces(text)];
      assert.ok(pieces.length > 200, 'the text is cut in many steps');
      assert.ok(Math.max(...pieces.map((words) => words.length)) <= 4_096);
      assert.deepEqual(pieces.flat(), wordsOf(text));
    }
  });

  test('have no marks, wherever a text has them and however many', { timeout: 20_000 }, () => {
    // Two classes in turn, which NFKD would put in order one by one.
    const marks = '\u0301\u0316'.repeat(256 * 1024);
    assert.deepEqual(wordsOf(`a${marks}b`), ['ab']);
    const code = fc.oneof(fc.nat({ max: 0xffff }), fc.nat({ max: 0x10ffff }));
    const letter = fc.oneof(
      code.map((each) => String.fromCodePoint(each)),
      fc.constantFrom('\u0301', '\u0344', '\u{1d165}', '\u3099', 'か', 'ガ', 'ﾞ'),
    );
    fc.assert(
      fc.property(fc.array(letter), (letters) => {
        const text = letters.join('');
        assert.deepEqual(wordsOf(text), wordsOf(text.normalize('NFKD')));
      }),
    );
  });

  test('depend on no code point beside them', () => {
    // Marks move past each other when decomposed, and letters compose with what follows.
    for (let code = 0x80; code <= 0x2_ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const one = String.fromCodePoint(code);
      const text = `a\u0345${one}\u0301b${one}${one}`;
      assert.deepEqual([...wordsInPieces(text, 1)].flat(), wordsOf(text), code.toString(16));
    }
  });
});

describe('the normalised text', () => {
  test('is lower-cased code point by code point', () => {
    fc.assert(
      fc.property(
        fc.oneof(arbitraryText(), fc.string({ unit: 'binary' }), fc.constant('ΑΣ ΣΑ Σ')),
        (text) => {
          const each = Array.from(text, (codePoint) => codePoint.toLowerCase());
          assert.equal(normalisedText(text), each.join(''));
        },
      ),
    );
  });

  test('of an upper-case text is that of its parts', () => {
    assert.equal(normalisedText('ΟΔΟΣ'), normalisedText('ΟΔΟ') + normalisedText('Σ'));
  });
});

describe('the quality of a word', () => {
  const rows: readonly (readonly [query: string, field: string, quality: number, why: string])[] = [
    ['ada', 'ada', 1, 'equal'],
    ['x', 'x', 1, 'equal, however short'],
    ['ad', 'ada', 0, 'two letters begin nothing'],
    ['ada', 'adamant', 0.9, 'a prefix'],
    ['a1b', 'a1bc', 0.9, 'a prefix with digits'],
    ['adamant', 'ada', 0, 'the other one is the prefix'],
    ['ada', 'ads', 1 - 1 / 3, 'a substitution'],
    ['ada', 'daa', 1 - 1 / 3, 'a swap of neighbours'],
    ['ada', 'da', 1 - 1 / 3, 'a letter too many'],
    ['hoper', 'hopper', 1 - 1 / 5, 'a letter too few'],
    ['hopr', 'hopper', 0, 'two edits of four letters'],
    ['hopprs', 'hopper', 1 - 2 / 6, 'two edits of six letters'],
    ['hopper', 'hpoepr', 1 - 2 / 6, 'two swaps'],
    ['hopper', 'hppreo', 0, 'three edits'],
    ['abcdef', 'abcdefg', 0.9, 'a prefix before an edit'],
    ['internationalisation', 'internationalisations', 1 - 1 / 20, 'an edit before a prefix'],
    ['abc', 'cab', 0, 'a move is two edits'],
    ['abcdef', 'bacedf', 1 - 2 / 6, 'two swaps apart from each other'],
    ['abcdef', 'cadbef', 0, 'no place is edited twice'],
    ['ada1', 'ada2', 0, 'digits are not compared by distance'],
    ['adab', 'ada1', 0, 'nor with letters'],
    ['𐐨𐐩𐐪', '𐐨𐐩𐐫', 1 - 1 / 3, 'letters are code points'],
    ['𐐨𐐩', '𐐨𐐩𐐪', 0, 'two code points begin nothing'],
    ['x'.repeat(64), 'x'.repeat(62), 1 - 2 / 64, 'two edits of 64 letters'],
    ['x'.repeat(65), 'x'.repeat(64), 0, 'longer words are compared as they are'],
    ['x'.repeat(65), 'x'.repeat(66), 0.9, 'or as prefixes'],
  ];
  for (const [query, field, quality, why] of rows)
    test(`${query.slice(0, 24)} for ${field.slice(0, 24)} is ${quality.toFixed(2)}: ${why}`, () => {
      assert.equal(wordQuality(query, field), quality);
    });

  test('is never without reason', () => {
    const words = arbitraryText().map((text) => wordsOf(text)[0] ?? 'ada');
    fc.assert(
      fc.property(words, words, (query, field) => {
        const quality = wordQuality(query, field);
        assert.ok(quality >= 0 && quality <= 1);
        assert.equal(quality === 1, query === field);
        if (quality === 0 || quality >= 0.9) return;
        assert.ok(isLettersOnly(query) && isLettersOnly(field));
        assert.ok(editAllowance(query) > 0);
      }),
    );
  });
});
