import { Effort, type Search } from '@patchbay/connectors/engine';
import type { SearchHit, SearchPage } from '../../contract/copies.ts';
import { findSimilarWords } from '../dictionary.ts';
import type { OpenCopy } from '../open-copy.ts';
import { TermPlaces } from '../term-places.ts';
import { findCandidates } from './candidates.ts';
import type { Wanted } from './wanted.ts';
import type { Compiler } from './compiler.ts';
import { bindingOf, readCursor, writeCursor, type PageEnd } from './cursor.ts';
import { boundsOf, orderOf, type Order } from './order.ts';
import { ROW } from './place.ts';
import { rankAll, rankFew } from './rank-all.ts';
import { readHits, shownAtOnce, type Place } from './read-hits.ts';
import { tiersOf, wholeTier, type ScoredTier, type Tier } from './tiers.ts';
import { fuzzyWords, usedColumns } from './used-fields.ts';

/** What a hit's JSON has besides id and data: names, punctuation, and the score. */
const HIT_OVERHEAD_BYTES = 64;

/**
 * One page of hits.
 *
 * @throws ConnectorError `invalid_cursor`, `search_too_broad`
 */
export async function searchCopy(
  copy: OpenCopy,
  search: Search,
  signal?: AbortSignal,
): Promise<SearchPage> {
  const order = orderOf(copy.table, search.sort);
  const binding = bindingOf(copy, search);
  const { cursor } = search;
  const after =
    cursor === undefined ? undefined : await readCursor(cursor, { copy, binding, order });
  const compiler = await prepareCompiler(copy, search, signal);
  const effort = new Effort(copy.entity, copy.pace.effort);
  return await readPage({ ...copy, search, order, compiler, signal, effort }, after, binding);
}

interface Query extends OpenCopy {
  readonly search: Search;
  readonly order: Order;
  readonly compiler: Compiler;
  readonly signal: AbortSignal | undefined;
  readonly effort: Effort;
}

/** Looks up what the compiler has to know of the copy. */
export async function prepareCompiler(
  copy: OpenCopy,
  { filter }: Pick<Search, 'filter'>,
  signal?: AbortSignal,
): Promise<Compiler> {
  const similar = await findSimilarWords(copy, new Set(fuzzyWords(filter)), signal);
  const places = new TermPlaces(copy.connectorId);
  return { table: copy.table, places, root: ROW, isNegated: false, similar, known: new Map() };
}

async function readPage(
  query: Query,
  after: PageEnd | undefined,
  binding: string,
): Promise<SearchPage> {
  let begin = after;
  for (;;) {
    const { places, hasMore } = await findPlaces(query, begin);
    const { hits, end } = await fillPage(query, places);
    const isLast = end === places.length && !hasMore;
    const last = places[end - 1];
    if (isLast || last === undefined) return { hits, nextCursor: null };
    const pageEnd = {
      ...last.candidate,
      score: query.order.length > 0 ? undefined : last.tier.score,
    };
    // Every row found may have been changed since: then what follows makes the page.
    if (hits.length > 0) {
      return { hits, nextCursor: writeCursor(binding, pageEnd, query.pace.cursorBytes) };
    }
    begin = pageEnd;
  }
}

interface Places {
  readonly places: readonly Place[];
  readonly hasMore: boolean;
}

/** Where the hits of the page are, and whether there are others after them. */
async function findPlaces(query: Query, after: PageEnd | undefined): Promise<Places> {
  const { limit } = query.search;
  const { pageBytes } = query.pace;
  const places: Place[] = [];
  let sortText = 0;
  for await (const place of placesAfter(query, { after, count: limit + 1 })) {
    // Texts that hits are sorted by are held until the page is made.
    if (places.length === limit || sortText > pageBytes) return { places, hasMore: true };
    places.push(place);
    for (const value of place.candidate.values) {
      sortText += typeof value === 'string' ? Buffer.byteLength(value) : 0;
    }
  }
  return { places, hasMore: false };
}

/** So many places, from the end of a page on. */
interface Span {
  readonly after: PageEnd | undefined;
  readonly count: number;
}

async function* placesAfter(query: Query, span: Span): AsyncGenerator<Place> {
  const { search, order, compiler } = query;
  const { after, count } = span;
  const whole = wholeTier(compiler, search.filter);
  if (order.length > 0) {
    yield* placesOf(query, whole, span);
    return;
  }
  const ranking = { filter: search.filter, after, count };
  const tiers = tiersOf(compiler, search.filter);
  if (tiers === undefined) {
    yield* await rankAll(wantedOf(query, whole, undefined), ranking);
    return;
  }
  const [first, ...others] = tiers.filter(({ score }) => score <= (after?.score ?? 1));
  if (first === undefined) return;
  let missing = count;
  let last = after;
  for await (const place of placesOfTier(query, first, span)) {
    missing--;
    last = { ...place.candidate, score: first.score };
    yield place;
  }
  // The best ones alone often are enough; and if not, there may be few of the others, too.
  const isFew = others.length > 0 && whole.predicate.index === 'inverted';
  const few = isFew
    ? await rankFew(wantedOf(query, whole, undefined), { ...ranking, after: last, count: missing })
    : undefined;
  if (few !== undefined) {
    yield* few;
    return;
  }
  for (const tier of others) {
    for await (const place of placesOfTier(query, tier, { after, count: missing })) {
      missing--;
      yield place;
    }
  }
}

function placesOfTier(query: Query, tier: ScoredTier, span: Span): AsyncGenerator<Place> {
  const { after } = span;
  return placesOf(query, tier, { ...span, after: tier.score === after?.score ? after : undefined });
}

async function* placesOf(query: Query, tier: Tier, { after, count }: Span): AsyncGenerator<Place> {
  const wanted = wantedOf(query, tier, after);
  for await (const candidate of findCandidates(wanted, count)) yield { candidate, tier };
}

function wantedOf(query: Query, tier: Tier, after: PageEnd | undefined): Wanted {
  const { table, search, order, compiler } = query;
  const used = usedColumns(table, search.filter);
  return {
    ...query,
    tier,
    used,
    needed: tier.predicate.isExact ? [] : used,
    shown: shownAtOnce(table, search, tier),
    after,
    bounds: boundsOf(compiler, search.filter, order),
  };
}

/** Makes hits until the page is full; `end` counts the places that are done with. */
async function fillPage(
  query: Query,
  places: readonly Place[],
): Promise<{ readonly hits: readonly SearchHit[]; readonly end: number }> {
  const hits: SearchHit[] = [];
  let bytes = 0;
  let end = 0;
  for await (const next of readHits(query, places)) {
    const { id, data } = next.hit;
    bytes += HIT_OVERHEAD_BYTES + JSON.stringify(id).length + Buffer.byteLength(data);
    if (hits.length > 0 && bytes > query.pace.pageBytes) return { hits, end };
    hits.push(next.hit);
    end = next.end;
  }
  return { hits, end: places.length };
}
