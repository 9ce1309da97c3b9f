import { setTimeout as wait } from 'node:timers/promises';
import type { Statements } from './support/bench-database.ts';
import type { BenchOptions } from './support/bench-options.ts';
import type { ServerProcess } from './processes/child.ts';
import { HandSql } from './search/hand-sql.ts';
import { describeMachine, machineCpuMs } from './support/machine.ts';
import { percentiles, rounded, type BenchResult } from './support/measure.ts';
import { runOpenLoop, type Sample } from './support/open-loop.ts';
import { writeResults } from './search/benchmarks-files.ts';
import { climb, summaryOf, type Climb, type RateStep } from './support/rate-ladder.ts';
import {
  EVERYDAY,
  PAGE,
  SEARCH_CASES,
  type Question,
  type SearchCase,
} from './search/search-cases.ts';
import { loadDatabase, type LoadedDatabase } from './search/search-load.ts';
import type { CaseResult, SearchResults } from './search/search-results.ts';
import { SearchTerms, shuffled } from './search/search-terms.ts';
import { RefusedCall, serviceCalls, type ServiceCalls } from './support/service-calls.ts';

const DEFAULT_SEED = 1;
/** Each case asks so many different questions, each as often as any other. */
const QUESTIONS = 100;
/** Asked before, of other terms, and not measured. */
const WARM_UP = 10;
/** Each case is measured so often, or for `MOST_MS` if that is shorter, but so many questions at least. */
const CALLS = 200;
const MOST_MS = 10_000;
const LEAST_QUESTIONS = 40;

const RATES = [10, 20, 30, 40, 60, 80, 100, 120, 150, 200, 300, 400];
const MOST_P99_MS = 100;
const DEFAULT_SECONDS = 20;
/** Of one user's, more searches than that do not even wait. */
const CONNECTIONS = 128;
/** What is left of a rate is over before the next one begins. */
const BETWEEN_RATES_MS = 1_000;

/** A case and what it asks. */
interface Asked {
  readonly searchCase: SearchCase;
  readonly questions: readonly Question[];
}

/**
 * Searches over HTTP in one connector with many contacts beside a thousand small ones, all replicated
 * from the sandbox: every operator, with terms that a seed draws from the data. One after another
 * first; then those of every day mixed, and all of them, at rising rates. Then the same questions as
 * SQL by hand over one connection: the least that a search can take.
 */
export async function benchSearch(options: BenchOptions): Promise<readonly BenchResult[]> {
  const { seed = DEFAULT_SEED } = options;
  if (options.results && options.only !== undefined)
    throw new Error(
      'Results are written of all searches, not of some: leave --only or --results out.',
    );
  await using loaded = await loadDatabase(options, seed);
  const asked = draw(loaded, casesNamed(options.only));
  const measured = await measureService(loaded, asked, options.seconds ?? DEFAULT_SECONDS);
  await using statements = await loaded.database.connect();
  const byHand = await measureByHand(asked, statements);
  const { rows, tenants, loadSeconds } = loaded.facts;
  const cases = measured.cases.map((each) => ({ ...each, byHand: byHand.get(each.name) ?? null }));
  const results: SearchResults = {
    bench: 'search',
    database: loaded.database.name,
    at: new Date().toISOString(),
    machine: await describeMachine(statements),
    load: { rows, tenants, seconds: Math.round(loadSeconds), seed, questions: QUESTIONS },
    ...measured,
    cases,
  };
  if (options.results) await writeResults(results);
  return linesOf(results);
}

/** @throws Error for a part of a name that no case has. */
function casesNamed(only: readonly string[] | undefined): readonly SearchCase[] {
  const wanted = only ?? [''];
  const lost = wanted.find((part) => !SEARCH_CASES.some(({ name }) => name.includes(part)));
  if (lost !== undefined)
    throw new Error(
      `No search is named ${lost}: ${SEARCH_CASES.map(({ name }) => name).join('; ')}.`,
    );
  return SEARCH_CASES.filter(({ name }) => wanted.some((part) => name.includes(part)));
}

