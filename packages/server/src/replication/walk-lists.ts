import { ConnectorError, isConnectorError } from '@patchbay/connectors';
import type { CopiedRecord, CopyDrift, EntityRead, ReadPage } from '@patchbay/connectors/engine';
import type { CopiedParent, CopiedParents } from './copied-parents.ts';
import type { HeldPage, PagesOfWalk } from './large-pages.ts';
import type { Patience } from './patience.ts';
import type { ReadPosition } from './read-position.ts';
import type { Turn } from './turns.ts';

/** What a read of an entity got with one page. */
export interface ReadStep {
  readonly records: readonly CopiedRecord[];
  readonly deletedKeys: readonly string[];
  /** What the records have that the copy does not take, where there is any. */
  readonly drift?: CopyDrift | undefined;
  /** Upstream pages. */
  readonly pages: number;
  /** By the database's clock, no later than the request went out that brought the page. */
  readonly askedAt: Date;
  /** Where the read goes on after it. */
  readonly position: ReadPosition;
  /** What the page takes up; absent where there is none. */
  readonly held?: Pick<HeldPage, 'sizeBytes' | 'release'>;
}

export interface ListWalk {
  readonly from: ReadPosition;
  /** One list for each of them; `undefined` for a single one. */
  readonly parents: Pick<CopiedParents, 'fetch' | 'isNew' | 'copiedOf'> | undefined;
  readonly read: Pick<EntityRead, 'readPage' | 'hidden'>;
  readonly pages: Pick<PagesOfWalk, 'begin'>;
  readonly caller: string;
  readonly signal: AbortSignal;
  readonly turn: Pick<Turn, 'answered' | 'ready' | 'requireTime' | 'rest'>;
  readonly patience: Pick<Patience, 'limits' | 'outlasts' | 'recover' | 'resume'>;
  /** An instant of the database's clock, no later than now. */
  readonly databaseAt: () => Date;
  /** Told of trouble before it is waited for. */
  readonly tellTrouble: (trouble: ConnectorError) => Promise<void>;
}

/** A list that cannot be gone on with in its middle is begun so often in one walk. */
const MAX_BEGINNINGS = 5;
/** What is refused besides, one after another, leaves the copy with a later read. */
const MAX_REFUSED = 500;
/** So many lists that are forbidden, and none before them that was read, are enough to tell that all are. */
const MOST_FORBIDDEN = 20;
/** An upstream takes its time to show what it hid. */
const HIDDEN_LONGER_MS = 5_000;

/**
 * Reads the lists of an entity page by page, each step with where to go on behind it.
 *
 * @throws what `readPage` throws, once patience is at its end; StoppedError `turn_over` between two pages.
 */
export async function* walkLists(walk: ListWalk): AsyncGenerator<ReadStep, void, undefined> {
  await walk.patience.resume(walk);
  if (walk.parents === undefined) {
    if (!walk.from.isAtEnd) yield* walkList(walk, walk.from, undefined);
    return;
  }
  let position = walk.from;
  // As many parents as one statement gives; what is read meanwhile may bring more behind them.
  for (;;) {
    const parents = await walk.parents.fetch(position.after);
    if (parents.length === 0) break;
    for (const parent of parents) {
      // Another one may have come between; then the list that was begun has its turn after it.
      if (position.parent !== parent.key)
        position = { ...position, parent: parent.key, list: null };
      position = parent.isLost
        ? yield* walkLost(walk, position, parent)
        : yield* walkList(walk, position, parent);
      walk.turn.requireTime();
    }
  }
  yield* settleDoubt(walk, position);
}

/**
 * Where the last lists were refused, asks again for one that could be read before: the right may have gone in the
 * middle of the read, which then has not seen what it seems to.
 */
