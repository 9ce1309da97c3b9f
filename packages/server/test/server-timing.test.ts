import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Store } from '@patchbay/store';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import type { TestAnswer } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  makeTestGround,
  startServiceOn,
  type TestGround,
  useTestService,
} from './support/start-test-service.ts';

const LIST = { entity: 'users', action: 'list', params: { limit: 1 } };
const SEARCH = { entity: 'users', action: 'search', params: { query: {}, timeout_ms: 30_000 } };

const LATE = { entity: 'users', action: 'search', params: { query: {} } };
const ONE_SEARCH = { searchesOfUser: 1 };

type Times = Readonly<Record<'wait' | 'upstream' | 'total', number>>;

/** What an answer tells of where the time went, in milliseconds. */
function timesOf({ headers }: TestAnswer): Times {
  const told = headers.get('server-timing') ?? '';
  const [, wait, upstream, total] =
    /^wait;dur=([\d.]+), upstream;dur=([\d.]+), total;dur=([\d.]+)$/.exec(told) ??
    assert.fail(told);
  return { wait: Number(wait), upstream: Number(upstream), total: Number(total) };
}

/** Each is rounded to a tenth. */
function assertWhole({ wait, upstream, total }: Times): void {
  assert.ok(wait + upstream <= total + 0.2, `${wait} + ${upstream} > ${total}`);
}

describe('where the time of a call went', async () => {
  const { running, token } = await useTestService();
  const id = await running.connector(token);

  test('is told of a call to the upstream, also of one that failed there', async () => {
    running.sandbox.faults.add({ kind: 'delay', delayMs: 40, times: 1 });
    const times = timesOf(await running.execute(token, id, LIST));
    assert.ok(times.upstream >= 39, `${times.upstream} ms`);
    assertWhole(times);
    running.sandbox.faults.add({ kind: 'slackError', error: 'access_denied', times: 1 });
    const refused = await running.execute(token, id, LIST);
    assertProblem(refused, 'upstream_forbidden');
    const { upstream } = timesOf(refused);
    assert.ok(upstream > 0);
  });

  test('is not the upstream where it was not asked', async () => {
    const wrong = await running.execute(token, id, { entity: 'users', action: 'lst' });
    assertProblem(wrong, 'unsupported_action');
    const { wait, upstream } = timesOf(wrong);
    assert.deepEqual({ wait, upstream }, { wait: 0, upstream: 0 });
    await copyByHand(running.store, id, 'users', [copiedUser('U1')]);
    const found = timesOf(await running.execute(token, id, SEARCH));
    assert.equal(found.upstream, 0);
    assertWhole(found);
  });

  test('is the upstream of a check', async () => {
    running.sandbox.faults.add({ kind: 'delay', delayMs: 40, times: 1 });
    const times = timesOf(await running.execute(token, id, { entity: '*', action: 'check' }));
    assert.ok(times.upstream >= 39, `${times.upstream} ms`);
    assertWhole(times);
  });

  test('is told by execute only, by both of its paths', async () => {
    const path = `/v1/integrations/connectors/${id}`;
    const also = await running.send('POST', `/api${path}/execute`, { token, body: LIST });
    assertWhole(timesOf(also));
    const read = await running.send('GET', path, { token });
    assert.equal(read.headers.get('server-timing'), null);
    const unknown = await running.execute('nobody', id, LIST);
    assertProblem(unknown, 'unauthenticated');
    assert.equal(timesOf(unknown).wait, 0);
  });
});

describe('the wait of a call', () => {
  let ground: TestGround;
  before(async () => {
    ground = await makeTestGround();
  });
  after(() => ground[Symbol.asyncDispose]());

  test('is the time until its turn', async () => {
    await using running = await startServiceOn(ground, { limits: { callsOfUser: 1 } });
    const token = await running.scopedToken('user-1');
    const id = await running.connector(token);
    ground.sandbox.faults.add({ kind: 'delay', delayMs: 60, times: 1 });
    const answers = await Promise.all([1, 2].map(() => running.execute(token, id, LIST)));
    const times = answers.map(timesOf);
    times.forEach(assertWhole);
    const waited = times.filter(({ wait }) => wait > 0);
    assert.equal(waited.length, 1, JSON.stringify(times));
  });

  test('is the time until the turn of a search, which may never come', async () => {
    const { promise: end, resolve: letGo } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const search: Store['copies']['search'] = async (...given) => {
      begun.resolve();
      await end;
      return ground.store.copies.search(...given);
    };
    const store = { ...ground.store, copies: { ...ground.store.copies, search } };
    await using running = await startServiceOn({ ...ground, store }, { limits: ONE_SEARCH });
    const token = await running.scopedToken('user-1');
    const id = await running.connector(token);
    await copyByHand(ground.store, id, 'users', [copiedUser('U1')]);
    const first = running.execute(token, id, SEARCH);
    await begun.promise;
    const late = await running.execute(token, id, LATE, { 'Patchbay-Timeout-Ms': '1000' });
    assertProblem(late, 'rate_limited');
    const times = timesOf(late);
    assert.ok(times.wait > 0);
    assertWhole(times);
    letGo();
    assert.equal((await first).status, 200);
  });
});
