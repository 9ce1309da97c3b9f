import type { Retry } from '../../src/index.ts';
import { problemAnswer } from './sample-answers.ts';
import type { WatchedFetch } from './start-hosted.ts';

/** The first `times` requests to execute go wrong, before or after the service has had them. */
export function failing(
  watched: WatchedFetch,
  times: number,
  fail: () => Promise<Response>,
  hasArrived = false,
): void {
  let count = 0;
  watched.instead = async ({ path }, send) => {
    if (!path.endsWith('/execute') || ++count > times) return send();
    if (hasArrived) await (await send()).text();
    return fail();
  };
}

/** The connection breaks. */
export async function down(): Promise<Response> {
  throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
}

/** No connection comes about. */
export async function refused(): Promise<Response> {
  const cause = Object.assign(new Error('refused'), { syscall: 'connect' });
  throw new TypeError('fetch failed', { cause: new AggregateError([cause, cause]) });
}

/** The rate is limited. */
export async function limited(seconds = 1): Promise<Response> {
  return problem(429, 'rate_limited', 'after', { 'retry-after': String(seconds) });
}

/** The service is starting. */
export async function notReady(): Promise<Response> {
  return problem(503, 'not_ready', 'backoff');
}

/** An error as the service renders it. */
export function problem(
  status: number,
  code: string,
  retry: Retry = 'never',
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(problemAnswer({ code, status, retry }), { status, headers });
}
