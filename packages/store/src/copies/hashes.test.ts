import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordKeys } from './fuzzy-keys.ts';
import { gramOf, HASH_VERSION, nestedLanes, termOf, textLanes } from './hashes.ts';
import { PathHashes } from './path-hashes.ts';
import { addWordGrams, valueTerm, wordTerm } from './terms.ts';

const CONNECTOR = '018f3f6e-0000-7000-8000-000000000001';

test('hashes are those of version 1: databases are full of them', () => {
  // Another answer means another version: count HASH_VERSION up, so that copies are read anew.
  assert.equal(HASH_VERSION, 1);
  const places = new PathHashes(CONNECTOR);
  const place = places.at(['custom_attributes', 'plan']);
  const grams: number[] = [];
  addWordGrams(places.root, 'ada', (gram) => grams.push(gram));
  assert.deepEqual(
    {
      word: wordTerm(place, 'pro'),
      text: valueTerm(place, '!'),
      number: valueTerm(place, 42),
      boolean: valueTerm(place, true),
      element: valueTerm(places.element(place), 42),
      grams,
      keys: wordKeys(textLanes(`${CONNECTOR} contacts`), 'adam'),
    },
    {
      word: 3_887_809_310_727_900,
      text: 1_282_085_787_745_955,
      number: 6_604_455_237_375_211,
      boolean: 7_029_507_468_813_364,
      element: 6_904_160_319_259_397,
      grams: [-198_543_550, -1_295_365_927, -2_136_645_262],
      // prettier-ignore
      keys: [
        1_143_162_987, 946_959_196, 632_067_174, -491_444_879, 196_463_899, 1_416_907_479,
        -2_064_557_315, -2_087_230_008, -273_735_149, 1_167_907_898, -1_631_091_710,
      ],
    },
  );
});

test('terms are integers of 53 bits, and grams of 32', () => {
  for (let index = 0; index < 10_000; index++) {
    const lanes = textLanes(String(index));
    const term = termOf(lanes, nestedLanes(lanes, lanes));
    assert.ok(Number.isSafeInteger(term) && term >= 0);
    const gram = gramOf(lanes, index, 1, 2);
    assert.equal(gram, gram | 0);
  }
});

test('terms of different places, kinds and values differ', () => {
  const terms = new Set<number>();
  let count = 0;
  for (const connector of ['a', 'b']) {
    const places = new PathHashes(connector);
    for (const path of [['x'], ['y'], ['x', 'y'], ['xy'], ['x', ''], ['', 'x']]) {
      const place = places.at(path);
      for (const at of [place, places.element(place)]) {
        for (const term of [
          valueTerm(at, 1),
          valueTerm(at, '1'),
          valueTerm(at, true),
          valueTerm(at, 'true'),
          wordTerm(at, '1'),
          wordTerm(at, 'true'),
        ]) {
          terms.add(term);
          count++;
        }
      }
    }
  }
  assert.equal(terms.size, count);
});

test('the case of a connector id does not matter', () => {
  assert.deepEqual(new PathHashes(CONNECTOR.toUpperCase()).root, new PathHashes(CONNECTOR).root);
});