async function* settleDoubt(
  walk: ListWalk,
  position: ReadPosition,
): AsyncGenerator<ReadStep, void, undefined> {
  const { readable, isInDoubt, refused } = position;
  if (!isInDoubt || readable === null) return;
  const askedAt = walk.databaseAt();
  const answer = await probe(walk, readable);
  if (answer === 'refused') return;
  if (answer === 'read') yield* deleteLists(walk, position, refused);
  const settled = { ...position, isInDoubt: false, refused: [] };
  yield { records: [], deletedKeys: [], pages: 1, askedAt, position: settled };
}

async function probe(
  walk: ListWalk,
  parent: CopiedParent['values'],
): Promise<'read' | 'refused' | 'gone'> {
  // None of its records are committed; but until they are dropped it takes as much memory as any page.
  const held = walk.pages.begin();
  try {
    const { page } = await readPageAt(walk, { parent, position: null }, held);
    if (page.isGone === true) return 'gone';
    return page.isRefused === true ? 'refused' : 'read';
  } catch (error) {
    // That list has gone meanwhile, which says nothing of others.
    if (isConnectorError(error, 'record_not_found')) return 'gone';
    throw error;
  } finally {
    held.release();
  }
}

/** Nothing is asked for: what the copy has of the list goes, and comes back as a new one. */
async function* walkLost(
  walk: ListWalk,
  from: ReadPosition,
  { key, values }: CopiedParent,
): AsyncGenerator<ReadStep, ReadPosition, undefined> {
  // Should it come back before all has been deleted, it is a new one as well.
  const begun = { ...from, list: null, whole: withKey(from.whole, key) };
  yield* deleteLists(walk, begun, [values]);
  const position = { ...begun, after: key, parent: null, whole: withoutKey(begun.whole, key) };
  yield { records: [], deletedKeys: [], pages: 0, askedAt: walk.databaseAt(), position };
  return position;
}

function withKey(keys: readonly string[], key: string): readonly string[] {
  return keys.includes(key) ? keys : [...keys, key];
}

function withoutKey(keys: readonly string[], key: string): readonly string[] {
  return keys.filter((each) => each !== key);
}

/** What the copy has of lists that cannot be read any more; of what is left off in between all is done anew. */
async function* deleteLists(
  { parents, databaseAt }: ListWalk,
  position: ReadPosition,
  lists: readonly CopiedParent['values'][],
): AsyncGenerator<ReadStep, void, undefined> {
  if (parents === undefined) return;
  for (const values of lists)
    for (let after: string | undefined; ;) {
      const deletedKeys = await parents.copiedOf(values, after);
      after = deletedKeys.at(-1);
      if (after === undefined) break;
      yield { records: [], deletedKeys, pages: 0, askedAt: databaseAt(), position };
    }
}

