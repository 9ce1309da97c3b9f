import type { ServerTimes } from '../../service/server-times.ts';

/** A part of the time that a call took. */
export interface TimePart {
  readonly name: 'waiting' | 'upstream' | 'service' | 'on the way';
  /** Where that is, for people who have not read the documents. */
  readonly doc: string;
  readonly ms: number;
}

const DOCS: Readonly<Record<TimePart['name'], string>> = {
  waiting: 'For its turn in the service, and for the budget of the upstream.',
  upstream: 'In requests to the upstream, all attempts together.',
  service: 'The service’s own work.',
  'on the way': 'Between this browser and the service.',
};

/** The round trip of a call in its parts, in the order of the way there and back. */
export function timePartsOf(times: ServerTimes, roundTripMs: number): readonly TimePart[] {
  const { waitMs, upstreamMs, totalMs } = times;
  const parts = [
    ['on the way', roundTripMs - totalMs],
    ['waiting', waitMs],
    ['service', totalMs - waitMs - upstreamMs],
    ['upstream', upstreamMs],
  ] as const;
  // Two clocks, and rounding: what is left over may be less than nothing.
  return parts.map(([name, ms]) => ({ name, doc: DOCS[name], ms: Math.max(0, ms) }));
}
