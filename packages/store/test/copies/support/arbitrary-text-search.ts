import * as fc from 'fast-check';

/**
 * Searches whose hits score differently, which arbitrary ones seldom are: several conditions on texts,
 * of several words that records have, or nearly so.
 */

const WORDS = [
  'ada',
  'adam',
  'adda',
  'lovelace',
  'lovelcae',
  'love',
  'grace',
  'hopper',
  'hop',
  'x',
];
const FIELDS = ['name', 'note', 'profile', 'profile.name', 'address', 'tags', 'is_open', 'size'];

const arbitraryWords = fc
  .uniqueArray(fc.constantFrom(...WORDS, 'true', '7', '42'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '));

const arbitraryCondition = fc
  .tuple(
    fc.constantFrom('keyword', 'keyword', 'fuzzy', 'fuzzy', 'like'),
    fc.constantFrom(...FIELDS),
    arbitraryWords,
  )
  .map(([operator, field, words]) => ({ [operator]: { [field]: words } }));

/** Inside arrays, where names are those of their elements. */
const arbitraryInside = fc
  .tuple(
    fc.constantFrom('parts', 'tags'),
    fc.constantFrom('keyword', 'fuzzy', 'like'),
    fc.constantFrom('name', 'plan', 'a'),
    arbitraryWords,
  )
  .map(([array, operator, field, words]) => ({
    any: { [array]: { [operator]: { [field]: words } } },
  }));

const arbitraryConditions = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: arbitraryCondition },
    { weight: 1, arbitrary: arbitraryInside },
    { weight: 1, arbitrary: arbitraryCondition.map((not) => ({ not })) },
    { weight: 1, arbitrary: fc.constant({ eq: { is_open: true } }) },
  ),
  { minLength: 1, maxLength: 4 },
);

/** The params of a search by score. */
export const arbitraryTextSearch: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .oneof(
    arbitraryConditions.map((and) => ({ and })),
    arbitraryConditions.map((or) => ({ or })),
    fc
      .tuple(arbitraryConditions, arbitraryConditions)
      .map(([and, or]) => ({ and: [...and.slice(1), { or }] })),
  )
  .chain((filter) =>
    fc.record({
      query: fc.constant({ filter }),
      count: fc.boolean(),
      facets: fc.option(fc.subarray(['name', 'is_open', 'profile.name', 'tags'])),
    }),
  );
