import {
  compareCodePoints,
  type EntityRead,
  type Filter,
  type ParentSelection,
} from '@patchbay/connectors/engine';
import type { CopyId, CopyRecord, Store } from '@patchbay/store';

/** A record whose list is read. */
export interface CopiedParent extends CopyRecord {
  /** The copy knows nothing of its list, so all of that has to be read. */
  readonly isNew: boolean;
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

/** The records of another entity's copy whose lists are read. */
export class CopiedParents {
  readonly #parts: ParentsParts;

  constructor(parts: ParentsParts) {
    this.#parts = parts;
  }

  /** Some of them in the order of their keys, from the one behind `after` on; empty at the end. */
  async fetch(after: string | null): Promise<readonly CopiedParent[]> {
    const { selection, asOf } = this.#parts;
    const { filter, orFilter, isChangedOnly } = selection;
    const changedSince = isChangedOnly ? asOf : null;
    const found = await this.#find(filter, { after, changedSince });
    const keysOfNew = await this.#keysOfNew(found, after);
    const others = orFilter === undefined ? [] : await this.#find(orFilter, { after });
    return [...new Map([...others, ...found].map((each) => [each.key, each])).values()]
      .toSorted((a, b) => compareCodePoints(a.key, b.key))
      .slice(0, PARENTS_AT_ONCE)
      .map((each) => ({ ...each, isNew: keysOfNew.has(each.key) }));
  }

  /**
   * Of the parents that have come within reach since the last complete read, such as a channel that
   * the caller was invited to: they have changed, and nothing of their lists was copied before.
   */
  async #keysOfNew(
    found: readonly CopyRecord[],
    after: string | null,
  ): Promise<ReadonlySet<string>> {
    const { copies, copy, selection, recordsOf, asOf } = this.#parts;
    const keys = new Set<string>();
    if (recordsOf === undefined || asOf === null || found.length === 0) return keys;
    const changed = await this.#find(selection.filter, { after, changedSince: asOf });
    const changedKeys = new Set(changed.map(({ key }) => key));
    for (const { key, values } of found) {
      if (!changedKeys.has(key)) continue;
      const known = { filter: recordsOf(values), fields: [], limit: 1, changedBefore: asOf };
      if ((await copies.parents(copy, known)).length === 0) keys.add(key);
    }
    return keys;
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
