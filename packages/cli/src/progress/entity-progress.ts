import type { EntitySyncStatus, SyncStatus } from '@patchbay/client';
import { printable } from '../output/printable.ts';

/** How far one entity is in a sync, for people. */
export interface EntityProgress {
  readonly entity: string;
  readonly phase: 'waiting' | 'reading' | 'done' | 'failed' | 'paused';
  /** From 0 to 1; `undefined` while nobody knows how much there is to read. */
  readonly share: number | undefined;
  /** What there is to say, such as `200 records, 1 page`. */
  readonly told: string;
}

/** How far every entity is, in the order of the definition. */
export function progressOf(status: SyncStatus): readonly EntityProgress[] {
  const run = status.current ?? status.last;
  return status.entities.map((each) => {
    const phase = phaseOf(each, run?.started_at ?? null, status.current === null);
    return { entity: each.entity, phase, share: shareOf(each, phase), told: toldOf(each, phase) };
  });
}

function phaseOf(
  { state, as_of: asOf }: EntitySyncStatus,
  startedAt: string | null,
  isOver: boolean,
): EntityProgress['phase'] {
  if (state === 'syncing') return 'reading';
  if (state === 'failed') return 'failed';
  if (state === 'paused') return 'paused';
  // Of this run, if its read began after the run did; instants of ISO 8601 sort as texts.
  const isOfThisRun = asOf !== null && startedAt !== null && asOf >= startedAt;
  return isOfThisRun || (isOver && asOf !== null) ? 'done' : 'waiting';
}

function shareOf(
  { mode, records, entity_count: count, complete }: EntitySyncStatus,
  phase: EntityProgress['phase'],
): number | undefined {
  if (phase === 'done') return 1;
  if (phase !== 'reading') return 0;
  // A full read brings about as many records as the copy has; the size of others is not known.
  return mode === 'full' && complete && count > 0 ? Math.min(1, (records ?? 0) / count) : undefined;
}

function toldOf(
  { records, pages, entity_count: count, error }: EntitySyncStatus,
  phase: EntityProgress['phase'],
): string {
  switch (phase) {
    case 'waiting':
    case 'paused':
      return phase;
    case 'reading':
      return `reading, ${countOf(records ?? 0, 'record')}, ${countOf(pages ?? 0, 'page')}`;
    case 'done':
      return `${countOf(count, 'record')} in the copy`;
    case 'failed':
      return error === null ? phase : printable(`${phase}: ${error.message} (${error.code})`);
  }
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
