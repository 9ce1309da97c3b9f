import type { ConnectorRow, EntitySync, SyncRun, Syncs } from '@patchbay/store';
import { copyStateOf } from './freshness.ts';

/** The runs of a connector and how far the copies of its entities are, as they go out. */
export interface SyncView {
  /** The run that is queued or under way. */
  readonly current: RunView | null;
  /** The last one that ended. */
  readonly last: RunView | null;
  /** In the order of the definition. */
  readonly entities: readonly EntityView[];
}

export interface RunView {
  readonly run_id: string;
  readonly cause: string;
  readonly state: string;
  readonly requested_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

export interface EntityView {
  readonly entity: string;
  readonly state: string;
  /** Start of the last complete read. */
  readonly as_of: string | null;
  /** The first full read is done. */
  readonly complete: boolean;
  /** Records in the copy. */
  readonly entity_count: number;
  /** Of the read that is under way, or goes on with the next run; null where there is none. */
  readonly mode: 'full' | 'increment' | null;
  readonly records: number | null;
  readonly pages: number | null;
  /** Where that read goes on; only the service can use it. */
  readonly checkpoint: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly updated_at: string | null;
}

/** @see docs/wire.md#status-of-syncs */
export function viewSync(
  row: ConnectorRow,
  { current, last }: Awaited<ReturnType<Syncs['runs']>>,
  entities: readonly EntitySync[],
): SyncView {
  return {
    current: viewRun(current),
    last: viewRun(last),
    entities: entities.map((each) => viewEntity(row, each)),
  };
}

function viewRun(run: SyncRun | undefined): RunView | null {
  if (run === undefined) return null;
  return {
    run_id: run.id,
    cause: run.cause,
    state: run.state,
    requested_at: run.requestedAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

function viewEntity(row: ConnectorRow, sync: EntitySync): EntityView {
  const { progress, problem } = sync;
  return {
    entity: sync.entity,
    state: copyStateOf(row, sync),
    as_of: sync.asOf?.toISOString() ?? null,
    complete: sync.isComplete,
    entity_count: sync.recordCount,
    mode: progress?.mode ?? null,
    records: progress?.records ?? null,
    pages: progress?.pages ?? null,
    checkpoint: progress?.position ?? null,
    error: problem === null ? null : { code: problem.code, message: problem.message },
    updated_at: isUntouched(sync) ? null : sync.updatedAt.toISOString(),
  };
}

/** Nobody has begun to read it, so no instant says anything of it. */
export function isUntouched({ state, hasPage }: EntitySync): boolean {
  return state === 'never' && !hasPage;
}
