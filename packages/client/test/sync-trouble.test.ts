import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { SyncStatus } from '../src/index.ts';
import { problemAnswer } from './support/sample-answers.ts';
import { collect } from './support/collect.ts';
import { errorOf } from './support/error-of.ts';
import {
  makeFastClock,
  startHosted,
  TEAM_CHAT,
  watchFetch,
  type Hosted,
  type WatchedFetch,
} from './support/start-hosted.ts';

/** Nobody waits for reconnections here: this clock, timers included, runs 50 times as fast. */
const clock = makeFastClock(50);
const EXTERNAL_USER = 'in-trouble';
const RUN = '01a1fd50-54ba-79a1-a087-6b4fef496709';
const QUEUED = '01a1fd50-54ba-79a1-a087-6b4fef49670a';

/** So often is a call sent to a service that is not there. */
const ATTEMPTS_OF_CALL = 5;

/** What a service would send, without the members that no test looks at. */
const status = (runId: string | null): SyncStatus => ({
  current: runId === null ? null : { ...run(runId), state: 'running' },
  last: runId === null ? run(RUN) : null,
  entities: [],
});
const run = (runId: string) => ({
  run_id: runId,
  cause: 'creation',
  state: 'succeeded',
  requested_at: '2026-11-21T09:00:00.000Z',
  started_at: null,
  finished_at: null,
});
const progress = (value: unknown = status(RUN)) =>
  `event: progress\nid: ${RUN}\ndata: ${JSON.stringify(value)}\n\n`;
const END = `event: end\nid: ${RUN}\ndata: ${JSON.stringify(status(null))}\n\n`;
const problem = (code: string, httpStatus: number, details?: { readonly id: string }) =>
  `event: problem\ndata: ${JSON.stringify(problemAnswer({ code, status: httpStatus, ...(details && { details }) }))}\n\n`;

let hosted: Hosted;
let watched: WatchedFetch;
let patchbay: ReturnType<Hosted['client']>;
let id: string;
before(async () => {
  hosted = await startHosted();
  watched = watchFetch();
  patchbay = hosted.client({ fetch: watched.fetch, clock, externalUserId: EXTERNAL_USER });
  // By the real clock, since the first connector of a database has tables made for it.
  const calm = hosted.client({ externalUserId: EXTERNAL_USER });
  id = (await calm.connectors.create(TEAM_CHAT)).id;
});
beforeEach(() => {
  watched.instead = undefined;
  watched.sent.length = 0;
});
after(() => hosted[Symbol.asyncDispose]());

/** Answers watches with these bodies, one after another; an Error breaks the body off. */
function serve(...bodies: readonly (readonly (string | Error)[])[]): void {
  const left = [...bodies];
  watched.instead = async ({ path }, send) => {
    if (!path.includes('/sync/events')) return send();
    return eventResponse(left.shift() ?? []);
  };
}

