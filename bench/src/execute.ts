import { Pool } from 'undici';
import { startServerProcess } from './support/child.ts';
import { compared, median, rounded, throughput, type BenchResult } from './support/measure.ts';

const CONCURRENCY = 64;
const ROUNDS = 5;
const ROUND_MS = 2_000;
const UNIT = 'requests/s';

/**
 * Hosted `users.get` at concurrency 64, against a bare Fastify handler that forwards with undici.
 * Upstream, service, forwarder and load are four processes; they share the machine's cores alike.
 */
export async function benchExecute(): Promise<readonly BenchResult[]> {
  await using sandbox = await startServerProcess('sandbox-process.ts');
  const upstream = { BENCH_UPSTREAM: sandbox.ready['slack'] ?? '' };
  await using forwarder = await startServerProcess('forwarder-process.ts', upstream);
  await using service = await startServerProcess('service-process.ts', upstream);
  const user = await firstUser(upstream.BENCH_UPSTREAM);
  const body = JSON.stringify({ entity: 'users', action: 'get', params: { user } });
  const contenders = [
    { name: 'bare Fastify + undici', ...target(forwarder.ready, body) },
    { name: 'patchbay execute users.get', ...target(service.ready, body) },
  ];
  const rates = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const { run } of contenders)
    await throughput(run, { concurrency: CONCURRENCY, durationMs: ROUND_MS });
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, run } of contenders)
      rates
        .get(name)
        ?.push(await throughput(run, { concurrency: CONCURRENCY, durationMs: ROUND_MS }));
  await Promise.all(contenders.map(({ close }) => close()));
  const medians = new Map([...rates].map(([name, list]) => [name, median(list)]));
  const limit = 'bare Fastify + undici';
  return [
    { name: limit, value: rounded(medians.get(limit) ?? Number.NaN), unit: UNIT },
    compared('patchbay execute users.get', UNIT, medians, limit),
  ];
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
