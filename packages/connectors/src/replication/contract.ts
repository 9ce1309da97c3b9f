import type { WatchedCallOptions } from '../execution/connector-engine.ts';
import type { Entity } from '../vocabulary/index.ts';
import type { Filter } from '../search/filter.ts';
import type { CopyDrift } from './copy-drift.ts';

/** A record read for the copy: made of the raw upstream object, not of the projected record. */
export interface CopiedRecord {
  /** The record key as text: the parts of the entity's key joined by `:`. */
  readonly key: string;
  /** Every searchable field, of its searchable type or null; NUL and lone surrogates are U+FFFD. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface ReadPage {
  readonly records: readonly CopiedRecord[];
  /** Where the same list goes on, JSON-safe; `null` at its end. */
  readonly next: unknown;
  /**
   * Where another walk goes on, JSON-safe, if not at `next`: that is good for the walk that was given
   * it, and for one call. Absent at the end of a list.
   */
  readonly resumeAt?: unknown;
  /** Keys of records that the upstream says are deleted: they leave the copy. Absent: none. */
  readonly deletedKeys?: readonly string[];
  /** What its records have that the copy does not take. Absent: nothing. */
  readonly drift?: CopyDrift;
  /** The upstream lets these credentials not read this parent's list: it counts as empty. */
  readonly isRefused?: true;
  /** Of a refused list: its parent has gone since it was copied, which says nothing of what the credentials may read. */
  readonly isGone?: true;
}

/** A record that an accepted write of ours gave, on its way into a copy. */
export interface WrittenCopy {
  readonly entity: string;
  /** Of its values only those that the answer really had: the others of the copy stay. */
  readonly record: CopiedRecord;
  /** Nothing happens where the copy has no such record. */
  readonly onlyKnown: boolean;
}

/** Which records of another entity's copy feed the lists of this one. */
export interface ParentSelection {
  readonly entity: string;
  readonly filter: Filter;
  /** The searchable fields that a reader needs of each parent. */
  readonly fields: readonly string[];
  /** In an increment, only parents changed since the last complete read have anything new… */
  readonly isChangedOnly: boolean;
  /** …and those that this one matches, changed or not. */
  readonly orFilter?: Filter;
}

/** A searchable field of records that holds what a field of their parent has. */
export interface ParentLink {
  readonly field: string;
  /** That field of the parent; absent where it is the parent's key. */
  readonly of?: string;
}

/** What a read is planned from. */
export interface ReadRequest {
  readonly entity: Entity;
  /** Checked settings of the connector, defaults filled in; empty where there are none. */
  readonly replicationConfig: Readonly<Record<string, unknown>>;
  /** When this read began. */
  readonly startedAt: Date;
  /** Start of the last complete read made by the same definition and settings; `null` if none. */
  readonly asOf: Date | null;
  readonly lastFullAt: Date | null;
  /** There is a complete copy: what a full read does not see leaves it. */
  readonly hasCopy?: boolean;
}

/** What has changed shortly before a request for a list, which its answer leaves out. */
export interface HiddenChanges {
  /** For how long it is left out. */
  readonly forMs: number;
  /**
   * Where a full read finds it that long after its last page was asked for, at `askedAt`, as the end of the same
   * list. Absent where it need not look.
   */
  readonly positionAfter?: (askedAt: Date) => unknown;
}

/** A planned read of one entity. */
export interface EntityRead {
  readonly mode: 'full' | 'increment';
  /** With parents, one list for each of them; without, a single list. */
  readonly parents: ParentSelection | undefined;
  /** How records name their parent, where they do. */
  readonly parentLink?: ParentLink;
  /**
   * What the copy holds of the list of a parent, where increments read only the newest part of
   * it: of a list that the copy does not know at all, all has to be read, and one that is out of reach
   * is to leave it.
   */
  readonly recordsOf?: (parent: Readonly<Record<string, unknown>>) => Filter;
  /** Absent where the list shows every change at once. */
  readonly hidden?: HiddenChanges;
  /**
   * Reads one page in the background priority; repeats what passing trouble spoils.
   *
   * @param at.parent Values of the parent's record; `undefined` without parents.
   * @param at.position `next` of the page before, `null` for the first page.
   * @throws ConnectorError by the error table. `invalid_cursor` at a position means that the upstream
   * takes it no more: the list has to begin anew, at `null`, or at the `resumeAt` that came with it. `upstream_contract_broken` for a position
   * that leads to itself, and for a record without a usable key.
   */
  readPage(
    at: {
      readonly parent: Readonly<Record<string, unknown>> | undefined;
      readonly position: unknown;
      /** At the first page: the copy knows nothing of this list, so it is read as a full read does. */
      readonly isNew?: boolean;
    },
    options?: WatchedCallOptions,
  ): Promise<ReadPage>;
}
