import type { CopyDrift, ParentLink } from '@patchbay/connectors/engine';
import type { CopyRecord } from './copies.ts';

/**
 * The right to sync a connector, which one process has at a time. Every change made under it is
 * refused with `lease_lost` once another process has taken it over (fencing): `epoch` counts takings.
 */
export interface Lease {
  readonly connectorId: string;
  readonly owner: string;
  readonly epoch: number;
  /** Which copy is synced: another account's has another number. */
  readonly copyNumber: number;
}

export type RunCause = 'creation' | 'schedule' | 'demand' | 'credentials' | 'definition';
export type RunState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** One sync of a connector, over all its copied entities. */
export interface SyncRun {
  readonly id: string;
  readonly cause: RunCause;
  readonly state: RunState;
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** Those that it has read, or tried to, in that order. */
  readonly entities: readonly string[];
  /** What the upstream sent, all reads of the run together; those that had not changed included. */
  readonly recordsRead: number;
  /** Of those, the ones that were new or had changed. */
  readonly recordsWritten: number;
  readonly recordsDeleted: number;
  /** Why it failed, as far as that is known. */
  readonly problem: RunProblem | null;
}

/** Why a run failed; `entity` is null where it was none of an entity's own. */
export interface RunProblem extends SyncProblem {
  readonly entity: string | null;
}

/** How a connector and all its copies together stand. */
export interface CopyStanding {
  readonly connectorId: string;
  /**
   * Start of the last complete read of the entity for which that is longest ago; null until there is one of
   * each. Entities that the credentials may not read do not count.
   */
  readonly asOf: Date | null;
  /** The first full read of each of them is done. */
  readonly isComplete: boolean;
  /** Records in all of the copies; those of our own writes are counted by the next full read. */
  readonly recordCount: number;
  /** Why the last run failed, and when; null once one has succeeded. Cancelled ones say nothing. */
  readonly problem: (SyncProblem & { readonly at: Date }) | null;
  /** Since when the connector is in its state. */
  readonly stateChangedAt: Date;
}

/** Where a page of runs begins: before this one. */
export interface RunPosition {
  readonly requestedAt: Date;
  readonly id: string;
}

/** Why a read of an entity failed; nothing of upstream contents. */
export interface SyncProblem {
  readonly code: string;
  readonly message: string;
}

/** A read that is under way, or was interrupted and goes on from `position`. */
export interface ReadProgress {
  readonly mode: 'full' | 'increment';
  /** By the database's clock; a record counts as read no earlier. */
  readonly startedAt: Date;
  readonly records: number;
  readonly pages: number;
  /** Where to go on: JSON of the reader's own, `null` at the beginning. */
  readonly position: unknown;
}

/** A read that has just begun, or goes on. */
export interface BegunRead extends ReadProgress {
  /** What is known so far of what the upstream sends besides: of an increment, what was known before it, too. */
  readonly drift: CopyDrift | null;
  /** Whether it was begun before, and goes on. */
  readonly isResumed: boolean;
  /** The database's clock at this call, for `askedAt` of what is asked first: a read that goes on began long ago. */
  readonly resumedAt: Date;
}

/** What is known of the copy of one entity. */
export interface EntitySync {
  readonly entity: string;
  /**
   * `never`: no page has been committed yet, and no read has failed. `syncing`: somebody reads it
   * under a live lease, so not what a process that died has left.
   */
  readonly state: 'never' | 'syncing' | 'idle' | 'failed';
  /** A page has been committed (it may have been empty): the copy can be searched. */
  readonly hasPage: boolean;
  /** The first full read is done. */
  readonly isComplete: boolean;
  /**
   * As of when the copy is: the start of the last complete read, be it by an older definition, less what the upstream
   * did not show yet; or, where that is earlier, as of when the copies were then that say which lists there are.
   */
  readonly asOf: Date | null;
  /** Start of the last complete read. */
  readonly lastReadAt: Date | null;
  readonly lastFullAt: Date | null;
  /** The credentials may not read the entity, as far as is known until the next page. */
  readonly isForbidden: boolean;
  /**
   * Why the last read failed, until a page of the next one is committed; while `syncing` also what the
   * read waits for.
   */
  readonly problem: SyncProblem | null;
  /** Records in the copy; those of our own writes are counted by the next full read. */
  readonly recordCount: number;
  /** Hash of the definition and settings that the last complete full read was made by. */
  readonly definitionHash: string | null;
  readonly progress: ReadProgress | null;
  /** What the upstream has sent since the last full read began that the copy does not take; null: nothing. */
  readonly drift: CopyDrift | null;
  /** How many records have left the copy so far; only ever compared. */
  readonly losses: number;
  /** What its parents had lost when what belonged to those was deleted last; null: that is not known. */
  readonly settledLosses: number | null;
  /** 1970-01-01 where nobody has begun to read it. */
  readonly updatedAt: Date;
}

