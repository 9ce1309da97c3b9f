import {
  isConnectorError,
  type CopiedRecord,
  type EntityRead,
  type ReadPage,
} from '@patchbay/connectors';
import type { CopyRecord } from '@patchbay/store';
import type { ReadPosition } from './read-position.ts';

type PageAt = Parameters<EntityRead['readPage']>[0];

/** What a read of an entity got with one page. */
export interface ReadStep {
  readonly records: readonly CopiedRecord[];
  readonly deletedKeys: readonly string[];
  /** Upstream pages. */
  readonly pages: number;
  /** By the database's clock, no later than the page was asked for; `undefined` without a page. */
  readonly askedAt: Date | undefined;
  /** Where the read goes on after it. */
  readonly position: ReadPosition;
}

/** A page, and an instant of the database's clock that is no later than it was asked for. */
interface AskedPage {
  readonly page: ReadPage;
  readonly askedAt: Date;
}

export interface ListWalk {
  readonly from: ReadPosition;
  /** One list for each parent, or a single one. */
  readonly hasParents: boolean;
  /** Parents in the order of their keys, from the one behind `after` on; empty at the end. */
  readonly fetchParents: (after: string | null) => Promise<readonly CopyRecord[]>;
  readonly readPage: (at: PageAt) => Promise<AskedPage>;
}

/**
 * Reads the lists of an entity page by page, each step with where to go on behind it. A list that
 * cannot be gone on with begins anew: at once and once where the upstream takes its cursor no more;
 * with the next read where it sent what it should not, by a last step before the error.
 *
 * @throws what `readPage` throws.
 */
export async function* walkLists(walk: ListWalk): AsyncGenerator<ReadStep, void, undefined> {
  if (!walk.hasParents) {
    if (!walk.from.isAtEnd) yield* walkList(walk, walk.from, undefined);
    return;
  }
  let position = walk.from;
  for (;;) {
    const parents = await walk.fetchParents(position.after);
    if (parents.length === 0) return;
    for (const parent of parents) {
      // Another one may have come between; then the list that was begun has its turn after it.
      if (position.parent !== parent.key)
        position = { ...position, parent: parent.key, list: null };
      position = yield* walkList(walk, position, parent);
    }
  }
}

/** Returns the position behind the list. */
async function* walkList(
  walk: ListWalk,
  from: ReadPosition,
  parent: CopyRecord | undefined,
): AsyncGenerator<ReadStep, ReadPosition, undefined> {
  const start = { ...from, list: null };
  const end =
    parent === undefined
      ? { ...start, isAtEnd: true }
      : { ...start, after: parent.key, parent: null };
  let at = from;
  let hasBegunAnew = false;
  for (;;) {
    let asked: AskedPage;
    try {
      asked = await walk.readPage({ parent: parent?.values, position: at.list });
    } catch (error) {
      if (isConnectorError(error, 'record_not_found') && parent !== undefined) {
        // The parent has gone upstream since it was copied, and its list with it.
        const { hasRead, hasRefused } = at;
        const position = { ...end, hasRead, hasRefused };
        yield { ...NOTHING, position };
        return position;
      }
      const isExpired = isConnectorError(error, 'invalid_cursor') && at.list !== null;
      if (isExpired && !hasBegunAnew) {
        hasBegunAnew = true;
        at = start;
        continue;
      }
      if (isExpired || isConnectorError(error, 'upstream_contract_broken'))
        yield { ...NOTHING, position: start };
      throw error;
    }
    const { page, askedAt } = asked;
    const flags = flagsAfter(at, page);
    const position =
      page.next === null ? { ...end, ...flags } : { ...at, ...flags, list: page.next };
    const { records, deletedKeys = [] } = page;
    yield { records, deletedKeys, pages: 1, askedAt, position };
    if (page.next === null) return position;
    at = position;
  }
}

const NOTHING = { records: [], deletedKeys: [], pages: 0, askedAt: undefined } as const;

function flagsAfter(
  { hasRead, hasRefused }: ReadPosition,
  page: ReadPage,
): Pick<ReadPosition, 'hasRead' | 'hasRefused'> {
  return page.isRefused === true ? { hasRead, hasRefused: true } : { hasRead: true, hasRefused };
}
