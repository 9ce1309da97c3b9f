import type { Search } from '@patchbay/connectors';
import type { Database } from '../../database.ts';
import type { CopyId, SearchHit, SearchPage } from '../contract.ts';
import type { CopyContext } from '../copy-context.ts';
import { findSimilarWords } from '../dictionary.ts';
import { TermPlaces } from '../term-places.ts';
import { findCandidates } from './candidates.ts';
import type { Wanted } from './wanted.ts';
import type { Compiler } from './compiler.ts';
import { bindingOf, readCursor, writeCursor, type PageEnd } from './cursor.ts';
import { boundsOf, orderOf, type Order } from './order.ts';
import { rankAll, rankFew } from './rank-all.ts';
import { readHits, shownAtOnce, type Place } from './read-hits.ts';
import type { SearchPace } from './search-pace.ts';
import { tiersOf, wholeTier, type ScoredTier, type Tier } from './tiers.ts';
import { fuzzyWords, usedColumns } from './used-fields.ts';

/** What a hit's JSON has besides id and data: names, punctuation, and the score. */
const HIT_OVERHEAD_BYTES = 64;

/**
 * One page of hits.
 *
 * @throws ConnectorError `invalid_cursor`
 */
export async function searchCopy(
  database: Database,
  context: CopyContext,
  copy: CopyId,
  search: Search,
  signal?: AbortSignal,
): Promise<SearchPage> {
  const table = context.tables.of(copy);
  const order = orderOf(table, search.sort);
  const binding = bindingOf(copy, search);
  const after =
    search.cursor === undefined
      ? undefined
      : readCursor(search.cursor, binding, copy, { order, hasScores: order.length === 0 });
  const compiler = await prepareCompiler(database, context, copy, search, signal);
  const query = { copy, search, order, compiler, pace: context.pace, signal };
  return await readPage(database, query, after, binding);
}

interface Query {
  readonly copy: CopyId;
  readonly search: Search;
  readonly order: Order;
  readonly compiler: Compiler;
  readonly pace: SearchPace;
  readonly signal: AbortSignal | undefined;
}

/** Looks up what the compiler has to know of the copy. */
export async function prepareCompiler(
  database: Database,
  { tables }: CopyContext,
  copy: CopyId,
  { filter }: Pick<Search, 'filter'>,
  signal?: AbortSignal,
): Promise<Compiler> {
  const words = new Set(fuzzyWords(filter));
  const similar = await findSimilarWords(database, copy, words, signal);
  const places = new TermPlaces(copy.connectorId);
  return { table: tables.of(copy), places, similar, known: new Map() };
}

async function readPage(
  database: Database,
  query: Query,
  after: PageEnd | undefined,
  binding: string,
): Promise<SearchPage> {
  let begin = after;
  for (;;) {
    const { places, hasMore } = await findPlaces(database, query, begin);
    const { hits, end } = await fillPage(database, query, places);
    const isLast = end === places.length && !hasMore;
    const last = places[end - 1];
    if (isLast || last === undefined) return { hits, nextCursor: null };
    const pageEnd = {
      ...last.candidate,
      score: query.order.length > 0 ? undefined : last.tier.score,
    };
    // Every row found may have been changed since: then what follows makes the page.
    if (hits.length > 0) return { hits, nextCursor: writeCursor(binding, pageEnd) };
    begin = pageEnd;
  }
}

interface Places {
  readonly places: readonly Place[];
  readonly hasMore: boolean;
}

/** Where the hits of the page are, and whether there are others after them. */
async function findPlaces(
  database: Database,
  query: Query,
  after: PageEnd | undefined,
): Promise<Places> {
  const { limit } = query.search;
  const { pageBytes } = query.pace;
  const places: Place[] = [];
  let sortText = 0;
  for await (const place of placesAfter(database, query, after, limit + 1)) {
    // Texts that hits are sorted by are held until the page is made.
    if (places.length === limit || sortText > pageBytes) return { places, hasMore: true };
    places.push(place);
    for (const value of place.candidate.values) {
      sortText += typeof value === 'string' ? Buffer.byteLength(value) : 0;
    }
  }
  return { places, hasMore: false };
}

async function* placesAfter(
  database: Database,
  query: Query,
  after: PageEnd | undefined,
  count: number,
): AsyncGenerator<Place> {
  const { search, order, compiler } = query;
  const whole = wholeTier(compiler, search.filter);
  if (order.length > 0) {
    yield* placesOf(database, query, whole, after, count);
    return;
  }
  const ranking = { filter: search.filter, after, count };
  const tiers = tiersOf(compiler, search.filter);
  if (tiers === undefined) {
    yield* await rankAll(database, wantedOf(query, whole, undefined), ranking);
    return;
  }
  const [first, ...others] = tiers.filter(({ score }) => score <= (after?.score ?? 1));
  if (first === undefined) return;
  let missing = count;
  let last = after;
  for await (const place of placesOfTier(database, query, first, after, count)) {
    missing--;
    last = { ...place.candidate, score: first.score };
    yield place;
  }
  // The best ones alone often are enough; and if not, there may be few of the others, too.
  const isFew = others.length > 0 && whole.predicate.index === 'inverted';
  const few = isFew
    ? await rankFew(database, wantedOf(query, whole, undefined), {
        ...ranking,
        after: last,
        count: missing,
      })
    : undefined;
  if (few !== undefined) {
    yield* few;
    return;
  }
  for (const tier of others) {
    for await (const place of placesOfTier(database, query, tier, after, missing)) {
      missing--;
      yield place;
    }
  }
}

async function* placesOfTier(
  database: Database,
  query: Query,
  tier: ScoredTier,
  after: PageEnd | undefined,
  count: number,
): AsyncGenerator<Place> {
  yield* placesOf(database, query, tier, tier.score === after?.score ? after : undefined, count);
}

async function* placesOf(
  database: Database,
  query: Query,
  tier: Tier,
  after: PageEnd | undefined,
  count: number,
): AsyncGenerator<Place> {
  const wanted = wantedOf(query, tier, after);
  for await (const candidate of findCandidates(database, wanted, count)) yield { candidate, tier };
}

function wantedOf(query: Query, tier: Tier, after: PageEnd | undefined): Wanted {
  const { copy, search, order, compiler, pace, signal } = query;
  const { table } = compiler;
  const used = usedColumns(table, search.filter);
  return {
    connectorId: copy.connectorId,
    table,
    tier,
    used,
    needed: tier.predicate.isExact ? [] : used,
    shown: shownAtOnce(table, search, tier),
    order,
    after,
    bounds: boundsOf(compiler, search.filter, order),
    pace,
    signal,
  };
}

/** Makes hits until the page is full; `end` counts the places that are done with. */
async function fillPage(
  database: Database,
  { copy, search, compiler, pace, signal }: Query,
  places: readonly Place[],
): Promise<{ readonly hits: readonly SearchHit[]; readonly end: number }> {
  const { table } = compiler;
  const hits: SearchHit[] = [];
  let bytes = 0;
  let end = 0;
  const source = { connectorId: copy.connectorId, table, search, signal };
  for await (const next of readHits(database, source, places)) {
    const { id, data } = next.hit;
    bytes += HIT_OVERHEAD_BYTES + JSON.stringify(id).length + Buffer.byteLength(data);
    if (hits.length > 0 && bytes > pace.pageBytes) return { hits, end };
    hits.push(next.hit);
    end = next.end;
  }
  return { hits, end: places.length };
}