/** Each case draws by itself, so that what one asks does not depend on which others are run. */
function draw(
  { sample, facts, seed, columns }: LoadedDatabase,
  cases: readonly SearchCase[],
): readonly Asked[] {
  const sql = new HandSql(facts.connectorId, columns);
  return cases.map((searchCase) => {
    const terms = new SearchTerms(sample, seed + SEARCH_CASES.indexOf(searchCase) * 1_000);
    const questions = Array.from({ length: QUESTIONS + WARM_UP }, () => searchCase.ask(terms, sql));
    return { searchCase, questions };
  });
}

interface Measured {
  readonly cases: readonly Omit<CaseResult, 'byHand'>[];
  readonly everyday: Climb;
  readonly openLoop: Climb;
  readonly peakMegabytes: number;
}

async function measureService(
  loaded: LoadedDatabase,
  asked: readonly Asked[],
  seconds: number,
): Promise<Measured> {
  await using replica = await loaded.startService();
  await using service = serviceCalls(replica.ready, CONNECTIONS);
  const ask = asker(service, loaded.facts.connectorId);
  const cases: Omit<CaseResult, 'byHand'>[] = [];
  const known: Asked[] = [];
  for (const each of asked) {
    const result = await measureCase(each, ask, replica);
    if (result === undefined) continue;
    cases.push(result);
    known.push(each);
  }
  const climbWith = async (mixed: readonly Asked[]) => {
    const mix = mixOf(mixed, loaded.seed);
    return await climb(mix.length === 0 ? [] : RATES, MOST_P99_MS, async (perSecond) => {
      const step = await measureRate({ perSecond, seconds, mix }, ask, replica);
      console.error(
        `${perSecond} a second: p50 ${step.p50} ms, p99 ${step.p99} ms, CPU of the service ${step.serviceCpuMs} and of the machine ${step.machineCpuMs} ms a call ${JSON.stringify(step.failures)}`,
      );
      await wait(BETWEEN_RATES_MS);
      return step;
    });
  };
  console.error('everyday searches at rising rates:');
  const everyday = await climbWith(known.filter(({ searchCase }) => EVERYDAY.has(searchCase.name)));
  console.error('searches of all sorts at rising rates:');
  const openLoop = await climbWith(known);
  const peakMegabytes = Math.round((await replica.usage()).peakBytes / 1e6);
  return { cases, everyday, openLoop, peakMegabytes };
}

type Ask = (question: Question) => Promise<Sample>;

interface Answer {
  readonly result: { readonly next_cursor: string | null };
}

/** Asks, and times the answer; of questions behind other hits only what comes behind. */
function asker(service: ServiceCalls, connectorId: string): Ask {
  const path = `/api/v1/connectors/sources/${connectorId}/execute`;
  const search = async (params: unknown) =>
    // As docs/wire.md#two-shapes has it.
    (await service.call('POST', path, { entity: 'contacts', action: 'search', params })) as Answer;
  return async ({ params, behind }) => {
    const before = behind === undefined ? undefined : await search({ ...params, limit: behind });
    const cursor = before?.result.next_cursor;
    const startedAt = performance.now();
    try {
      await search(cursor === undefined ? params : { ...params, cursor });
      return { ms: performance.now() - startedAt };
    } catch (error) {
      const failure = error instanceof RefusedCall ? error.code : String(error);
      return { ms: performance.now() - startedAt, failure };
    }
  };
}

/** Nothing for a search that this version does not know. */
async function measureCase(
  { searchCase, questions }: Asked,
  ask: Ask,
  replica: ServerProcess,
): Promise<Omit<CaseResult, 'byHand'> | undefined> {
  const { name, aimMs } = searchCase;
  for (const question of questions.slice(QUESTIONS)) {
    const { failure } = await ask(question);
    if (failure !== 'invalid_params') continue;
    console.error(`${name}: this version does not know it`);
    return undefined;
  }
  const cpuBefore = (await replica.usage()).cpuMicroseconds;
  const samples: Sample[] = [];
  const endsAt = performance.now() + MOST_MS;
  for (let nth = 0; nth < CALLS; nth++) {
    if (nth >= LEAST_QUESTIONS && performance.now() > endsAt) break;
    const question = questions[nth % QUESTIONS];
    if (question !== undefined) samples.push(await ask(question));
  }
  const cpuMicroseconds = (await replica.usage()).cpuMicroseconds - cpuBefore;
  const { calls, p50, p95, p99, failures } = summaryOf(samples);
  const times = { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) };
  const serviceCpuMs = rounded(cpuMicroseconds / 1_000 / calls);
  console.error(
    `${name}: ${JSON.stringify({ ...times, serviceCpuMs })} ${JSON.stringify(failures)}`,
  );
  return { name, calls, ...times, failures, serviceCpuMs, aimMs };
}

