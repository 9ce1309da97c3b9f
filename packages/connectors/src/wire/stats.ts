import { Type } from 'typebox';
import { count, instant, orNull, type Wire } from './shape.ts';

const figures = {
  calls: count('Calls and searches of connectors, those with tools included.'),
  errors: count('Of those, the ones that did not succeed.'),
  latency_ms: orNull(
    Type.Object({
      p50: Type.Number({ minimum: 0, description: 'Half of the calls took no longer.' }),
      p95: Type.Number({ minimum: 0, description: '95 % of the calls took no longer.' }),
    }),
    'How long the calls took, estimated; null where there were none.',
  ),
  upstream_requests: count('Requests to upstreams, of calls and of syncs.'),
  upstream_wait_ms: count("How long they waited for the upstream's budget, all together."),
  records: count('Records that syncs have copied, unchanged ones included.'),
};

/** What happened in some time. */
export const StatFigures = Type.Object(figures);
export type StatFigures = Wire<typeof StatFigures>;

/** What happened in one step of a series. */
export const StatPoint = Type.Object({ at: instant('When it begins.'), ...figures });
export type StatPoint = Wire<typeof StatPoint>;

/** What happened over time. */
export const Stats = Type.Object({
  from: instant('When the first point begins.'),
  to: instant('When the last point ends.'),
  step: Type.Integer({ minimum: 60, description: 'Seconds from a point to the next.' }),
  total: StatFigures,
  series: Type.Array(StatPoint, { description: 'One for every step, in order.' }),
});
export type Stats = Wire<typeof Stats>;
