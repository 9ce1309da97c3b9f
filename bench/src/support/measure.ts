/** One line of a benchmark's result. */
export interface BenchResult {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The name of the result that this one is compared with. */
  readonly of?: string;
  /** value divided by the value of `of`. */
  readonly ratio?: number;
  /** Milliseconds above the value of `of`. */
  readonly overMs?: number;
  readonly p95?: number;
  readonly p99?: number;
  /** What `value` should be at most. */
  readonly aim?: number;
}

/** A contender: one operation, to be timed. */
interface Contender {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/**
 * Times contenders against each other and returns the median milliseconds of each. They take turns,
 * each round beginning with another, so that a noisy machine and leftover garbage hit all alike.
 */
export async function medianMilliseconds(
  contenders: readonly Contender[],
  rounds: { readonly warmup: number; readonly timed: number },
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds.warmup + rounds.timed; round++)
    for (const { name, run } of rotated(contenders, round)) {
      const startedAt = performance.now();
      await run();
      if (round >= rounds.warmup) times.get(name)?.push(performance.now() - startedAt);
    }
  return new Map([...times].map(([name, list]) => [name, median(list)]));
}

/** Runs `run` with the given concurrency for a while; returns operations per second. */
export async function throughput(
  run: () => Promise<unknown>,
  options: { readonly concurrency: number; readonly durationMs: number },
): Promise<number> {
  const endsAt = performance.now() + options.durationMs;
  let done = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: options.concurrency }, async () => {
      while (performance.now() < endsAt) {
        await run();
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - startedAt);
}

/** The values that 50, 95 and 99 % of the given ones do not exceed. */
export function percentiles(values: readonly number[]): {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
} {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** A result compared with another one. */
export function compared(
  values: ReadonlyMap<string, number>,
  { name, unit, of }: { readonly name: string; readonly unit: string; readonly of: string },
): BenchResult {
  const value = values.get(name) ?? Number.NaN;
  const limit = values.get(of) ?? Number.NaN;
  return { name, value: rounded(value), unit, of, ratio: rounded(value / limit) };
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
