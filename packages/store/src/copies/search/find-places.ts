import { TimeSlices } from '../../time-slices.ts';
import type { PageEnd } from './order/cursor.ts';
import { usedColumns } from './filter/used-fields.ts';
import { boundsOf } from './order/segments.ts';
import type { PageQuery } from './page-query.ts';
import { findCandidates, type BegunWalk } from './rows/find-candidates.ts';
import { bestPlaces, probeScores, rankAll, rankFew, type ScoreProbe } from './rows/rank-all.ts';
import { shownAtOnce, type HitPlace } from './rows/read-hits.ts';
import type { FirstLook, RowQuery } from './rows/row-query.ts';
import { UNSEEN } from './rows/ways.ts';
import { tiersOf, wholeTier, type ScoredTier, type Tier } from './tiers/tiers.ts';

interface FoundPlaces {
  readonly places: readonly HitPlace[];
  readonly hasMore: boolean;
  /** Up to where it is known that there are no others, where the search was over before its end. */
  readonly stoppedAt?: PageEnd;
  readonly seen: SeenRows;
}

/** What finding some rows told of all that match. */
export interface SeenRows {
  readonly firstLook?: FirstLook;
  /** How many there are. */
  readonly total?: number;
}

/** How far the search has come: whatever is wanted up to there has been found. */
interface Reached {
  position: PageEnd | undefined;
  seen: SeenRows;
}

/** Where the hits of the page are, and whether there are others after them. */
export async function findPlaces(
  query: PageQuery,
  after: PageEnd | undefined,
): Promise<FoundPlaces> {
  const { limit } = query.search;
  const { pageBytes } = query.pace;
  const places: HitPlace[] = [];
  const reached: Reached = { position: after, seen: {} };
  let sortText = 0;
  try {
    for await (const place of placesAfter({ ...query, reached }, { after, count: limit + 1 })) {
      // Texts that hits are sorted by are held until the page is made.
      if (places.length === limit || sortText > pageBytes)
        return { places, hasMore: true, seen: reached.seen };
      places.push(place);
      for (const value of place.candidate.values) {
        sortText += typeof value === 'string' ? Buffer.byteLength(value) : 0;
      }
    }
  } catch (error) {
    const { position } = reached;
    // To begin again where it began would not get further, ever.
    if (position === undefined || position === after || !query.isPartialAfter(error)) throw error;
    return { places, hasMore: true, stoppedAt: position, seen: reached.seen };
  }
  return { places, hasMore: false, seen: reached.seen };
}

interface PlaceQuery extends PageQuery {
  readonly reached: Reached;
}

/** So many places, from the end of a page on. */
interface Span {
  readonly after: PageEnd | undefined;
  readonly count: number;
}

async function* placesAfter(query: PlaceQuery, span: Span): AsyncGenerator<HitPlace> {
  const { search, order, compiler, signal } = query;
  const { after, count } = span;
  const slices = new TimeSlices(signal);
  const whole = await slices.finish(wholeTier(compiler, search.filter));
  if (order.length > 0) {
    yield* placesInTier(query, whole, { ...span, isAll: true });
    return;
  }
  const tiers = await slices.finish(tiersOf(compiler, search.filter, whole));
  if (tiers === undefined) {
    const ranking = { filter: search.filter, after, count };
    yield* await rankAll(rowQueryOf(query, whole, undefined), ranking);
    return;
  }
  const asked = tiers.filter(({ score }) => score <= (after?.score ?? 1));
  const [last, ...others] = asked.toReversed();
  if (last === undefined) return;
  const isAll = tiers.length === 1;
  if (others.length === 0) yield* placesOfScore(query, last, { ...span, isAll });
  else yield* placesInTiers(query, { whole, tiers: asked }, span);
}

interface TiersOfQuery {
  readonly whole: Tier;
  readonly tiers: readonly ScoredTier[];
}

