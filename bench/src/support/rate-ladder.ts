import type { Sample } from './open-loop.ts';
import { percentiles } from './measure.ts';

/** How calls went that came at one rate. */
export interface RateStep {
  readonly perSecond: number;
  readonly calls: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** How many calls failed, by why. */
  readonly failures: Readonly<Record<string, number>>;
  /** How late the latest call was sent: what the machine itself took. */
  readonly latestMs: number;
  /** CPU time of the service for a call, and of the whole machine, load generator and database included. */
  readonly serviceCpuMs: number;
  readonly machineCpuMs: number;
}

/** What was reached by climbing. */
export interface Climb {
  readonly steps: readonly RateStep[];
  /** The highest rate at which nothing failed and p99 was kept; 0 where none was. */
  readonly heldPerSecond: number;
}

/** Raises the rate step by step, until p99 is above `p99Ms` or a call fails; that step is the last. */
export async function climb(
  rates: readonly number[],
  p99Ms: number,
  run: (perSecond: number) => Promise<RateStep>,
): Promise<Climb> {
  const steps: RateStep[] = [];
  let heldPerSecond = 0;
  for (const perSecond of rates) {
    const step = await run(perSecond);
    steps.push(step);
    if (step.p99 > p99Ms || Object.keys(step.failures).length > 0) break;
    heldPerSecond = perSecond;
  }
  return { steps, heldPerSecond };
}

/** The times of all calls, failed ones included, and why calls failed. */
export function summaryOf(
  samples: readonly Sample[],
): Pick<RateStep, 'calls' | 'p50' | 'p95' | 'p99' | 'failures'> {
  const failures: Record<string, number> = {};
  for (const { failure } of samples)
    if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
  return { calls: samples.length, ...percentiles(samples.map(({ ms }) => ms)), failures };
}