/** The questions of all cases, each case as often as its weight has it, in an order that the seed decides. */
function mixOf(asked: readonly Asked[], seed: number): readonly Question[] {
  const mix = asked.flatMap(({ questions, searchCase }) =>
    Array.from({ length: searchCase.weight }, () => questions.slice(0, QUESTIONS)).flat(),
  );
  return shuffled(
    // What comes behind other hits takes a call before.
    mix.filter(({ behind }) => behind === undefined),
    seed,
  );
}

async function measureRate(
  { perSecond, seconds, mix }: { perSecond: number; seconds: number; mix: readonly Question[] },
  ask: Ask,
  replica: ServerProcess,
): Promise<RateStep> {
  const machineBefore = machineCpuMs();
  const cpuBefore = (await replica.usage()).cpuMicroseconds;
  const { samples, latestMs } = await runOpenLoop({
    perSecond,
    seconds,
    offsetMs: 0,
    call: (nth) => {
      const question = mix[nth % mix.length];
      if (question === undefined) throw new Error('there is nothing to ask');
      return ask(question);
    },
  });
  const cpuMicroseconds = (await replica.usage()).cpuMicroseconds - cpuBefore;
  const summary = summaryOf(samples);
  return {
    perSecond,
    ...summary,
    p50: rounded(summary.p50),
    p95: rounded(summary.p95),
    p99: rounded(summary.p99),
    latestMs: rounded(latestMs),
    serviceCpuMs: rounded(cpuMicroseconds / 1_000 / summary.calls),
    machineCpuMs: rounded((machineCpuMs() - machineBefore) / summary.calls),
  };
}

async function measureByHand(
  asked: readonly Asked[],
  statements: Statements,
): Promise<ReadonlyMap<string, CaseResult['byHand']>> {
  const byHand = new Map<string, CaseResult['byHand']>();
  for (const { searchCase, questions } of asked) {
    for (const question of questions.slice(QUESTIONS)) await answerByHand(question, statements);
    const times: number[] = [];
    const endsAt = performance.now() + MOST_MS;
    for (const question of questions.slice(0, QUESTIONS)) {
      if (times.length >= LEAST_QUESTIONS && performance.now() > endsAt) break;
      const startedAt = performance.now();
      await answerByHand(question, statements);
      times.push(performance.now() - startedAt);
    }
    const { p50, p95, p99 } = percentiles(times);
    const rounds = { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) };
    console.error(`${searchCase.name}, by hand: ${JSON.stringify(rounds)}`);
    byHand.set(searchCase.name, rounds);
  }
  return byHand;
}

async function answerByHand(question: Question, statements: Statements): Promise<void> {
  let found = 0;
  for (const { text, values } of question.statements) {
    found += (await statements.run(text, values)).length;
    if (question.stopsWhenFull === true && found >= PAGE) return;
  }
}

function linesOf({
  cases,
  everyday,
  openLoop,
  peakMegabytes,
}: SearchResults): readonly BenchResult[] {
  return [
    ...cases.map(({ name, p50, p95, p99, aimMs, byHand, failures }) => ({
      name,
      value: p50,
      unit: 'ms (p50)',
      p95,
      p99,
      aim: aimMs.p50,
      ...(byHand === null ? {} : { of: 'SQL by hand', overMs: rounded(p50 - byHand.p50) }),
      ...(Object.keys(failures).length === 0 ? {} : { failures: JSON.stringify(failures) }),
    })),
    {
      name: `everyday searches held with p99 of at most ${MOST_P99_MS} ms and no failures`,
      value: everyday.heldPerSecond,
      unit: 'searches/s',
    },
    {
      name: `searches of all sorts held with p99 of at most ${MOST_P99_MS} ms and no failures`,
      value: openLoop.heldPerSecond,
      unit: 'searches/s',
    },
    { name: 'peak memory of the service', value: peakMegabytes, unit: 'MB' },
  ];
}
