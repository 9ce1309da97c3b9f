import { OPERATIONS, type Operation } from './light-load.ts';
import type { Phase } from './neighbours-run.ts';

/** What light tenants are promised beside anybody else, in milliseconds. */
export interface Promised {
  /** Of those that read, at the 99th percentile. */
  readonly readMs: number;
  /** At most. */
  readonly healthMs: number;
}

type Seen = Pick<Phase, 'light' | 'lived' | 'copySeconds'>;

/** A 99th percentile below this is none that anybody notices, whatever it was alone. */
const UNNOTICED_MS = 50;
const UNNOTICED_SECONDS = 5;
const MOST = 2;
const READS: readonly Operation[] = ['get', 'list', 'search'];

/** What a phase broke of what was promised; nothing where all of it was kept. */
export function brokenPromises(phase: Seen, alone: Seen, promised: Promised): readonly string[] {
  const { light, lived, copySeconds } = phase;
  const broken: string[] = [];
  if (!lived) broken.push('the process ended');
  for (const operation of OPERATIONS) {
    const { p99, failures } = light.operations[operation];
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    if (failed > 0) broken.push(`${operation} failed ${failed} times`);
    if (READS.includes(operation) && p99 > promised.readMs)
      broken.push(`${operation} over ${promised.readMs} ms`);
    if (p99 > UNNOTICED_MS && p99 > MOST * alone.light.operations[operation].p99)
      broken.push(`${operation} × ${(p99 / alone.light.operations[operation].p99).toFixed(1)}`);
  }
  if (light.health.failures > 0) broken.push(`/healthz failed ${light.health.failures} times`);
  if (light.health.longestMs > promised.healthMs)
    broken.push(`/healthz over ${promised.healthMs} ms`);
  if (copySeconds !== undefined && copySeconds > MOST * copySecondsOf(alone))
    broken.push(`a first copy took ${copySeconds.toFixed(1)} s`);
  return broken;
}

/** How much longer than alone the operation that suffers most takes, at the 99th percentile. */
export function worstRatio(phase: Seen, alone: Seen): number {
  return Math.max(
    ...OPERATIONS.map(
      (operation) => phase.light.operations[operation].p99 / alone.light.operations[operation].p99,
    ),
  );
}

function copySecondsOf({ copySeconds = 0 }: Seen): number {
  return Math.max(copySeconds, UNNOTICED_SECONDS / MOST);
}
