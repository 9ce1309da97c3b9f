import { isConnectorError } from '@patchbay/connectors';
import { compareCodePoints, Effort, type Counts, type Search } from '@patchbay/connectors/engine';
import type { SearchHit, SearchPage, SearchTime } from '../../contract/copies.ts';
import type { Database } from '../../database.ts';
import type { OpenCopy } from '../open-copy.ts';
import { countMatches, type SeenOfMatches } from './counts/count-matches.ts';
import { findPlaces } from './find-places.ts';
import { bindingOf, readCursor, writeCursor, type PageEnd } from './order/cursor.ts';
import { orderOf } from './order/order.ts';
import { prepareCompiler, type PageQuery } from './page-query.ts';
import { readHits, type HitPlace, type HitSource } from './rows/read-hits.ts';

/** What a hit's JSON has besides id and data: names, punctuation, and the score. */
const HIT_OVERHEAD_BYTES = 64;
/** And what it has where it tells when it was read. */
const FRESHNESS_BYTES = 80;

/** What ends a search before its end. */
export interface SearchBounds {
  /** Aborts where nobody waits for it any more. */
  readonly signal?: AbortSignal;
  readonly time?: SearchTime;
  /** How many records the copy has, roughly; as many as its pace assumes unless said. */
  readonly recordCount?: number;
  /** Connections whose statements end with a signal; those of the copy unless said. */
  readonly connect?: (signal: AbortSignal | undefined) => Database;
}

/**
 * One page of hits, and what is counted of all that match.
 *
 * @throws ConnectorError `invalid_cursor`; `search_too_broad` and `upstream_timeout`, unless hits
 * found until then will do, and it is known that they come first.
 */
export async function searchCopy(
  copy: OpenCopy,
  search: Search,
  { signal, time, recordCount, connect = () => copy.database }: SearchBounds = {},
): Promise<SearchPage> {
  const assumedRows = Math.max(1, recordCount ?? copy.pace.assumedRows);
  const { effort: most } = copy.pace;
  const effort = new Effort(copy.entity, { most, allowsPartial: search.allowsPartial });
  const until = time === undefined ? signal : firstToAbort(time.signal, signal);
  const isOutOfTime = (error: unknown) =>
    time?.signal.aborted === true && error === time.signal.reason;
  const finding = {
    ...copy,
    pace: { ...copy.pace, assumedRows },
    database: connect(until),
    search,
    signal: until,
    effort,
    isPartialAfter: (error: unknown) =>
      search.allowsPartial && (isOutOfTime(error) || isConnectorError(error, 'search_too_broad')),
  };
  // What was found until the time was over is worth reading, for as long again.
  const reading = search.allowsPartial
    ? {
        ...finding,
        database: connect(signal),
        signal,
        effort: undefined,
        longestMs: time?.timeoutMs,
      }
    : { ...finding, longestMs: undefined };
  try {
    return await findPage(finding, reading);
  } catch (error) {
    if (time === undefined || !isOutOfTime(error)) throw error;
    throw effort.outOfTime(time.timeoutMs, error);
  }
}

function firstToAbort(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? one : AbortSignal.any([one, other]);
}

/** What hits are made with of the places that have been found. */
interface Reading extends HitSource {
  /** After so long, the page ends with the hits that it has. */
  readonly longestMs: number | undefined;
}

async function findPage(
  finding: Omit<PageQuery, 'order' | 'compiler'>,
  reading: Reading,
): Promise<SearchPage> {
  const { search, signal } = finding;
  const { cursor } = search;
  const order = orderOf(finding.table, search.sort);
  const binding = bindingOf(finding, search);
  const begin =
    cursor === undefined ? undefined : await readCursor(cursor, { copy: finding, binding, order });
  const compiler = await prepareCompiler(finding, search, signal);
  const query = { ...finding, order, compiler };
  const { seen, ...page } = await readPage(query, reading, { begin, binding });
  return { ...page, ...(await countAll(query, seen)) };
}

/** Nothing where there is no time left for it, if a part is better than an error. */
async function countAll(
  query: PageQuery,
  seen: SeenOfMatches,
): Promise<Counts & { readonly isPartial?: true }> {
  try {
    return await countMatches(query, seen);
  } catch (error) {
    if (!query.isPartialAfter(error)) throw error;
    return { isPartial: true };
  }
}

async function readPage(
  query: PageQuery,
  reading: Reading,
  { begin: after, binding }: { readonly begin: PageEnd | undefined; readonly binding: string },
): Promise<SearchPage & { readonly seen: SeenOfMatches }> {
  let begin = after;
  for (;;) {
    const { places, hasMore, stoppedAt, seen: seenRows } = await findPlaces(query, begin);
    const isAll = begin === undefined && !hasMore;
    const seen = { ...seenRows, keys: isAll ? distinctKeysOf(places) : undefined };
    const { hits, end, isOver } = await fillPage(reading, places);
    const isWhole = end === places.length;
    const isStopped = isWhole && stoppedAt !== undefined;
    const isPartial = isStopped || isOver;
    const pageEnd = isStopped ? stoppedAt : endOf(query, places[end - 1]);
    if (pageEnd === undefined || (isWhole && !hasMore)) {
      return { hits, nextCursor: null, isPartial: false, seen };
    }
    // Every row found may have been changed since: then what follows makes the page.
    if (hits.length > 0 || isPartial) {
      const nextCursor = writeCursor(binding, pageEnd, query.pace.cursorBytes);
      return { hits, nextCursor, isPartial, seen };
    }
    begin = pageEnd;
  }
}

/** In their order, each once: one that was changed meanwhile may have been found again with another score. */
function distinctKeysOf(places: readonly HitPlace[]): readonly string[] {
  const keys = new Set(places.map(({ candidate }) => candidate.key));
  return [...keys].toSorted(compareCodePoints);
}

function endOf({ order }: PageQuery, last: HitPlace | undefined): PageEnd | undefined {
  return last && { ...last.candidate, score: order.length > 0 ? undefined : last.tier.score };
}

interface FilledPage {
  readonly hits: readonly SearchHit[];
  /** How many of the places are done with. */
  readonly end: number;
  /** The time was over before the page was full. */
  readonly isOver: boolean;
}

/** Makes hits until the page is full, one at least. */
async function fillPage(source: Reading, places: readonly HitPlace[]): Promise<FilledPage> {
  const { pace, longestMs = Infinity } = source;
  const endsAt = performance.now() + longestMs;
  const hits: SearchHit[] = [];
  let bytes = 0;
  let end = 0;
  for await (const next of readHits(source, places)) {
    const { id, data } = next.hit;
    if (source.search.tellsFreshness) bytes += FRESHNESS_BYTES;
    bytes += HIT_OVERHEAD_BYTES + JSON.stringify(id).length + Buffer.byteLength(data);
    if (hits.length > 0 && bytes > pace.pageBytes) return { hits, end, isOver: false };
    hits.push(next.hit);
    end = next.end;
    if (end < places.length && performance.now() > endsAt) return { hits, end, isOver: true };
  }
  return { hits, end: places.length, isOver: false };
}
