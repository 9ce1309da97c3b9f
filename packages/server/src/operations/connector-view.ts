import type { Warning } from '@patchbay/connectors';
import { findKind } from '@patchbay/connectors/engine';
import type { Connector, ConnectorInspection, EntityReadiness } from '@patchbay/connectors/wire';
import type { ConnectorRow, CopyStanding, EntitySync } from '@patchbay/store';
import { connectorFreshness } from './freshness.ts';
import { lastErrorOf } from './last-error.ts';
import { isUntouched } from './sync-view.ts';

/** What there is to say of a connector besides its row. */
interface ConnectorState {
  readonly warnings: readonly Warning[];
  readonly standing: CopyStanding;
  readonly nowMs: number;
  /** From the end of a sync to the next one. */
  readonly intervalMs: number;
}

/** @see docs/wire.md#the-connector-object */
export function viewConnector(
  row: ConnectorRow,
  { warnings, standing, nowMs, intervalMs }: ConnectorState,
): Connector {
  const kind = findKind(row.kind);
  return {
    id: row.id,
    name: row.name,
    connector_type: row.kind,
    definition_id: kind.definitionId,
    external_user_id: row.externalUserId,
    status: statusOf(row),
    paused: row.isPaused,
    disabled: row.isDisabled,
    auth_method: row.authMethod,
    account: row.account,
    warnings,
    config: row.config,
    replication_config: row.replicationConfig,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    last_synced_at: row.lastSyncedAt?.toISOString() ?? null,
    freshness: connectorFreshness(standing, { nowMs, intervalMs }),
    last_error: lastErrorOf(row, standing),
    summarized_source_template: { name: kind.displayName, connector_name: kind.kind },
  };
}

/** Whether a connector can be used; what somebody has switched off hides what else there is. */
export function statusOf({ isPaused, isDisabled, state }: ConnectorRow): Connector['status'] {
  if (isDisabled) return 'disabled';
  return isPaused ? 'paused' : state;
}

/** A connector with the state of its searchable copies. */
export function viewInspection(
  connector: Connector,
  entities: readonly EntitySync[],
): ConnectorInspection {
  return {
    ...connector,
    context_store_readiness: {
      configured_cache_entities: entities.map((each) => ({
        entity: each.entity,
        status: readinessOf(each),
        ready_for_search: each.isComplete,
        entity_count: each.recordCount,
        updated_at: isUntouched(each) ? null : each.updatedAt.toISOString(),
      })),
    },
  };
}

/** `preview`: there is something to search, but not everything yet. */
function readinessOf({
  isForbidden,
  state,
  isComplete,
  hasPage,
}: EntitySync): EntityReadiness['status'] {
  if (isForbidden) return 'forbidden';
  if (state === 'failed') return 'failed';
  if (isComplete) return 'ready';
  return hasPage ? 'preview' : 'initializing';
}
