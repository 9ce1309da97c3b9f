import { Type } from 'typebox';
import { ConnectorError, type Clock } from '@patchbay/connectors';
import type { StatFigures, Stats as StatsOnWire } from '@patchbay/connectors/wire';
import type { StatCounts, Store } from '@patchbay/store';
import type { Access } from '../access/access.ts';
import { LATENCY_PARTS, latencyOf } from '../stats/latency.ts';
import { WHOLE_SERVICE } from '../stats/stat-recorder.ts';
import { checkBody, FaultList } from './input.ts';
import type { LiveConnectors } from './live-connectors.ts';

export interface StatsParts {
  readonly store: Pick<Store, 'stats'>;
  readonly live: Pick<LiveConnectors, 'requireNewest'>;
  /** @throws `application_not_found`, also for an application's token of another one. */
  readonly requireApplication: (access: Access, id: string) => Promise<unknown>;
  readonly clock: Clock;
}

/** How long what was counted is kept. */
export const STATS_KEPT_MS = 7 * 86_400_000;
export const MOST_POINTS = 1_500;
export const LONGEST_STEP_SECONDS = 86_400;
export const SHORTEST_STEP_SECONDS = 60;

const DEFAULT_SPAN_MS = 3_600_000;
const DEFAULT_STEPS = [60, 300, 900, 3_600, 21_600];
/** As many as a chart shows. */
const POINTS_OF_DEFAULT = 360;

const TEXT = { schema: Type.String(), isRequired: false, expects: 'a single value' };
const INSTANT = {
  schema: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,3})?Z$' }),
  isRequired: false,
  expects: 'an instant in UTC, as in 2026-11-22T10:00:00Z',
};
const MEMBERS = {
  from: INSTANT,
  to: INSTANT,
  step: {
    schema: Type.String({ pattern: '^[1-9]\\d{0,4}$' }),
    isRequired: false,
    expects: 'a whole number of seconds',
  },
  application_id: TEXT,
  connector_id: TEXT,
} as const;

/** What was counted, for charts. */
export class Stats {
  readonly #parts: StatsParts;

  constructor(parts: StatsParts) {
    this.#parts = parts;
  }

  /**
   * Of a connector, or an application, or for the operator of the whole service.
   *
   * @throws `invalid_request`; `connector_not_found`, `application_not_found` for what is out of reach.
   */
  async read(access: Access, query: Readonly<Record<string, unknown>>): Promise<StatsOnWire> {
    const { clock, store } = this.#parts;
    const { fromMs, toMs, stepSeconds, ...whose } = checkStatsQuery(query, clock.now());
    const points = await store.stats.series({
      subjectId: await this.#subjectOf(access, whose),
      from: new Date(fromMs),
      to: new Date(toMs),
      stepSeconds,
      latencyParts: LATENCY_PARTS,
    });
    const found = new Map(points.map((point) => [point.at.getTime(), point]));
    const stepMs = stepSeconds * 1_000;
    const instants = Array.from(
      { length: (toMs - fromMs) / stepMs },
      (_, index) => fromMs + index * stepMs,
    );
    return {
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      step: stepSeconds,
      total: viewCounts(points.reduce(sumOf, NOTHING)),
      series: instants.map((ms) => ({
        at: new Date(ms).toISOString(),
        ...viewCounts(found.get(ms) ?? NOTHING),
      })),
    };
  }

  async #subjectOf(access: Access, { applicationId, connectorId }: Whose): Promise<string> {
    if (applicationId !== undefined) await this.#parts.requireApplication(access, applicationId);
    if (connectorId !== undefined) {
      const { row } = await this.#parts.live.requireNewest(access, connectorId);
      if (applicationId === undefined || row.applicationId === applicationId) return row.id;
      throw notOfApplication(connectorId, applicationId);
    }
    if (applicationId !== undefined) return applicationId;
    return access.type === 'operator' ? WHOLE_SERVICE : access.applicationId;
  }
}

interface Whose {
  readonly applicationId: string | undefined;
  readonly connectorId: string | undefined;
}

interface StatsQuery extends Whose {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepSeconds: number;
}

