import {
  compareCodePoints,
  type EntityRead,
  type Filter,
  type ParentSelection,
} from '@patchbay/connectors/engine';
import type { CopyId, CopyRecord, Store } from '@patchbay/store';

/** A record whose list is read. */
export interface CopiedParent extends CopyRecord {
  /** It has come to be out of reach since the last complete read, such as a channel that the caller has left. */
  readonly isLost: boolean;
  /** It has changed since then; absent where that makes no difference. */
  readonly isChanged?: boolean;
}

interface ParentsParts {
  readonly copies: Pick<Store['copies'], 'parents'>;
  /** That the lists are read for. */
  readonly copy: CopyId;
  readonly selection: ParentSelection;
  readonly recordsOf: EntityRead['recordsOf'];
  /** Of the last complete read, in an increment. */
  readonly asOf: Date | null;
}

const PARENTS_AT_ONCE = 200;
const RECORDS_AT_ONCE = 500;

/** The records of another entity's copy whose lists are read. */
export class CopiedParents {
  readonly #parts: ParentsParts;

  constructor(parts: ParentsParts) {
    this.#parts = parts;
  }

  /** Some of them in the order of their keys, from the one behind `after` on; empty at the end. */
  async fetch(after: string | null): Promise<readonly CopiedParent[]> {
    const { selection, asOf, recordsOf } = this.#parts;
    const { filter, orFilter, isChangedOnly } = selection;
    const changedSince = isChangedOnly ? asOf : null;
    const found = await this.#find(filter, { after, changedSince });
    const others = orFilter === undefined ? [] : await this.#find(orFilter, { after });
    const read = [...others, ...found].map((each) => ({ ...each, isLost: false }));
    const all =
      recordsOf === undefined || asOf === null
        ? read
        : [...(await this.#findLost(after, asOf)), ...(await this.#noteChanged(read, after, asOf))];
    return [...new Map(all.map((each) => [each.key, each])).values()]
      .toSorted((a, b) => compareCodePoints(a.key, b.key))
      .slice(0, PARENTS_AT_ONCE);
  }

  async #findLost(after: string | null, asOf: Date): Promise<readonly CopiedParent[]> {
    const filter = { operator: 'not', filter: this.#parts.selection.filter } as const;
    const lost = await this.#find(filter, { after, changedSince: asOf });
    return lost.map((each) => ({ ...each, isLost: true }));
  }

  async #noteChanged(
    parents: readonly CopiedParent[],
    after: string | null,
    asOf: Date,
  ): Promise<readonly CopiedParent[]> {
    const { filter } = this.#parts.selection;
    const changed = await this.#find(filter, { after, changedSince: asOf });
    const keys = new Set(changed.map(({ key }) => key));
    return parents.map((each) => ({ ...each, isChanged: keys.has(each.key) }));
  }

  /**
   * Whether an increment has to read all of a parent's list, since nothing of it was copied before: that of a channel,
   * for example, that the caller was invited to. Of one that has changed, and has perhaps come within reach with that,
   * what has been written since, and what we have written, says nothing.
   */
  async isNew({ values, isChanged }: Pick<CopiedParent, 'values' | 'isChanged'>): Promise<boolean> {
    const { copies, copy, recordsOf, asOf } = this.#parts;
    if (recordsOf === undefined || asOf === null) return false;
    const known = { filter: recordsOf(values), fields: [], limit: 1 };
    const before = isChanged === true ? ({ changedBefore: asOf, isRead: true } as const) : {};
    return (await copies.parents(copy, { ...known, ...before })).length === 0;
  }

  /** Keys of what the copy has of a parent's list, where an increment reads a part of that: some, behind `after`. */
  async copiedOf(values: CopyRecord['values'], after?: string): Promise<readonly string[]> {
    const { copies, copy, recordsOf } = this.#parts;
    if (recordsOf === undefined) return [];
    const query = { filter: recordsOf(values), fields: [], limit: RECORDS_AT_ONCE };
    const copied = await copies.parents(copy, after === undefined ? query : { ...query, after });
    return copied.map(({ key }) => key);
  }

  #find(
    filter: Filter,
    { after, changedSince = null }: { after: string | null; changedSince?: Date | null },
  ): Promise<readonly CopyRecord[]> {
    const { copies, copy, selection } = this.#parts;
    return copies.parents(
      { ...copy, entity: selection.entity },
      {
        filter,
        fields: selection.fields,
        limit: PARENTS_AT_ONCE,
        ...(after === null ? {} : { after }),
        ...(changedSince === null ? {} : { changedSince }),
      },
    );
  }
}
