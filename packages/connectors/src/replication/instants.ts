import type { InstantFormat, Since } from '../vocabulary/index.ts';
import type { ReadRequest } from './contract.ts';

export const DEFAULT_OVERLAP_SECONDS = 300;
const DAY_SECONDS = 86_400;

/** An instant, in milliseconds since 1970, as an upstream takes it. */
export function writtenInstant(as: InstantFormat, ms: number): number | string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return as === 'seconds' ? seconds : `${seconds}.000000`;
}

/**
 * From when on a read goes, in milliseconds since 1970; `undefined` where it goes over everything. An
 * increment begins a while before the last complete read did, but never before the start date; and no
 * read begins later than that while ago.
 */
export function beginningOf(
  since: Since,
  mode: 'full' | 'increment',
  { replicationConfig, asOf, startedAt }: ReadRequest,
): number | undefined {
  const { overlapSeconds = DEFAULT_OVERLAP_SECONDS, lookbackDays, startDate } = since;
  const days = lookbackDays === undefined ? 0 : Number(replicationConfig[lookbackDays] ?? 0);
  const backMs = Math.max(overlapSeconds, days * DAY_SECONDS) * 1000;
  const startText = startDate === undefined ? undefined : replicationConfig[startDate];
  // A checked setting: an instant with a real date.
  const startMs = typeof startText === 'string' ? Date.parse(startText) : undefined;
  const resumesMs = mode === 'full' || asOf === null ? undefined : asOf.getTime() - backMs;
  if (startMs === undefined && resumesMs === undefined) return undefined;
  const beginsMs = Math.max(startMs ?? 0, resumesMs ?? 0);
  return Math.min(beginsMs, startedAt.getTime() - overlapSeconds * 1000);
}
