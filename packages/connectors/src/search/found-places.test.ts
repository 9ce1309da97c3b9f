import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assert as assertProperty, property } from 'fast-check';
import { arbitraryText } from '../../test/support/arbitrary-search.ts';
import { placesFoundBy } from './found-places.ts';
import { rangesOfPattern, wordPlacesIn } from './text-places.ts';
import { wordsOf } from './words.ts';

const RECORD = {
  name: 'Dr. Ånnä-Lena Underbough',
  age: 41,
  note: null,
  profile: { title: 'Release gardener', tags: ['green', 'Gardens'], 'a.b': 'green' },
  items: [
    { kind: 'pear', price: 3 },
    { kind: 'apple', price: 5 },
  ],
};

/** What a place says, for people: the path, and the parts of its text. */
function told(filter: object): readonly string[] {
  return placesFoundBy(filter)(RECORD).map(({ path, ranges }) => {
    const value = path.reduce<unknown>(
      (at, name) => (at as Readonly<Record<string, unknown>>)[name],
      RECORD,
    );
    const parts = ranges?.map(({ from, to }) => String(value).slice(from, to));
    return parts === undefined ? path.join('/') : `${path.join('/')}: ${parts.join(' | ')}`;
  });
}

describe('what a filter has found', () => {
  const cases: readonly (readonly [what: string, filter: object, places: readonly string[]])[] = [
    ['everything, of nothing asked', {}, []],
    ['a value', { eq: { age: 41 } }, ['age']],
    ['one of several', { in: { age: [1, 41] } }, ['age']],
    ['a value in order', { gt: { age: 40 } }, ['age']],
    ['null, which cannot be shown', { eq: { note: null } }, []],
    ['what is not', { neq: { age: 1 } }, []],
    ['under not', { not: { eq: { age: 1 } } }, []],
    [
      'nothing of a record that does not match',
      { and: [{ eq: { age: 41 } }, { eq: { name: 'x' } }] },
      [],
    ],
    ['only what holds of or', { or: [{ eq: { age: 41 } }, { eq: { name: 'x' } }] }, ['age']],
    ['a part of a text, in any case', { like: { name: 'UNDER' } }, ['name: Under']],
    ['every such part', { like: { name: 'n' } }, ['name: n | n | n | n']],
    ['the parts of a pattern', { like: { name: 'dr%lena%' } }, ['name: Dr | Lena']],
    ['words as they are, without marks', { keyword: { name: 'anna missing' } }, ['name: Ånnä']],
    ['a near word', { fuzzy: { name: 'undrebough' } }, ['name: Underbough']],
    ['the beginning of a word', { fuzzy: { name: 'und' } }, ['name: Underbough']],
    [
      'texts inside',
      { like: { profile: 'garden' } },
      ['profile/title: garden', 'profile/tags/1: Garden'],
    ],
    [
      'the best words only, wherever they are',
      { fuzzy: { profile: 'gardens' } },
      ['profile/tags/1: Gardens'],
    ],
    ['nothing where one word of fuzzy fits none', { fuzzy: { profile: 'green zebra' } }, []],
    ['a name with a dot', { eq: [{ path: ['profile', 'a.b'], value: 'green' }] }, ['profile/a.b']],
    ['an element', { contains: { 'profile.tags': 'green' } }, ['profile/tags/0']],
    [
      'inside elements, those that match',
      { any: { items: { and: [{ gt: { price: 4 } }, { like: { kind: 'p' } }] } } },
      ['items/1/price', 'items/1/kind: p | p'],
    ],
    ['numbers as texts', { like: { age: '1' } }, ['age: 1']],
    ['nothing, of what is no filter', { eqq: { age: 41 } }, []],
  ];
  for (const [what, filter, places] of cases)
    test(what, () => assert.deepEqual(told(filter), places));

  test('the places of words have the words of the text', () => {
    assertProperty(
      property(arbitraryText(), (text) => {
        const places = wordPlacesIn(text);
        assert.deepEqual(
          places.map(({ word }) => word),
          wordsOf(text),
        );
        for (const { word, from, to } of places)
          assert.ok(wordsOf(text.slice(from, to)).includes(word), JSON.stringify({ text, word }));
      }),
    );
  });

  test('the best word is found among however many', () => {
    const text = Array.from({ length: 150_000 }, (_, number) => `w${number}`).join(' ');
    const [place] = placesFoundBy({ fuzzy: { text: 'w7' } })({ text });
    const at = text.indexOf('w7 ');
    assert.partialDeepStrictEqual(place, { path: ['text'], ranges: [{ from: at, to: at + 2 }] });
  });

  test('a part that was looked for is where it is said to be', () => {
    assertProperty(
      property(arbitraryText(), arbitraryText(), (text, part) => {
        const pattern = part.replaceAll('%', '');
        for (const { from, to } of rangesOfPattern(text + pattern + text, pattern))
          assert.ok(rangesOfPattern((text + pattern + text).slice(from, to), pattern).length > 0);
      }),
    );
  });
});
