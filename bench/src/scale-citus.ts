import type { BenchOptions } from './support/bench-options.ts';
import { startServerProcess } from './processes/child.ts';
import {
  startClusterDatabase,
  type ClusterDatabase,
  type ShardCounts,
} from './support/cluster-database.ts';
import { HandSql } from './search/hand-sql.ts';
import { medianMilliseconds, rounded, type BenchResult } from './support/measure.ts';
import { pause, replicate } from './support/replicated.ts';
import { SEARCH_CASES, type Question } from './search/search-cases.ts';
import { readColumns, readSample } from './search/search-load.ts';
import { SearchTerms } from './search/search-terms.ts';
import { serviceCalls, type ServiceCalls } from './support/service-calls.ts';

const DEFAULT_ROWS = 20_000;
const DEFAULT_SEED = 1;
const WORKERS = 2;
/** Of each case; the first few are not measured. */
const QUESTIONS = 30;
const WARM_UP = 5;

/** One of the two databases, with a service on it that has copied the account. */
interface Side {
  readonly name: string;
  readonly database: ClusterDatabase;
  readonly service: ServiceCalls;
  readonly connectorId: string;
  readonly records: number;
  readonly recordsPerSecond: number;
  readonly syncStatements: ShardCounts;
}

/** Median milliseconds of the searches of a case, on each side. */
interface Compared {
  readonly searchCase: string;
  readonly one: number;
  readonly cluster: number;
}

/**
 * Replicates an Intercom account with that many contacts, and searches it, on one PostgreSQL and on a Citus cluster
 * of three nodes on the same machine: it tells what distribution costs, not what more machines bring. They are asked
 * every question one after the other, so that a noisy machine hits both alike.
 */
export async function benchScaleCitus({
  rows = DEFAULT_ROWS,
  seed = DEFAULT_SEED,
}: Pick<BenchOptions, 'rows' | 'seed'>): Promise<readonly BenchResult[]> {
  await using resources = new AsyncDisposableStack();
  const sandbox = resources.use(
    await startServerProcess('sandbox-process.ts', { BENCH_SCALE: String(rows) }),
  );
  const upstream = sandbox.ready['intercom'] ?? '';
  const one = await startSide(0, { upstream, resources });
  const cluster = await startSide(WORKERS, { upstream, resources });
  const before = await cluster.database.countStatements();
  const searches = await search(one, cluster, seed);
  const searchStatements = between(before, await cluster.database.countStatements());
  return [
    ...syncLines(one, cluster),
    ...searches.flatMap((compared) => searchLines(compared, one.name, cluster.name)),
    slowestLine(searches),
    shareLine('the sync', cluster.syncStatements),
    shareLine('the searches', searchStatements),
  ];
}

async function startSide(
  workers: number,
  parts: { readonly upstream: string; readonly resources: AsyncDisposableStack },
): Promise<Side> {
  const database = parts.resources.use(await startClusterDatabase(workers));
  const replica = parts.resources.use(
    await startServerProcess('replica-process.ts', {
      ...database.environment,
      BENCH_UPSTREAM: parts.upstream,
    }),
  );
  const service = parts.resources.use(serviceCalls(replica.ready, 1));
  const before = await database.countStatements();
  const { connectorId, seconds, records } = await replicate(service, 'bench');
  await pause(service, connectorId);
  const total = [...records.values()].reduce((sum, count) => sum + count, 0);
  return {
    name: database.name,
    database,
    service,
    connectorId,
    records: total,
    recordsPerSecond: total / seconds,
    syncStatements: between(before, await database.countStatements()),
  };
}

async function search(one: Side, cluster: Side, seed: number): Promise<readonly Compared[]> {
  // Both have copied the same, so the terms of one are those of the other.
  const sample = await readSample(one.database, one.connectorId, seed);
  const sql = new HandSql(one.connectorId, await readColumns(one.database));
  const searches: Compared[] = [];
  for (const [index, { name, ask: draw }] of SEARCH_CASES.entries()) {
    const terms = new SearchTerms(sample, seed + index);
    const questions = Array.from({ length: QUESTIONS }, () => draw(terms, sql));
    const medians = await medianMilliseconds(
      [
        { name: one.name, run: askInTurn(one, questions) },
        { name: cluster.name, run: askInTurn(cluster, questions) },
      ],
      { warmup: WARM_UP, timed: QUESTIONS - WARM_UP },
    );
    searches.push({
      searchCase: name,
      one: medians.get(one.name) ?? Number.NaN,
      cluster: medians.get(cluster.name) ?? Number.NaN,
    });
  }
  return searches;
}

/** Each call asks the next question. */
function askInTurn({ service, connectorId }: Side, questions: readonly Question[]) {
  const path = `/api/v1/connectors/sources/${connectorId}/execute`;
  const left = questions.values();
  return async () => {
    const { value: question } = left.next();
    if (question === undefined) throw new Error('all questions have been asked');
    const { params } = question;
    return await service.call('POST', path, { entity: 'contacts', action: 'search', params });
  };
}

function syncLines(one: Side, cluster: Side): readonly BenchResult[] {
  const nameOf = ({ records, name }: Side) => `sync of ${records} records, ${name}`;
  const unit = 'records/s';
  return [
    { name: nameOf(one), value: Math.round(one.recordsPerSecond), unit },
    {
      name: nameOf(cluster),
      value: Math.round(cluster.recordsPerSecond),
      unit,
      of: nameOf(one),
      ratio: rounded(cluster.recordsPerSecond / one.recordsPerSecond),
    },
  ];
}

function searchLines(
  { searchCase, one, cluster }: Compared,
  nameOfOne: string,
  nameOfCluster: string,
): readonly BenchResult[] {
  const of = `${searchCase}, ${nameOfOne}`;
  const name = `${searchCase}, ${nameOfCluster}`;
  return [
    { name: of, value: rounded(one), unit: 'ms' },
    { name, value: rounded(cluster), unit: 'ms', of, ratio: rounded(cluster / one) },
  ];
}

function slowestLine(searches: readonly Compared[]): BenchResult {
  const [slowest] = searches.toSorted((a, b) => b.cluster / b.one - a.cluster / a.one);
  if (slowest === undefined) throw new Error('nothing was searched');
  const { searchCase, one, cluster } = slowest;
  const value = rounded(cluster / one);
  return { name: `the slowest ratio, ${searchCase}`, value, unit: 'times one PostgreSQL' };
}

function shareLine(what: string, { one, several }: ShardCounts): BenchResult {
  return {
    name: `statements of ${what} that go to one shard, of ${one + several}`,
    value: rounded((100 * one) / (one + several)),
    unit: '%',
  };
}

function between(from: ShardCounts, to: ShardCounts): ShardCounts {
  return { one: to.one - from.one, several: to.several - from.several };
}