/** Both ends are moved outwards to multiples of the step, and to where there can be anything. */
function checkStatsQuery(input: Readonly<Record<string, unknown>>, nowMs: number): StatsQuery {
  const faults = new FaultList();
  const values = checkBody(MEMBERS, input, faults);
  const to = instantOf('to', values, faults) ?? nowMs;
  const from = instantOf('from', values, faults) ?? to - DEFAULT_SPAN_MS;
  if (from >= to) faults.add(fault('from', 'must be before to'));
  const fromMs = Math.max(from, nowMs - STATS_KEPT_MS);
  const toMs = Math.min(to, nowMs);
  const given = values['step'];
  const stepSeconds = typeof given === 'string' ? Number(given) : stepFor(toMs - fromMs);
  const problem = stepProblem(stepSeconds, toMs - fromMs);
  if (problem !== undefined) faults.add(fault('step', problem));
  faults.throwAny();
  const stepMs = stepSeconds * 1_000;
  const beginning = Math.floor(fromMs / stepMs) * stepMs;
  return {
    fromMs: beginning,
    // Of what is to come, or longer ago than is kept, there is no point.
    toMs: toMs > fromMs ? Math.ceil(toMs / stepMs) * stepMs : beginning,
    stepSeconds,
    applicationId: lowerCase(values['application_id']),
    connectorId: lowerCase(values['connector_id']),
  };
}

function instantOf(
  field: string,
  values: Readonly<Record<string, unknown>>,
  faults: FaultList,
): number | undefined {
  const given = values[field];
  if (typeof given !== 'string') return undefined;
  const ms = Date.parse(given);
  // Of 30 February `Date` would make one of March.
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(given.slice(0, DAY_LENGTH)))
    return ms;
  faults.add(fault(field, 'must be an instant that there is'));
  return undefined;
}

/** Of an instant in UTC, the day: `YYYY-MM-DD`. */
const DAY_LENGTH = 10;

function stepFor(spanMs: number): number {
  const fits = (step: number) => spanMs / (step * 1_000) <= POINTS_OF_DEFAULT;
  return DEFAULT_STEPS.find(fits) ?? LONGEST_STEP_SECONDS;
}

function stepProblem(stepSeconds: number, spanMs: number): string | undefined {
  const isWhole = stepSeconds % SHORTEST_STEP_SECONDS === 0;
  if (!isWhole || stepSeconds > LONGEST_STEP_SECONDS)
    return `must be a multiple of ${SHORTEST_STEP_SECONDS}, up to ${LONGEST_STEP_SECONDS}`;
  if (spanMs / (stepSeconds * 1_000) <= MOST_POINTS) return undefined;
  return `must be longer: there are at most ${MOST_POINTS} points`;
}

function fault(field: string, message: string) {
  return { field, message, errorCode: 'not_allowed' } as const;
}

function lowerCase(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

const NOTHING: StatCounts = {
  calls: 0,
  errors: 0,
  latency: [],
  upstreamRequests: 0,
  upstreamWaitMs: 0,
  records: 0,
};

function sumOf(a: StatCounts, b: StatCounts): StatCounts {
  return {
    calls: a.calls + b.calls,
    errors: a.errors + b.errors,
    latency: b.latency.map((count, part) => count + (a.latency[part] ?? 0)),
    upstreamRequests: a.upstreamRequests + b.upstreamRequests,
    upstreamWaitMs: a.upstreamWaitMs + b.upstreamWaitMs,
    records: a.records + b.records,
  };
}

function viewCounts(counts: StatCounts): StatFigures {
  const { calls, errors, latency, upstreamRequests, upstreamWaitMs, records } = counts;
  const [p50, p95] = [0.5, 0.95].map((share) => latencyOf(latency, share));
  return {
    calls,
    errors,
    latency_ms:
      p50 === undefined || p95 === undefined ? null : { p50: rounded(p50), p95: rounded(p95) },
    upstream_requests: upstreamRequests,
    upstream_wait_ms: upstreamWaitMs,
    records,
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function notOfApplication(
  id: string,
  applicationId: string,
): ConnectorError<'connector_not_found'> {
  return new ConnectorError(
    'connector_not_found',
    { id },
    { message: `The connector ${id} is none of the application ${applicationId}.` },
  );
}
