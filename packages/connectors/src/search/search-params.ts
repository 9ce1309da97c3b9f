import { Type } from 'typebox';
import { MAX_FIELDS } from '../input-bounds.ts';
import { isJsonObject } from '../json-value.ts';
import { asInteger } from '../scalars.ts';

/** Hits that a page may have. */
export const MAX_HITS = 10_000;
export const DEFAULT_HITS = 1_000;
/** How long a search may work unless said, its turn once come. */
export const DEFAULT_SEARCH_MS = 2_000;
/** The most it may be said to: as long as a call's deadline can be. */
export const MAX_SEARCH_MS = 300_000;
/** Names that all paths of `fields` may have together: each takes its time in every hit. */
export const MAX_FIELD_NAMES = 5_000;
/** Facets that a search may ask for. */
export const MAX_FACETS = 10;
/** Records that are counted, of all that match, the first by key. */
export const MAX_COUNTED = 10_000;
export const SORT_ORDERS = ['asc', 'desc'] as const;

/** The params of a search; what stands inside `query` and `fields` is checked below. Extensions are those that the service reference does not list. */
export const SEARCH_PARAMS = {
  query: {
    doc: 'What to find: `filter` and `sort`, both optional.',
    schema: Type.Object({}),
    isRequired: true,
    expects: 'an object (it may be empty)',
  },
  limit: {
    doc: `Hits a page, ${DEFAULT_HITS} unless said.`,
    schema: Type.Integer({ minimum: 1, maximum: MAX_HITS }),
    isRequired: false,
    expects: `an integer from 1 to ${MAX_HITS}`,
  },
  cursor: {
    doc: '`next_cursor` of the page before.',
    schema: Type.String(),
    isRequired: false,
    expects: 'a string',
  },
  fields: {
    doc: 'What hits carry: paths of searchable fields. All of them unless said.',
    schema: Type.Array(Type.Unknown(), { maxItems: MAX_FIELDS }),
    isRequired: false,
    expects: `an array of at most ${MAX_FIELDS} field paths`,
  },
  count: {
    doc: `Whether to count all that match, up to ${MAX_COUNTED.toLocaleString('en')}: \`total\`.`,
    schema: Type.Boolean(),
    isRequired: false,
    expects: 'true or false',
    isExtension: true,
  },
  facets: {
    doc: `Paths whose values are counted over all that match, the first ${MAX_COUNTED.toLocaleString('en')} by key.`,
    schema: Type.Array(Type.Unknown(), { maxItems: MAX_FACETS }),
    isRequired: false,
    expects: `an array of at most ${MAX_FACETS} field paths`,
    isExtension: true,
  },
  timeout_ms: {
    doc: `Milliseconds that the search may work, ${DEFAULT_SEARCH_MS} unless said; at most the deadline of the call.`,
    schema: Type.Integer({ minimum: 1, maximum: MAX_SEARCH_MS }),
    isRequired: false,
    expects: `an integer from 1 to ${MAX_SEARCH_MS}`,
    isExtension: true,
  },
  allow_partial: {
    doc: 'A search that would take too much time or work then answers with the hits found so far, `partial: true` and a cursor to go on.',
    schema: Type.Boolean(),
    isRequired: false,
    expects: 'true or false',
    isExtension: true,
  },
  freshness: {
    doc: 'Whether each hit tells when it was read: `synced_at` and `confirmed_at`.',
    schema: Type.Boolean(),
    isRequired: false,
    expects: 'true or false',
    isExtension: true,
  },
} as const;

/**
 * How long a call has to wait for its search, in milliseconds, by the `timeout_ms` in its params: a partial
 * answer may take twice its time, and all wait for their turn first. 0 where they state none.
 */
export function timeForSearch(params: unknown): number {
  const given = isJsonObject(params) ? asInteger(params['timeout_ms']) : undefined;
  return given === undefined ? 0 : 2 * Math.min(given, MAX_SEARCH_MS) + 5_000;
}
