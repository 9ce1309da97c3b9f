import type { ConnectorKind } from '@patchbay/connectors';
import type { ConnectorRow, EntitySync } from '@patchbay/store';

/** How fresh a copy is; a part of every answer that comes from one. */
export interface Freshness {
  readonly state: CopyState;
  /** Start of the last complete read. */
  readonly as_of: string | null;
  /** The first full read is done. */
  readonly complete: boolean;
  /** Whole seconds since `as_of`. */
  readonly lag_seconds: number | null;
}

export type CopyState = 'never' | 'syncing' | 'idle' | 'failed' | 'paused';

/** @see docs/search.md#freshness */
export function freshnessOf(row: ConnectorRow, sync: EntitySync, nowMs: number): Freshness {
  const { asOf, isComplete } = sync;
  return {
    state: copyStateOf(row, sync),
    as_of: asOf?.toISOString() ?? null,
    complete: isComplete,
    // The instant is by the database's clock, which may be ahead of this one.
    lag_seconds: asOf === null ? null : Math.max(0, Math.round((nowMs - asOf.getTime()) / 1_000)),
  };
}

/** Where nothing can be read at present, an idle copy only seems to be one. */
export function copyStateOf(row: ConnectorRow, { state, isForbidden }: EntitySync): CopyState {
  if (row.isPaused) return 'paused';
  return row.state === 'reauth_required' || isForbidden ? 'failed' : state;
}

/** The entities of a kind that have a searchable copy, in the order of the definition. */
export function copiedEntities(kind: ConnectorKind): readonly string[] {
  return Object.values(kind.entities)
    .filter(({ search }) => search !== undefined)
    .map(({ name }) => name);
}
