import { Agent } from 'undici';
import {
  lightRequest,
  measuredOf,
  OPERATIONS,
  type LightLoad,
  type LightReport,
  type LightRequest,
  type Operation,
} from '../neighbours/light-load.ts';
import { runOpenLoop, type Sample } from '../support/open-loop.ts';
import { serve } from './serve.ts';

/** Of each tenant, for each operation; what a fifth of a core answers on the embedded database. */
const CALLS_PER_SECOND = 1.25;
const HEALTH_PER_SECOND = 10;
const DEADLINE_MS = 5_000;
/** The calls of a tenant come so far from each other. */
const APART_MS = 37;

// The parent process gives it as `LightLoad` has it.
const { url, tenants, seconds } = JSON.parse(process.env['BENCH_LOAD'] ?? '') as LightLoad;
const dispatcher = new Agent();
const [measured, health] = await Promise.all([
  Promise.all(OPERATIONS.map((operation) => measure(operation))),
  runOpenLoop({
    perSecond: HEALTH_PER_SECOND,
    seconds,
    offsetMs: 0,
    call: () => send({ method: 'GET', path: '/healthz' }),
  }),
]);
await dispatcher.destroy();
const report: LightReport = {
  // One for each of them, in their order.
  operations: Object.fromEntries(
    OPERATIONS.map((operation, index) => [operation, measured[index]?.operation]),
  ) as LightReport['operations'],
  health: {
    longestMs: Math.max(...health.samples.map(({ ms }) => ms)),
    failures: health.samples.filter(({ failure }) => failure !== undefined).length,
  },
  latestMs: Math.max(...measured.map(({ latestMs }) => latestMs), health.latestMs),
};
serve({ report: JSON.stringify(report) }, () => undefined);

async function measure(operation: Operation) {
  const loops = await Promise.all(
    tenants.map((tenant, index) =>
      runOpenLoop({
        perSecond: CALLS_PER_SECOND,
        seconds,
        offsetMs: (index * OPERATIONS.length + OPERATIONS.indexOf(operation)) * APART_MS,
        call: (nth) => send(lightRequest(operation, tenant, nth), tenant.token),
      }),
    ),
  );
  return {
    operation: measuredOf(loops.flatMap(({ samples }) => samples)),
    latestMs: Math.max(...loops.map(({ latestMs }) => latestMs)),
  };
}

async function send({ method, path, body }: LightRequest, token?: string): Promise<Sample> {
  const startedAt = performance.now();
  let timing: string | undefined;
  const failure = await failureOf(async () => {
    const answer = await dispatcher.request({
      origin: url,
      method,
      path,
      headers: {
        'patchbay-timeout-ms': String(DEADLINE_MS),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    // One header of that name comes as one text.
    timing = answer.headers['server-timing']?.toString();
    return { status: answer.statusCode, text: await answer.body.text() };
  });
  const ms = performance.now() - startedAt;
  return {
    ms,
    ...(failure === undefined ? {} : { failure }),
    ...(timing === undefined ? {} : { timing }),
  };
}

async function failureOf(
  ask: () => Promise<{ readonly status: number; readonly text: string }>,
): Promise<string | undefined> {
  try {
    const { status, text } = await ask();
    if (status >= 200 && status < 300) return undefined;
    return `HTTP ${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error.name === 'TimeoutError') return `no answer in ${DEADLINE_MS / 1000} s`;
    return 'code' in error ? String(error.code) : error.message;
  }
}
