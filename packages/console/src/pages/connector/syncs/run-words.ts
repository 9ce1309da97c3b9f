import type { SyncRun } from '@patchbay/client';

const CAUSES: Readonly<Record<string, string>> = {
  creation: 'first copy',
  schedule: 'on schedule',
  demand: 'asked for',
  credentials: 'other credentials',
  definition: 'other settings or definition',
};

/** Why there was a sync; causes of later services stand for themselves. */
export function causeText(cause: string): string {
  return CAUSES[cause] ?? cause;
}

/** How long a sync took, in seconds; `undefined` before its end. */
export function secondsOf({ started_at: from, finished_at: to }: SyncRun): number | undefined {
  if (from === null || to === null) return undefined;
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);
}
