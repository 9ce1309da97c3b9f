import { Type } from 'typebox';
import { CopyState } from './sync.ts';
import {
  anyObject,
  count,
  countOrNull,
  instant,
  instantOrNull,
  oneOfOpen,
  orNull,
  recordOf,
  text,
  textOrNull,
  uuid,
  type Wire,
} from './shape.ts';
import { Warning } from './warning.ts';

/** How fresh the copy is that was searched. */
export const Freshness = Type.Object({
  state: CopyState,
  as_of: instantOrNull('Start of the last complete read.'),
  complete: Type.Boolean({
    description: 'The first full read is done; until then hits are missing.',
  }),
  lag_seconds: countOrNull('Whole seconds since as_of.'),
});
export type Freshness = Wire<typeof Freshness>;

/** There where `freshness` was asked for. */
const recordFreshness = {
  synced_at: Type.Optional(
    instant('When what the copy has of the record was read, or written through Patchbay.'),
  ),
  confirmed_at: Type.Optional(
    instant(
      'When the upstream is known to have had the record so: then, or at the last full read.',
    ),
  ),
};

/** A record that a search found. */
export const SearchHit = Type.Object({
  id: text('The key of the record.'),
  score: Type.Number({ description: 'Relevance; higher is better.' }),
  ...recordFreshness,
  data: anyObject('The searchable fields that were asked for.'),
});
export type SearchHit = Wire<typeof SearchHit>;

/** Whether a count is of all that match, or there are more. */
const CountRelation = oneOfOpen(['exact', 'at_least']);

/** How many records match. */
export const SearchTotal = Type.Object({
  value: count('At most 10,000.'),
  relation: CountRelation,
});
export type SearchTotal = Wire<typeof SearchTotal>;

/** How often a field has which values, over the records that match. */
export const Facet = Type.Object({
  values: Type.Array(
    Type.Object({
      value: Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
      count: count('Records that have it.'),
    }),
    { description: 'The 20 commonest, and of those that are as common the first by their JSON.' },
  ),
  relation: CountRelation,
  other: count('The counts of all other values together.'),
});
export type Facet = Wire<typeof Facet>;

const countMembers = {
  total: Type.Optional(SearchTotal),
  facets: Type.Optional(recordOf(Facet, 'By path.')),
};

const partial = Type.Optional(
  Type.Literal(true, {
    description:
      'The search ended before the page was full, and goes on at the cursor: there may be no hits.',
  }),
);
const hitMembers = {
  hits: Type.Array(SearchHit),
  next_cursor: textOrNull('Cursor of the next page.'),
  took_ms: count('Milliseconds.'),
  partial,
  ...countMembers,
};
const recordMembers = {
  data: Type.Array(anyObject()),
  meta: Type.Object({
    has_more: Type.Boolean(),
    cursor: textOrNull('Cursor of the next page.'),
    took_ms: count('Milliseconds.'),
    partial,
    ...countMembers,
    freshness: Type.Optional(
      Type.Array(Type.Object(recordFreshness), { description: 'Of each record, in their order.' }),
    ),
  }),
};

/** The result of `search`: a page of hits. */
export const SearchResult = Type.Object({ ...hitMembers, sync: Freshness });
export type SearchResult = Wire<typeof SearchResult>;

/** The result of `context_store_search`, as later clients call it: a page of records. */
export const ContextStoreSearchResult = Type.Object({ ...recordMembers, sync: Freshness });
export type ContextStoreSearchResult = Wire<typeof ContextStoreSearchResult>;

/** The result of either on the path of clients of other generations. */
export const BothSearchResults = Type.Object({ ...hitMembers, ...recordMembers, sync: Freshness });

/** A download for callers that ask for JSON; it has no envelope. */
export const InlineFile = Type.Object({
  content_base64: text(),
  content_type: textOrNull('As the upstream says.'),
  size: count('Bytes.'),
  content_range: Type.Optional(text('Of a part of the file: which, as in `bytes 0-9/100`.')),
});
export type InlineFile = Wire<typeof InlineFile>;

/** How the service ran a call. */
export const ExecutionMetadata = Type.Object({
  connector_instance_id: uuid(),
  execution_time_ms: count('Milliseconds.'),
  request_id: uuid(),
  upstream: Type.Optional(text('Set where the upstream is not the real one.')),
});
export type ExecutionMetadata = Wire<typeof ExecutionMetadata>;

const nextParams = orNull(
  anyObject(),
  'Of every list: what to merge into its params for the next page; null at the end.',
);

/** The envelope of every operation but those that answer with a file. */
export const ExecuteAnswer = Type.Object({
  status: Type.Literal('success'),
  result: Type.Unknown({
    description: 'A list of records, one record, or what a search found.',
  }),
  connector_metadata: Type.Object(
    { next_params: Type.Optional(nextParams) },
    {
      description: 'Of a list: its Meta fields, and how it goes on. Else there is nothing in it.',
      additionalProperties: true,
    },
  ),
  execution_metadata: ExecutionMetadata,
  warnings: Type.Optional(Type.Array(Warning, { description: 'There where there are any.' })),
});
export type ExecuteAnswer = Wire<typeof ExecuteAnswer>;

/** The envelope of a list as clients read it: services of version 0.1 do not say how it goes on. */
export const ListAnswer = Type.Object({
  ...ExecuteAnswer.properties,
  result: Type.Array(anyObject()),
  connector_metadata: Type.Object({ next_params: Type.Optional(nextParams) }),
});

/** The envelope of a search. */
export const SearchAnswer = Type.Object({ ...ExecuteAnswer.properties, result: SearchResult });