/** Nobody knows which scores are frequent; so the first rows are looked at for all of them at once. */
async function* placesInTiers(
  query: PlaceQuery,
  { whole, tiers }: TiersOfQuery,
  { after, count }: Span,
): AsyncGenerator<HitPlace> {
  const { filter } = query.search;
  const ranking = { filter, after, count };
  const all = rowQueryOf(query, whole, undefined);
  const probe = await probeScores(all, filter);
  query.reached.seen = { firstLook: { walked: probe.walked, taken: probe.ranked.length } };
  if (probe.end === undefined) {
    yield* bestPlaces(probe.ranked, whole, ranking);
    return;
  }
  const isInverted = whole.predicate.index === 'inverted';
  const few =
    isInverted && isRankedBetter(query, probe, tiers.length)
      ? await rankFew(all, ranking)
      : undefined;
  if (few !== undefined) {
    yield* few;
    return;
  }
  let missing = count;
  for (const tier of tiers) {
    if (tier.score !== after?.score) query.reached.position = beginOf(tier);
    const alike = probe.ranked.filter(({ score }) => score === tier.score);
    const begun: BegunWalk = {
      candidates: alike.map(({ candidate }) => candidate),
      walked: probe.walked,
      taken: alike.length,
      toFetch: alike.length,
      end: probe.end,
    };
    for await (const place of placesOfScore(query, tier, { after, count: missing, begun })) {
      missing--;
      yield place;
    }
    if (missing <= 0) return;
  }
}

/** Before its first row: no record key is empty. */
function beginOf({ score }: ScoredTier): PageEnd {
  return { score, values: [], key: '' };
}

/** Whether all that match may be so few that to score them takes less than a statement for each score. */
function isRankedBetter(
  { pace }: PlaceQuery,
  { ranked, walked }: ScoreProbe,
  tiers: number,
): boolean {
  const expected = (Math.max(ranked.length, UNSEEN.taken) * pace.assumedRows) / walked;
  return expected <= SCORED * (tiers - 1) || (ranked.length <= RARE && tiers > FEW_TIERS);
}

/** Rows that are scored in the time of a statement. */
const SCORED = 50;
/** Of the first rows so many match at most where all that match may be few, however many rows there are. */
const RARE = 1;
/** Fewer tiers are looked at one after another, where nothing says that few rows match. */
const FEW_TIERS = 4;

/** So many places of a tier, from the end of a page on, which may be in a better tier. */
interface TierSpan extends Span {
  readonly begun?: BegunWalk;
  /** All that match are in this tier. */
  readonly isAll?: boolean;
}

function placesOfScore(
  query: PlaceQuery,
  tier: ScoredTier,
  span: TierSpan,
): AsyncGenerator<HitPlace> {
  const { after } = span;
  return placesInTier(query, tier, {
    ...span,
    after: tier.score === after?.score ? after : undefined,
  });
}

async function* placesInTier(
  query: PlaceQuery,
  tier: Tier,
  { after, count, begun, isAll = false }: TierSpan,
): AsyncGenerator<HitPlace> {
  const rows = { ...rowQueryOf(query, tier, after), ...(isAll && seeing(query)) };
  for await (const candidate of findCandidates(rows, count, begun)) yield { candidate, tier };
}

/** Notes what is found out of all that match. */
function seeing({ reached }: PlaceQuery): Pick<RowQuery, 'onFirstLook' | 'onTotal'> {
  return {
    onFirstLook: (firstLook) => {
      reached.seen = { ...reached.seen, firstLook };
    },
    onTotal: (total) => {
      reached.seen = { ...reached.seen, total };
    },
  };
}

function rowQueryOf(query: PlaceQuery, tier: Tier, after: PageEnd | undefined): RowQuery {
  const { table, search, order, compiler } = query;
  const used = usedColumns(table, search.filter);
  return {
    ...query,
    onJudged: (row) => {
      query.reached.position = { ...row, score: tier.score };
    },
    tier,
    used,
    needed: tier.predicate.isExact ? [] : used,
    shown: shownAtOnce(table, search, tier),
    after,
    bounds: boundsOf(compiler, search.filter, order),
  };
}
