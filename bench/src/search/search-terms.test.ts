import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misspelled, SearchTerms, shuffled, wordsOf, type SampledContact } from './search-terms.ts';

/** A thousand contacts, of whom nine in ten have the same first name. */
const SAMPLE: readonly SampledContact[] = Array.from({ length: 1_000 }, (_, nth) => {
  const letters = String.fromCharCode(97 + (nth % 26), 97 + (Math.floor(nth / 26) % 26));
  return {
    email: `common.${nth}@x.example`,
    name: `${nth % 10 === 0 ? `rare${letters}` : 'Common'} Surname${letters}`,
    phone: nth % 3 === 0 ? `+${nth}` : null,
    createdAt: nth,
    company: nth % 2 === 0 ? `Firm ${letters}` : null,
    interest: 'exports',
    tagId: nth === 5 ? '7' : null,
  };
});

function drawn(seed: number): readonly unknown[] {
  const terms = new SearchTerms(SAMPLE, seed);
  return [
    ...Array.from({ length: 40 }, () => terms.word('name')),
    terms.words('name', 3),
    terms.wordsTogether('email', 2),
    terms.part('abcdefghij', 4),
    terms.contact(),
  ];
}

test('the same seed draws the same terms, another one others', () => {
  assert.deepEqual(drawn(1), drawn(1));
  assert.notDeepEqual(drawn(1), drawn(2));
});

test('common words come up often, and rare ones as often', () => {
  const terms = new SearchTerms(SAMPLE, 3);
  const words = Array.from({ length: 1_000 }, () => terms.word('name'));
  const common = words.filter((word) => word === 'common').length;
  assert.ok(common > 150 && common < 400, String(common));
  assert.ok(new Set(words).size > 300, String(new Set(words).size));
});

test('words together are those of one contact, in their order', () => {
  const terms = new SearchTerms(SAMPLE, 4);
  const names = new Set(SAMPLE.map(({ name }) => wordsOf(name).join(' ')));
  for (let nth = 0; nth < 50; nth++) assert.ok(names.has(terms.wordsTogether('name', 2).join(' ')));
});

test('words of letters are drawn, and as many different ones as asked for', () => {
  const terms = new SearchTerms(SAMPLE, 5);
  for (let nth = 0; nth < 50; nth++) {
    const words = terms.words('email', 2);
    assert.equal(new Set(words).size, 2);
    for (const word of words) assert.match(word, /^[a-z]{3,}$/);
  }
});

test('a part is of the text, and not longer', () => {
  const terms = new SearchTerms(SAMPLE, 6);
  const parts = Array.from({ length: 50 }, () => terms.part('abcdefghij', 4));
  for (const part of parts) assert.ok('abcdefghij'.includes(part) && part.length === 4, part);
  assert.ok(parts.includes('abcd') && parts.includes('ghij'), 'from its beginning to its end');
  assert.equal(terms.part('abc', 6), 'abc');
});

test('what is shuffled is all there, and the same for the same seed', () => {
  const items = Array.from({ length: 100 }, (_, nth) => nth);
  const order = shuffled(items, 1);
  assert.notDeepEqual(order, items);
  assert.deepEqual(shuffled(items, 1), order);
  assert.deepEqual(
    order.toSorted((a, b) => a - b),
    items,
  );
});

test('a misspelled word has two neighbours swapped', () => {
  assert.deepEqual(['lantern', 'abc', '1357'].map(misspelled), ['lnatern', 'abc', '1357']);
});

test('a sample with nothing to draw is refused', () => {
  assert.throws(() => new SearchTerms(SAMPLE.slice(0, 3), 1), /nothing to draw from/);
});
