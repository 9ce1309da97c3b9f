import { Pool } from 'undici';
import { startServerProcess, type ServerProcess } from './processes/child.ts';
import { compared, median, rounded, throughput, type BenchResult } from './support/measure.ts';

const CONCURRENCY = 64;
const ROUNDS = 15;
const ROUND_MS = 1_000;

const CALLS = 'requests/s';
const CPU = 'µs of CPU per call';

/** One side of the comparison: the process that answers, and what calls it. */
interface Contender {
  readonly name: string;
  readonly process: ServerProcess;
  readonly run: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Hosted `users.get` at concurrency 64, against a bare Fastify handler that forwards with undici.
 * Upstream, service, forwarder and load are four processes that share the machine's cores, so the
 * rates depend on all four; the CPU time per call is that of the process that answers alone.
 */
export async function benchExecute(): Promise<readonly BenchResult[]> {
  await using sandbox = await startServerProcess('sandbox-process.ts');
  const upstream = { BENCH_UPSTREAM: sandbox.ready['slack'] ?? '' };
  await using forwarder = await startServerProcess('forwarder-process.ts', upstream);
  await using service = await startServerProcess('service-process.ts', upstream);
  await untilCopied(service.ready);
  const user = await firstUser(upstream.BENCH_UPSTREAM);
  const body = JSON.stringify({ entity: 'users', action: 'get', params: { user } });
  const limit = 'bare Fastify + undici';
  const contenders: readonly Contender[] = [
    { name: limit, process: forwarder, ...target(forwarder.ready, body) },
    { name: 'patchbay execute users.get', process: service, ...target(service.ready, body) },
  ];
  const rounds = new Map(contenders.map(({ name }) => [name, new Array<Round>()]));
  for (const contender of contenders) await runRound(contender);
  for (let round = 0; round < ROUNDS; round++)
    for (const contender of contenders) rounds.get(contender.name)?.push(await runRound(contender));
  await Promise.all(contenders.map(({ close }) => close()));
  return [
    ...results(CALLS, rounds, ({ callsPerSecond }) => callsPerSecond),
    ...results(CPU, rounds, ({ cpuMicroseconds }) => cpuMicroseconds),
  ];

  function results(
    unit: string,
    all: ReadonlyMap<string, readonly Round[]>,
    of: (round: Round) => number,
  ): readonly BenchResult[] {
    const medians = new Map([...all].map(([name, list]) => [name, median(list.map(of))]));
    return contenders.map(({ name }) =>
      name === limit
        ? { name, value: rounded(medians.get(limit) ?? Number.NaN), unit }
        : compared(medians, { name, unit, of: limit }),
    );
  }
}

interface Round {
  readonly callsPerSecond: number;
  /** Per call, of the process that answers. */
  readonly cpuMicroseconds: number;
}

async function runRound({ process, run }: Contender): Promise<Round> {
  let calls = 0;
  const counted = async () => {
    await run();
    calls++;
  };
  const before = await process.usage();
  const options = { concurrency: CONCURRENCY, durationMs: ROUND_MS };
  const callsPerSecond = await throughput(counted, options);
  const after = await process.usage();
  return {
    callsPerSecond,
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / calls,
  };
}

/** The first copy is made when the connector is: it must not count as cost of calls. */
async function untilCopied({ sync = '', token = '' }: ServerProcess['ready']): Promise<void> {
  const events = await fetch(sync, { headers: { authorization: `Bearer ${token}` } });
  if (!(await events.text()).includes('event: end')) throw new Error('the first sync did not end');
}

/** A keep-alive client for the URL and token that a server process gave. */
function target(
  ready: Readonly<Record<string, string>>,
  body: string,
): { run: () => Promise<void>; close: () => Promise<void> } {
  const url = new URL(ready['execute'] ?? '');
  const pool = new Pool(url.origin, { connections: CONCURRENCY });
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${ready['token'] ?? 'none'}`,
  };
  return {
    run: async () => {
      const answer = await pool.request({ method: 'POST', path: url.pathname, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}: ${text}`);
    },
    close: () => pool.close(),
  };
}

async function firstUser(upstream: string): Promise<string> {
  const answer = await fetch(`${upstream}/users.list?limit=1`, {
    headers: { authorization: 'Bearer bench' },
  });
  // The sandbox answers users.list as Slack does.
  const { members } = (await answer.json()) as { members: readonly { id: string }[] };
  return members[0]?.id ?? '';
}
