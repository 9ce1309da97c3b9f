import { knownFieldsOf } from '@patchbay/connectors/engine';
import type {
  EntitySyncStatus,
  SyncRun as RunView,
  SyncRunReport,
  SyncStatus,
} from '@patchbay/connectors/wire';
import type { ConnectorKind } from '@patchbay/connectors';
import type { ConnectorRow, EntitySync, SyncRun, Syncs } from '@patchbay/store';
import { copyStateOf } from './freshness.ts';

/** @see docs/wire.md#status-of-syncs */
export function viewSync(
  { row, kind }: { readonly row: ConnectorRow; readonly kind: ConnectorKind },
  { current, last }: Awaited<ReturnType<Syncs['runs']>>,
  entities: readonly EntitySync[],
): SyncStatus {
  return {
    current: current === undefined ? null : viewRun(current),
    last: last === undefined ? null : viewRun(last),
    entities: entities.map((each) => viewEntity({ row, kind }, each)),
  };
}

/** @see docs/wire.md#history-of-syncs */
export function viewRunReport(run: SyncRun): SyncRunReport {
  return {
    ...viewRun(run),
    entities: run.entities,
    records_read: run.recordsRead,
    records_written: run.recordsWritten,
    records_deleted: run.recordsDeleted,
    error: run.problem,
  };
}

function viewRun(run: SyncRun): RunView {
  return {
    run_id: run.id,
    cause: run.cause,
    state: run.state,
    requested_at: run.requestedAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

function viewEntity(
  { row, kind }: { readonly row: ConnectorRow; readonly kind: ConnectorKind },
  sync: EntitySync,
): EntitySyncStatus {
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
    drift: viewDrift(kind, sync),
  };
}

/** Without the fields that this version knows: those of the record alone have nothing read anew. */
function viewDrift(kind: ConnectorKind, { entity, drift }: EntitySync): EntitySyncStatus['drift'] {
  if (drift === null) return null;
  const definition = kind.entities[entity];
  const known = definition === undefined ? new Set<string>() : knownFieldsOf(definition);
  const unknownFields = drift.unknownFields.filter((name) => !known.has(name));
  if (unknownFields.length + drift.lostValues === 0) return null;
  return {
    unknown_fields: unknownFields,
    lost_values: drift.lostValues,
    lost_fields: drift.lostFields,
  };
}

/** Nobody has begun to read it, so no instant says anything of it. */
export function isUntouched({ state, hasPage }: EntitySync): boolean {
  return state === 'never' && !hasPage;
}
