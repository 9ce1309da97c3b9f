import * as fc from 'fast-check';
import {
  SEARCH_PACE,
  SHARED_SEARCH_PACE,
  type SearchPace,
} from '../../../src/copies/search-pace.ts';

/** The usual one, or one so small that a few records take every turn of a search. */
export const arbitraryPace: fc.Arbitrary<SearchPace> = fc.oneof(
  fc.constant(SEARCH_PACE),
  fc.constant(SHARED_SEARCH_PACE),
  fc.record({
    firstStep: fc.integer({ min: 1, max: 3 }),
    longestFirstStep: fc.integer({ min: 1, max: 4 }),
    longestStep: fc.integer({ min: 1, max: 5 }),
    stepMs: fc.constantFrom(0, 1, Infinity),
    longestWalk: fc.integer({ min: 1, max: 5 }),
    firstBatch: fc.integer({ min: 1, max: 2 }),
    longestBatch: fc.integer({ min: 1, max: 4 }),
    firstScannedBatch: fc.integer({ min: 1, max: 2 }),
    longestScannedBatch: fc.integer({ min: 1, max: 4 }),
    fewRows: fc.integer({ min: 0, max: 5 }),
    commonRows: fc.integer({ min: 1, max: 5 }),
    gatheredTerms: fc.constantFrom(1, 2, Infinity),
    bytesAtOnce: fc.integer({ min: 1, max: 100 }),
    pageBytes: fc.constant(SEARCH_PACE.pageBytes),
    cursorBytes: fc.integer({ min: 2, max: 40 }),
    assumedRows: fc.constantFrom(1, 20, SEARCH_PACE.assumedRows),
    // So that every way is the cheapest now and then.
    costs: fc.record({
      walked: fc.constantFrom(0.1, 1_000, 1e9),
      key: fc.constantFrom(0.01, 100),
      grams: fc.constantFrom(0, 1_000),
      posting: fc.constantFrom(0.01, 100),
      gramPosting: fc.constantFrom(0.01, 100),
      fetched: fc.constantFrom(0.01, 1, 1_000),
    }),
    longestWindow: fc.integer({ min: 1, max: 4 }),
    counted: fc.constantFrom(1, 2, 5, SEARCH_PACE.counted),
    facetValues: fc.constant(SEARCH_PACE.facetValues),
    effort: fc.constant(SEARCH_PACE.effort),
  }),
);