/** Some pages of a read, to be committed at once. */
export interface ReadBatch {
  readonly entity: string;
  readonly kind: string;
  readonly records: readonly CopyRecord[];
  /** Records that the upstream says are deleted, none of them among `records`; they leave the copy in the same transaction. */
  readonly deletedKeys?: readonly string[];
  /** Upstream pages that `records` came in. */
  readonly pages: number;
  /** By the database's clock, no later than the first of those pages was asked for. */
  readonly askedAt: Date;
  /** Where the read goes on, once the records are there. */
  readonly position: unknown;
  /** What is known of it from now on, where these pages have shown anything. */
  readonly drift?: CopyDrift;
  /** So far the upstream has refused every list: nothing is known yet of what there is. */
  readonly showsNothing?: boolean;
}

export interface CommittedBatch {
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
  /** The database's clock, for `askedAt` of what is asked next. */
  readonly committedAt: Date;
}

/** A connector with something to do, and nobody at it. */
export interface DueConnector {
  readonly connectorId: string;
  readonly applicationId: string;
  readonly kind: string;
  /** Somebody asked for a run, and may wait for it. */
  readonly isUrgent: boolean;
}

/** Records whose parents may have gone. */
export interface Orphans {
  readonly kind: string;
  readonly entity: string;
  readonly parent: string;
  /** Where it is not by the key of the parent, any that has the same there counts as theirs. */
  readonly link: ParentLink;
  /** What we wrote ourselves at or after this instant (database's clock) stays; null: all of that does. */
  readonly before: Date | null;
  /** What the parents had lost when this was asked for: `losses` of their copy. */
  readonly losses: number;
}

/** State and progress of replication. All methods that take a lease reject with `lease_lost`. */
export interface Syncs {
  /**
   * Takes the lease where it is free, has run out, or is of the same owner: `undefined` otherwise,
   * when the connector is gone, and while the copy of another account is being deleted.
   */
  takeLease(request: {
    readonly connectorId: string;
    readonly owner: string;
    readonly ttlMs: number;
  }): Promise<Lease | undefined>;
  /** Waits while the lease is locked, as by `commitBatch`: nobody can take it over meanwhile. */
  renewLease(lease: Lease, ttlMs: number): Promise<void>;
  /** Gives the lease up; nothing happens when it is lost already. */
  releaseLease(lease: Lease): Promise<void>;

  /**
   * Asks for a run; one that is queued already serves both, and keeps its id and cause. Returns
   * its id, `undefined` when the connector is gone.
   */
  requestRun(
    connectorId: string,
    run: { readonly id: string; readonly cause: RunCause },
  ): Promise<string | undefined>;
  /**
   * The same, for what a person or program demands: at least `apartMs` after the run that was last
   * demanded was, unless one is queued. `waitMs` is what is left of that, above 0.
   */
  demandRun(
    connectorId: string,
    run: { readonly id: string; readonly apartMs: number },
  ): Promise<{ readonly runId: string } | { readonly waitMs: number } | undefined>;
  /**
   * Has connectors due in `dueInMs` that are due, or held by somebody, for longer than `longestMs` from now: a clock that
   * was wrong has put that there. Returns how many.
   */
  wakeMisdated(dates: {
    /** Longer than any schedule, and any lease. */
    readonly longestMs: number;
    /** Of each one anew, so that not all are due together. */
    readonly dueInMs: () => number;
    readonly signal: AbortSignal;
  }): Promise<number>;
  /**
   * The run to work on: one that a former holder left running, or the queued one, which then runs.
   * `undefined` when there is none, the connector is paused, or its application revoked: what was left running ends then.
   *
   * @param scheduled Where there is none, but the schedule has one due, it begins with that id.
   */
  startRun(lease: Lease, scheduled?: { readonly id: string }): Promise<SyncRun | undefined>;
  /**
   * Ends it, sets when the next one is due, and with `succeeded` the connector's `lastSyncedAt`
   * (which counts its revision up). One that has ended already stays as it is.
   *
   * @param end.nextInMs `null`: none is due until somebody asks for one.
   * @param end.problem Why it failed.
   */
  finishRun(
    lease: Lease,
    end: {
      readonly runId: string;
      readonly state: 'succeeded' | 'failed' | 'cancelled';
      readonly nextInMs: number | null;
      readonly problem?: RunProblem;
    },
  ): Promise<void>;
  /** The run that is running, or else queued, and the last one that ended. */
  runs(
    connectorId: string,
  ): Promise<{ readonly current: SyncRun | undefined; readonly last: SyncRun | undefined }>;
  /**
   * By (requestedAt, id) descending, before the given position, at most `limit`. Of those that have ended,
   * the last 100 are kept.
   */
  runHistory(
    connectorId: string,
    page: { readonly before?: RunPosition; readonly limit: number },
  ): Promise<readonly SyncRun[]>;
  /** How connectors stand, in no order; those that are gone are left out. */
  standings(of: {
    readonly connectorIds: readonly string[];
    /** The entities that are copied, of all the kinds that they may be of. */
    readonly entities: readonly { readonly kind: string; readonly entity: string }[];
  }): Promise<readonly CopyStanding[]>;
  /**
   * Connectors that there may be something to do for: a run left running or queued, or else a schedule
   * that is due. Of each application the first comes before the second of any: what somebody asked
   * for, then what is due the longest; where hundreds of applications wait, some of them, in rotation. New
   * connectors are due at once. One that is worked on is due when its lease runs out. Whoever takes the lease and
   * gives it up without finding a run, as of a paused connector, is not shown it again until something changes.
   *
   * @param except Connectors that are left out.
   */
  dueConnectors(limit: number, except?: readonly string[]): Promise<readonly DueConnector[]>;
  /** Whether it is due still, which another process may have seen to. */
  isDue(connectorId: string): Promise<boolean>;

