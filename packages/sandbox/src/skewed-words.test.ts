import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hash32 } from './seeded-random.ts';
import { skewedWords } from './skewed-words.ts';

const KNOWN = ['Abrin', 'Belva'];
const words = skewedWords(KNOWN, { size: 10_000, salt: 7 });

test('the words that are known are the commonest', () => {
  assert.deepEqual([words.at(0), words.at(1)], KNOWN);
  assert.match(words.at(2), /^[A-Z][a-z]{3,}$/);
});

test('a word is the same every time, and others with another salt', () => {
  const again = skewedWords(KNOWN, { size: 10_000, salt: 7 });
  const others = skewedWords(KNOWN, { size: 10_000, salt: 8 });
  for (const rank of [2, 99, 9_999]) {
    assert.equal(again.at(rank), words.at(rank));
    assert.notEqual(others.at(rank), words.at(rank));
  }
});

test('every hash selects a word of the vocabulary, the least the first', () => {
  assert.equal(words.pick(0), 'Abrin');
  assert.equal(words.pick(2 ** 32 - 1), words.at(9_999));
});

test('a word is selected half as often as the first where its rank is 2, and the rare are many', () => {
  const counts = new Map<string, number>();
  const draws = 100_000;
  for (let nth = 0; nth < draws; nth++) {
    const word = words.pick(hash32(1, nth));
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const share = (rank: number) => (counts.get(words.at(rank)) ?? 0) / draws;
  // ln 2 ÷ ln 10,001, and ln 1.5 ÷ ln 10,001.
  assert.ok(Math.abs(share(0) - 0.0753) < 0.005, String(share(0)));
  assert.ok(Math.abs(share(1) - 0.044) < 0.005, String(share(1)));
  const rare = [...counts.values()].filter((count) => count <= 10).length;
  assert.ok(rare > 3_000, String(rare));
});
