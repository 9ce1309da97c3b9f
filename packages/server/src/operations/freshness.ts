import type { ConnectorKind } from '@patchbay/connectors';
import type { ConnectorFreshness, Freshness } from '@patchbay/connectors/wire';
import type { ConnectorRow, CopyStanding, EntitySync } from '@patchbay/store';

/** @see docs/search.md#freshness */
export function freshnessOf(row: ConnectorRow, sync: EntitySync, nowMs: number): Freshness {
  const { asOf, isComplete } = sync;
  return {
    state: copyStateOf(row, sync),
    as_of: asOf?.toISOString() ?? null,
    complete: isComplete,
    lag_seconds: lagSeconds(asOf, nowMs),
  };
}

/** Of all copies of a connector together. */
export function connectorFreshness(
  { asOf, isComplete, recordCount }: CopyStanding,
  { nowMs, intervalMs }: { readonly nowMs: number; readonly intervalMs: number },
): ConnectorFreshness {
  return {
    as_of: asOf?.toISOString() ?? null,
    lag_seconds: lagSeconds(asOf, nowMs),
    complete: isComplete,
    interval_seconds: Math.round(intervalMs / 1_000),
    record_count: recordCount,
  };
}

/** Where nothing can be read at present, an idle copy only seems to be one. */
export function copyStateOf(
  row: ConnectorRow,
  { state, isForbidden }: EntitySync,
): Freshness['state'] {
  if (isCopyingStopped(row)) return 'paused';
  return row.state === 'reauth_required' || isForbidden ? 'failed' : state;
}

/** Whether somebody has stopped the copying of a connector, be it by disabling all of it. */
export function isCopyingStopped({
  isPaused,
  isDisabled,
}: Pick<ConnectorRow, 'isPaused' | 'isDisabled'>): boolean {
  return isPaused || isDisabled;
}

function lagSeconds(asOf: Date | null, nowMs: number): number | null {
  // The instant is by the database's clock, which may be ahead of this one.
  return asOf === null ? null : Math.max(0, Math.round((nowMs - asOf.getTime()) / 1_000));
}

/** The entities of a kind that have a searchable copy, in the order of the definition. */
export function copiedEntities(kind: ConnectorKind): readonly string[] {
  return Object.values(kind.entities)
    .filter(({ search }) => search !== undefined)
    .map(({ name }) => name);
}