  /** In the order given; entities nobody has begun to read are `never`. */
  entities(connectorId: string, names: readonly string[]): Promise<readonly EntitySync[]>;
  /**
   * Begins a read, or goes on with one that was interrupted, if it is of the same mode and
   * definition hash, as far as its first dot. The methods below need one that was begun, or gone on
   * with, under the same lease. Until it is complete the copy stays what it was: searchable, and as
   * old as it was.
   */
  beginRead(
    lease: Lease,
    read: {
      readonly entity: string;
      readonly mode: 'full' | 'increment';
      readonly definitionHash: string;
      /** As of when the copy is that says which lists there are; absent where none does. */
      readonly parentsAsOf?: Date | null;
      /** What has changed so shortly before now, the upstream does not show yet: the copy is as of before that. */
      readonly hiddenMs?: number;
    },
  ): Promise<BegunRead>;
  /**
   * Writes records, then the position: in one transaction on a server, in several on the embedded
   * database, where the position comes with the last.
   */
  commitBatch(lease: Lease, batch: ReadBatch): Promise<CommittedBatch>;
  /**
   * Completes the read: `lastReadAt` becomes its start, and the records that a full read did not see are
   * deleted, but for those changed since it began. Where that is interrupted, the read stays at its
   * last position, and is completed by another call.
   */
  finishRead(
    lease: Lease,
    read: { readonly entity: string; readonly kind: string },
  ): Promise<{ readonly deleted: number }>;
  /** Deletes the records of which no parent is in its copy any more, and settles it; those that name none stay. */
  deleteOrphans(lease: Lease, orphans: Orphans): Promise<{ readonly deleted: number }>;
  /** Says what a read waits for; it goes on, and its next page shows that this is over. */
  noteTrouble(
    lease: Lease,
    trouble: { readonly entity: string; readonly problem: SyncProblem },
  ): Promise<void>;
  /**
   * Keeps the position, so that the next run goes on there, unless told to begin anew. Also for a
   * read that could not be begun.
   */
  failRead(
    lease: Lease,
    failure: {
      readonly entity: string;
      readonly problem: SyncProblem;
      readonly isForbidden?: boolean;
      readonly keepsPosition: boolean;
    },
  ): Promise<void>;

  /** Connectors that are deleted, or whose account was replaced, and whose records are still there. */
  uncleared(
    limit: number,
  ): Promise<readonly { readonly connectorId: string; readonly kind: string }[]>;
  /**
   * One of them, which nobody else is given for so long, unless it is kept for longer or handed back; `undefined` where
   * there is none. Those that are to be synced for another account, which somebody asked for, come before what is deleted.
   */
  takeUncleared(
    ttlMs: number,
  ): Promise<{ readonly connectorId: string; readonly kind: string } | undefined>;
  keepUncleared(connectorId: string, ttlMs: number): Promise<void>;
  /**
   * Deletes at most `limit` records of such a connector, then as many keys of its writes, if it is deleted; `false` when
   * none are left and the job is done: one whose account was replaced can then be synced. Rejects where neither has
   * happened.
   */
  clearSome(
    connector: { readonly connectorId: string; readonly kind: string },
    limit: number,
  ): Promise<boolean>;
}
