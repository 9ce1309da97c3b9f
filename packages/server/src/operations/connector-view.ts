import { findKind } from '@patchbay/connectors';
import type { ConnectorRow } from '@patchbay/store';

/** A connector as it goes out: everything but its credentials. */
export type ConnectorView = Readonly<Record<string, unknown>>;

/** @see wire contract, part 3 */
export function viewConnector(row: ConnectorRow): ConnectorView {
  const kind = findKind(row.kind);
  return {
    id: row.id,
    name: row.name,
    connector_type: row.kind,
    definition_id: kind.definitionId,
    external_user_id: row.externalUserId,
    status: row.isPaused ? 'paused' : row.state,
    config: row.config,
    replication_config: row.replicationConfig,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    last_synced_at: row.lastSyncedAt?.toISOString() ?? null,
    summarized_source_template: { name: kind.displayName, connector_name: kind.kind },
  };
}

/** A connector with the state of its searchable copies. */
export function viewInspection(row: ConnectorRow): ConnectorView {
  const searchable = Object.values(findKind(row.kind).entities).filter(
    ({ search }) => search !== undefined,
  );
  return {
    ...viewConnector(row),
    context_store_readiness: {
      configured_cache_entities: searchable.map(({ name }) => ({
        entity: name,
        status: 'initializing',
        ready_for_search: false,
        entity_count: 0,
        updated_at: null,
      })),
    },
  };
}