/** Returns the position behind the list. */
async function* walkList(
  walk: ListWalk,
  from: ReadPosition,
  parent: CopiedParent | undefined,
): AsyncGenerator<ReadStep, ReadPosition, undefined> {
  const begun = await beginning(walk, from, parent);
  const start = { ...begun, list: null, hiddenAt: null };
  const end =
    parent === undefined
      ? { ...start, isAtEnd: true }
      : { ...start, after: parent.key, parent: null, whole: withoutKey(begun.whole, parent.key) };
  let at = begun;
  // Where a walk goes on after this one: behind `at` while the list cannot be left where it is.
  let resumed = begun;
  let hasBegunAnew = false;
  let beginnings = 1;
  // Every turn asks for one page: the next; the same again, when trouble of the upstream may have
  // passed, or where the list cannot be asked so, its first again; or the first, once, where the
  // upstream takes the cursor that it gave no more.
  for (;;) {
    const nothing = { records: [], deletedKeys: [], pages: 0, askedAt: walk.databaseAt() };
    let asked: AskedPage;
    await untilShown(walk, at);
    try {
      asked = await readPageUnlessForbidden(walk, at, parent);
    } catch (error) {
      const isExpired = isConnectorError(error, 'invalid_cursor') && at.list !== null;
      if (at !== resumed) {
        if (beginnings === MAX_BEGINNINGS) throw error;
        if (!isExpired && !(await walk.patience.outlasts(error, walk))) throw error;
        beginnings += 1;
        at = resumed;
        continue;
      }
      if (await walk.patience.outlasts(error, walk)) continue;
      if (isConnectorError(error, 'record_not_found') && parent !== undefined) {
        const position = behindGone(at, end);
        yield { ...nothing, position };
        return position;
      }
      if (isExpired && !hasBegunAnew) {
        hasBegunAnew = true;
        at = start;
        resumed = start;
        continue;
      }
      // The next read begins this list anew: it cannot be gone on with where it is.
      if (isExpired || isConnectorError(error, 'upstream_contract_broken'))
        yield { ...nothing, position: start };
      throw error;
    }
    const { page, askedAt, held } = asked;
    if (page.isGone === true) {
      // Where no list at all is there, nobody knows whether they have all gone.
      const position = { ...behindGone(at, end), hasRefused: true };
      yield { ...nothing, position, held };
      return position;
    }
    if (page.isRefused === true && at.list !== null && parent !== undefined) {
      yield { ...nothing, position: { ...start, whole: withKey(start.whole, parent.key) } };
      throw brokenOff();
    }
    const hidden = page.next === null ? hiddenAfter(walk, at, askedAt) : undefined;
    const { records, deletedKeys = [], drift, resumeAt = page.next } = page;
    const next = hidden?.list ?? page.next;
    const flags =
      page.isRefused === true
        ? await refusedAfter(walk, at, { parent, isForbidden: asked.isForbidden === true })
        : readAfter(at, parent);
    // They were refused, and not the credentials as a whole.
    if (flags.refused.length === 0) yield* deleteLists(walk, resumed, at.refused);
    at = next === null ? { ...end, ...flags } : { ...at, ...flags, ...hidden, list: next };
    resumed = resumeAt === page.next ? at : { ...at, list: resumeAt };
    yield { records, deletedKeys, drift, pages: 1, askedAt, position: resumed, held };
    if (next === null) return at;
    // Not before the first page: however slow the upstream is, every turn gets further. A list that
    // cannot be left where it is keeps its turn to the end: it would begin anew with the next one.
    if (at === resumed) walk.turn.requireTime();
  }
}

/** Behind the list of a parent that has gone upstream since it was copied: nothing else is known by that. */
function behindGone(
  { hasRead, hasRefused, forbidden, readable, isInDoubt, refused }: ReadPosition,
  end: ReadPosition,
): ReadPosition {
  return { ...end, hasRead, hasRefused, forbidden, readable, isInDoubt, refused };
}

/** Where the end of a list is that its upstream hides yet; `undefined` where it has been read, or none is looked for. */
function hiddenAfter(
  { read: { hidden }, databaseAt }: ListWalk,
  { hiddenAt }: ReadPosition,
  askedAt: Date,
): Pick<ReadPosition, 'list' | 'hiddenAt'> | undefined {
  if (hiddenAt !== null || hidden?.positionAfter === undefined) return undefined;
  return { list: hidden.positionAfter(askedAt), hiddenAt: databaseAt().toISOString() };
}

/** Waits for that, as a rest. Where too many rest, it is read at once: what it lacks comes back with the next increment. */
async function untilShown(
  { read: { hidden }, turn, databaseAt, signal }: ListWalk,
  { hiddenAt }: ReadPosition,
): Promise<void> {
  if (hiddenAt === null || hidden === undefined) return;
  const mostMs = hidden.forMs + HIDDEN_LONGER_MS;
  const leftMs = Date.parse(hiddenAt) + mostMs - databaseAt().getTime();
  // A clock that was set back meanwhile would have it wait for long.
  if (leftMs > 0) await turn.rest(Math.min(leftMs, mostMs), signal);
}