function eventResponse(parts: readonly (string | Error)[]): Response {
  const left = [...parts];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const part = left.shift();
      if (part === undefined) controller.close();
      else if (typeof part === 'string') controller.enqueue(new TextEncoder().encode(part));
      else controller.error(part);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const watchRequests = () => watched.sent.filter(({ path }) => path.includes('/sync/events'));

describe('watching a sync through trouble', () => {
  test('a connection that breaks is made anew, for the same run', async () => {
    serve(
      ['retry: 1\n\n', progress(), new Error('reset')],
      [progress(), progress(status(null)), END],
    );
    const seen = await collect(patchbay.connectors.sync.watch(id));
    assert.deepEqual(seen, [status(RUN), status(RUN), status(null)]);
    assert.deepEqual(
      watchRequests().map(({ path }) => path.split('?')[1]),
      [undefined, `run_id=${RUN}`],
    );
    assert.equal(watchRequests()[0]?.headers.get('accept'), 'text/event-stream');
  });

  test('a service that goes down ends no watch, nor does a token that expires', async () => {
    serve([progress()], [problem('token_expired', 401)], [problem('not_ready', 503)], [END]);
    assert.deepEqual(await collect(patchbay.connectors.sync.watch(id)), [status(RUN)]);
    assert.equal(watchRequests().length, 4);
  });

  test('a service that is away for longer than one call is repeated ends no watch, unless it is so from the first', async () => {
    const bodies = [[progress(), new Error('reset')], [END]];
    let refusals = 0;
    watched.instead = async ({ path }, send) => {
      if (!path.includes('/sync/events')) return send();
      if (refusals-- > 0) {
        throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
      }
      refusals = 3 * ATTEMPTS_OF_CALL;
      return eventResponse(bodies.shift() ?? []);
    };
    assert.deepEqual(await collect(patchbay.connectors.sync.watch(id)), [status(RUN)]);
    watched.sent.length = 0;
    const error = await errorOf(collect(patchbay.connectors.sync.watch(id)));
    assert.equal(error.code, 'not_ready');
    assert.equal(watchRequests().length, ATTEMPTS_OF_CALL);
  });

  test('a connection that does not come about again within the time for connecting ends the watch', async () => {
    const bodies = [[progress(), new Error('reset')]];
    watched.instead = async ({ path }, send) => {
      if (!path.includes('/sync/events')) return send();
      const [body] = bodies.splice(0);
      if (body !== undefined) return eventResponse(body);
      const refusal = problemAnswer({ code: 'unauthenticated', status: 401 });
      return Response.json(refusal, { status: 401 });
    };
    // Slow enough for the first one to come about in time.
    const { connectors } = hosted.client({
      fetch: watched.fetch,
      clock: makeFastClock(5),
      externalUserId: EXTERNAL_USER,
    });
    const error = await errorOf(collect(connectors.sync.watch(id, { timeoutMs: 900 })));
    assert.equal(error.code, 'unauthenticated');
    // It is asked for once more, with another token, too.
    assert.equal(watchRequests().length, 1 + 2);
  });

  test('a given run is asked for from the beginning', async () => {
    serve([END]);
    await collect(patchbay.connectors.sync.watch(id, { runId: RUN }));
    assert.equal(watchRequests()[0]?.path.endsWith(`?run_id=${RUN}`), true);
  });

  test('it stays that run, though services before 0.3 name the one that runs before it', async () => {
    serve([progress(), new Error('reset')], [END]);
    await collect(patchbay.connectors.sync.watch(id, { runId: QUEUED }));
    assert.deepEqual(
      watchRequests().map(({ path }) => path.split('?')[1]),
      [`run_id=${QUEUED}`, `run_id=${QUEUED}`],
    );
  });

  test('what the service says is thrown as it would be elsewhere', async () => {
    serve([progress(), problem('connector_not_found', 404, { id })]);
    const watch = patchbay.connectors.sync.watch(id);
    assert.deepEqual((await watch.next()).value, status(RUN));
    assert.equal((await errorOf(watch.next())).code, 'connector_not_found');
    assert.equal(watchRequests().length, 1);
  });

  test('connections that never bring anything are given up', async () => {
    serve();
    const error = await errorOf(collect(patchbay.connectors.sync.watch(id)));
    assert.equal(error.code, 'not_ready');
    assert.equal(watchRequests().length, 5);
  });

  test('connections that bring nothing but trouble are given up, too, and the trouble is told', async () => {
    serve(...Array.from({ length: 20 }, () => [problem('not_ready', 503)]), [END]);
    const error = await errorOf(collect(patchbay.connectors.sync.watch(id)));
    assert.equal(error.code, 'not_ready');
    assert.equal(error.message, problemAnswer({ code: 'not_ready', status: 503 }).message);
    assert.equal(watchRequests().length, 5);
  });

  test('what is no stream of events, or no event of ours, is told', async () => {
    watched.instead = async ({ path }, send) =>
      path.includes('/sync/events') ? Response.json({ hello: 'world' }) : send();
    const page = await errorOf(collect(patchbay.connectors.sync.watch(id)));
    assert.equal(page.code, 'route_not_found');
    for (const data of ['{"hello":"world"}', 'nonsense']) {
      serve([`event: progress\ndata: ${data}\n\n`]);
      const error = await errorOf(collect(patchbay.connectors.sync.watch(id)));
      assert.equal(error.code, 'internal');
    }
  });

  test('events that this version does not know are passed over', async () => {
    serve(['event: news\ndata: {}\n\n', progress(), END]);
    assert.deepEqual(await collect(patchbay.connectors.sync.watch(id)), [status(RUN)]);
  });

  test('a signal ends it with its own reason, and leaving it ends the connection', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const watch = patchbay.connectors.sync.watch(id, { signal });
    // The run of the new connector stays queued, as this service replicates nothing.
    assert.equal((await watch.next()).value?.current?.state, 'queued');
    const next = watch.next();
    controller.abort(new Error('enough'));
    await assert.rejects(next, { message: 'enough' });
    await assert.rejects(patchbay.connectors.sync.watch(id, { signal }).next(), {
      message: 'enough',
    });
    let cancelled = false;
    watched.instead = async ({ path }, send) => {
      if (!path.includes('/sync/events')) return send();
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => stream.enqueue(new TextEncoder().encode(progress())),
        cancel: () => {
          cancelled = true;
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    for await (const { current } of patchbay.connectors.sync.watch(id)) if (current !== null) break;
    assert.ok(cancelled);
  });

  test('asking for a sync is repeated like a read, since asking twice is asking once', async () => {
    let count = 0;
    watched.instead = async ({ path, method }, send) => {
      if (!path.endsWith('/sync') || method !== 'POST' || ++count > 2) return send();
      await send();
      throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
    };
    const { run_id: runId } = await patchbay.connectors.sync(id);
    assert.equal((await patchbay.connectors.sync.status(id)).current?.run_id, runId);
    assert.equal(count, 3);
  });
});
