import { MAX_COUNTED, MAX_EFFORT, MAX_VALUES_OF_FACETS } from '@patchbay/connectors/engine';

/** Microseconds that a row takes, roughly: what counts is how they compare. */
export interface RowCosts {
  /** Walked to in the wanted order, and looked at. */
  readonly walked: number;
  /** Its entry in the index of keys: read once to count so many keys, and once to intersect them. */
  readonly key: number;
  /** Asked for its grams besides. */
  readonly grams: number;
  /** Its entry in an inverted index. */
  readonly posting: number;
  /** The same of several grams, which are intersected. */
  readonly gramPosting: number;
  /** Found through a bitmap, and fetched. */
  readonly fetched: number;
}

/** How much a search does at once; tests take small numbers to see every turn with few rows. */
export interface SearchPace {
  /** Rows that the first step of a walk looks at: few enough to cost next to nothing. */
  readonly firstStep: number;
  /** The most rows of the first step, where many hits are asked for. */
  readonly longestFirstStep: number;
  readonly longestStep: number;
  /** After a step that took longer, in milliseconds, the next ones are shorter. */
  readonly stepMs: number;
  /** Having walked so far for little, it is better to look at all rows as they lie on the disk. */
  readonly longestWalk: number;
  /** Rows that one statement returns whose values are needed to accept them. */
  readonly firstBatch: number;
  readonly longestBatch: number;
  /** The same where each batch means looking at all rows again. */
  readonly firstScannedBatch: number;
  readonly longestScannedBatch: number;
  /** So many rows are rather found, or found and scored, all at once. */
  readonly fewRows: number;
  /** So many rows are rather found by looking at all of them than through an inverted index. */
  readonly commonRows: number;
  /** Rows that any of more terms find are walked through rather than gathered: each is looked at for all of them. */
  readonly gatheredTerms: number;
  /** Bytes of values that a batch should have; after so many of texts to sort by, it ends. */
  readonly bytesAtOnce: number;
  /** A page ends before its hits are so many bytes of JSON, but holds at least one. */
  readonly pageBytes: number;
  /** Values to sort by that are longer, as JSON, are read again instead of travelling in a cursor. */
  readonly cursorBytes: number;
  /** Rows whose keys are intersected at once with what inverted indexes find. */
  readonly longestWindow: number;
  /** Matches that are counted, the first by key. */
  readonly counted: number;
  /** Different values that the facets of a search may have together. */
  readonly facetValues: number;
  /** Rows that a copy is taken to have where nobody says how many: it has fewer, or so many that each one counts. */
  readonly assumedRows: number;
  /** What chooses how rows are found. */
  readonly costs: RowCosts;
  /** Units of work that judging rows by the evaluator may take in one search. */
  readonly effort: number;
}

export const SEARCH_PACE: SearchPace = {
  firstStep: 300,
  longestFirstStep: 2_000,
  longestStep: 20_000,
  stepMs: Infinity,
  longestWalk: 20_000,
  firstBatch: 128,
  longestBatch: 16_384,
  firstScannedBatch: 1_000,
  longestScannedBatch: 20_000,
  fewRows: 500,
  commonRows: 20_000,
  gatheredTerms: Infinity,
  bytesAtOnce: 8 * 1024 * 1024,
  pageBytes: 32 * 1024 * 1024,
  cursorBytes: 1024,
  longestWindow: 600_000,
  assumedRows: 1_000_000,
  costs: { walked: 1.5, key: 0.3, grams: 3, posting: 0.2, gramPosting: 0.75, fetched: 2 },
  counted: MAX_COUNTED,
  facetValues: MAX_VALUES_OF_FACETS,
  effort: MAX_EFFORT,
};

/** For a database that serves one statement at a time: none of them may take long. */
export const SHARED_SEARCH_PACE: SearchPace = {
  ...SEARCH_PACE,
  firstStep: 100,
  longestFirstStep: 200,
  longestStep: 4_000,
  stepMs: 100,
  // To look at all rows as they lie would be one statement.
  longestWalk: Infinity,
  longestBatch: 2_000,
  longestScannedBatch: 5_000,
  commonRows: 5_000,
  // As many as alternatives become conditions of their own (`term-sets.ts`). To walk instead takes up to 50 times as
  // long where few rows match, and down to half as long where a dozen words and more are all common.
  gatheredTerms: 66,
  longestWindow: 8_000,
  bytesAtOnce: 2 * 1024 * 1024,
};