/** A list that the copy knows nothing of is read whole, also where that is interrupted, and begun anew. */
async function beginning(
  { parents }: ListWalk,
  from: ReadPosition,
  parent: CopiedParent | undefined,
): Promise<ReadPosition> {
  if (parent === undefined || from.list !== null) return from;
  const isNew = (await parents?.isNew(parent)) === true;
  return isNew ? { ...from, whole: withKey(from.whole, parent.key) } : from;
}

interface AskedPage {
  readonly page: ReadPage;
  readonly askedAt: Date;
  readonly held: HeldPage;
  readonly isForbidden?: true;
}

/**
 * Whom an upstream forbids all of an entity, it forbids each of its lists; but it may be this one alone. So it counts as
 * refused where others were read, and at first, until there are too many of them.
 */
async function readPageUnlessForbidden(
  walk: ListWalk,
  at: ReadPosition,
  parent: CopiedParent | undefined,
): Promise<AskedPage> {
  const askedAt = walk.databaseAt();
  const held = walk.pages.begin();
  const isNew = parent !== undefined && at.whole.includes(parent.key);
  const place = { parent: parent?.values, position: at.list, isNew };
  try {
    return { ...(await readPageAt(walk, place, held)), held };
  } catch (error) {
    held.release();
    if (parent === undefined || !isConnectorError(error, 'upstream_forbidden')) throw error;
    if (!at.hasRead && at.forbidden >= MOST_FORBIDDEN) throw error;
    return { page: { records: [], next: null, isRefused: true }, askedAt, held, isForbidden: true };
  }
}

async function readPageAt(
  { read, caller, signal, turn, patience, databaseAt }: ListWalk,
  place: Parameters<EntityRead['readPage']>[0],
  held: HeldPage,
): Promise<Pick<AskedPage, 'page' | 'askedAt'>> {
  // It may have had to wait, or to be sent again: what we wrote before that, the page knows.
  let askedAt = databaseAt();
  const onUnderWay = (isUnderWay: boolean) => {
    held.restart();
    if (isUnderWay) askedAt = databaseAt();
  };
  await turn.ready(signal);
  const watch = { onUnderWay, onBytes: held.take };
  const answer = read.readPage(place, { caller, signal, ...watch, ...patience.limits });
  const page = await turn.answered(answer, signal, () => held.isLarge);
  patience.recover();
  return { page, askedAt };
}

/** What came of the list so far is no whole list; the next read is refused at its beginning, or gets all of it. */
function brokenOff(): ConnectorError<'upstream_unavailable'> {
  return new ConnectorError(
    'upstream_unavailable',
    {},
    { message: 'A list was refused in its middle; the next read begins it anew.' },
  );
}

type Flags = Pick<
  ReadPosition,
  'hasRead' | 'hasRefused' | 'forbidden' | 'readable' | 'isInDoubt' | 'refused'
>;

function readAfter(
  { hasRefused, forbidden }: ReadPosition,
  parent: CopiedParent | undefined,
): Flags {
  const readable = parent?.values ?? null;
  return { hasRead: true, hasRefused, forbidden, readable, isInDoubt: false, refused: [] };
}

async function refusedAfter(
  { parents }: ListWalk,
  { hasRead, forbidden, readable, refused }: ReadPosition,
  list: { readonly parent: CopiedParent | undefined; readonly isForbidden: boolean },
): Promise<Flags> {
  const { parent, isForbidden } = list;
  const isNoted =
    parent !== undefined &&
    refused.length < MAX_REFUSED &&
    (await parents?.copiedOf(parent.values))?.length !== 0;
  return {
    hasRead,
    hasRefused: true,
    forbidden: isForbidden ? forbidden + 1 : forbidden,
    readable,
    isInDoubt: readable !== null,
    refused: isNoted ? [...refused, parent.values] : refused,
  };
}
