/** Where the time of a call went, by the service's own clock; milliseconds (docs/wire.md#where-the-time-went). */
export interface ServerTimes {
  /** Until it might go out. */
  readonly waitMs: number;
  readonly upstreamMs: number;
  /** From its arrival to its answer, the two above included. */
  readonly totalMs: number;
}

/** What the header `Server-Timing` says; `undefined` where there is none, as behind a proxy that drops it. */
export function serverTimesOf(header: string | null): ServerTimes | undefined {
  const durations = new Map(
    [...(header ?? '').matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, name, ms]) => [
      name,
      Number(ms),
    ]),
  );
  const totalMs = durations.get('total');
  if (totalMs === undefined) return undefined;
  return {
    waitMs: durations.get('wait') ?? 0,
    upstreamMs: durations.get('upstream') ?? 0,
    totalMs,
  };
}
