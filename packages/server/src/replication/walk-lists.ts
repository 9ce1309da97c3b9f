import { isConnectorError, type ConnectorError } from '@patchbay/connectors';
import type { CopiedRecord, CopyDrift, EntityRead, ReadPage } from '@patchbay/connectors/engine';
import type { CopiedParent, CopiedParents } from './copied-parents.ts';
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
  /** By the database's clock, no later than the page was asked for. */
  readonly askedAt: Date;
  /** Where the read goes on after it. */
  readonly position: ReadPosition;
}

export interface ListWalk {
  readonly from: ReadPosition;
  /** One list for each of them; `undefined` for a single one. */
  readonly parents: Pick<CopiedParents, 'fetch'> | undefined;
  readonly read: Pick<EntityRead, 'readPage'>;
  readonly caller: string;
  readonly signal: AbortSignal;
  readonly turn: Pick<Turn, 'answered' | 'requireTime' | 'rest'>;
  readonly patience: Pick<Patience, 'limits' | 'outlasts' | 'recover' | 'resume'>;
  /** An instant of the database's clock, no later than now. */
  readonly databaseAt: () => Date;
  /** Told of trouble before it is waited for. */
  readonly tellTrouble: (trouble: ConnectorError) => Promise<void>;
}

/** A list that cannot be gone on with in its middle is begun so often in one walk. */
const MAX_BEGINNINGS = 5;

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
    if (parents.length === 0) return;
    for (const parent of parents) {
      // Another one may have come between; then the list that was begun has its turn after it.
      if (position.parent !== parent.key)
        position = { ...position, parent: parent.key, list: null };
      position = yield* walkList(walk, position, parent);
      walk.turn.requireTime();
    }
  }
}

/** Returns the position behind the list. */
async function* walkList(
  walk: ListWalk,
  from: ReadPosition,
  parent: CopiedParent | undefined,
): AsyncGenerator<ReadStep, ReadPosition, undefined> {
  const start = { ...from, list: null };
  const end =
    parent === undefined
      ? { ...start, isAtEnd: true }
      : { ...start, after: parent.key, parent: null };
  let at = from;
  // Where a walk goes on after this one: behind `at` while the list cannot be left where it is.
  let resumed = from;
  let hasBegunAnew = false;
  let beginnings = 1;
  // Every turn asks for one page: the next; the same again, when trouble of the upstream may have
  // passed, or where the list cannot be asked so, its first again; or the first, once, where the
  // upstream takes the cursor that it gave no more.
  for (;;) {
    const askedAt = walk.databaseAt();
    const nothing = { records: [], deletedKeys: [], pages: 0, askedAt };
    let page: ReadPage;
    try {
      page = await readPageAt(walk, at, parent);
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
        // The parent has gone upstream since it was copied, and its list with it.
        const { hasRead, hasRefused, readable, isInDoubt } = at;
        const position = { ...end, hasRead, hasRefused, readable, isInDoubt };
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
    const { records, deletedKeys = [], drift, next, resumeAt = next } = page;
    const flags = flagsAfter(at, page, parent);
    at = next === null ? { ...end, ...flags } : { ...at, ...flags, list: next };
    resumed = resumeAt === next ? at : { ...at, list: resumeAt };
    yield { records, deletedKeys, drift, pages: 1, askedAt, position: resumed };
    if (next === null) return at;
    // Not before the first page: however slow the upstream is, every turn gets further. A list that
    // cannot be left where it is keeps its turn to the end: it would begin anew with the next one.
    if (at === resumed) walk.turn.requireTime();
  }
}

async function readPageAt(
  { read, caller, signal, turn, patience }: ListWalk,
  { list }: ReadPosition,
  parent: CopiedParent | undefined,
): Promise<ReadPage> {
  const place = { parent: parent?.values, position: list, isNew: parent?.isNew === true };
  const answer = read.readPage(place, { caller, signal, ...patience.limits });
  const page = await turn.answered(answer, signal);
  patience.recover();
  return page;
}

function flagsAfter(
  { hasRead, hasRefused, readable }: ReadPosition,
  { isRefused }: ReadPage,
  parent: CopiedParent | undefined,
): Pick<ReadPosition, 'hasRead' | 'hasRefused' | 'readable' | 'isInDoubt'> {
  return isRefused === true
    ? { hasRead, hasRefused: true, readable, isInDoubt: readable !== null }
    : { hasRead: true, hasRefused, readable: parent?.values ?? null, isInDoubt: false };
}
