import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sizeOf } from '@patchbay/connectors/testing';
import { MOST_AHEAD } from '../src/pipeline.ts';
import { METRICS } from '../src/metrics/metric-table.ts';
import {
  makeTestGround,
  OPERATOR_KEY,
  startServiceOn,
  type TestGround,
  type TestService,
} from './support/start-test-service.ts';
import { sendRaw } from './support/raw-request.ts';
import { until } from './support/until.ts';

const TOKEN = 'metrics-token-of-the-test-services';
const USERS = { entity: 'users', action: 'list', params: { limit: 1 } };
const OWN_PORT = { metrics: { port: 0 } };

let ground: TestGround;
before(async () => {
  ground = await makeTestGround();
});
after(() => ground[Symbol.asyncDispose]());

describe('who reads the metrics', () => {
  test('nobody, unless they are asked for', async () => {
    await using running = await startServiceOn(ground);
    assert.equal(running.service.metricsUrl, undefined);
    assert.equal((await running.send('GET', '/metrics')).status, 404);
    assert.equal((await running.send('GET', '/metrics', { token: OPERATOR_KEY })).status, 404);
  });

  test('whoever reaches a port of their own, on which there is nothing else', async () => {
    await using running = await startServiceOn(ground, OWN_PORT);
    const { metricsUrl = '' } = running.service;
    const response = await fetch(metricsUrl);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(await response.text(), /^patchbay_build_info\{.*role="api".*\} 1$/m);
    for (const path of ['/', '/healthz', '/v1/applications', '/metrics/', '/metricsx'])
      assert.equal((await fetch(new URL(path, metricsUrl))).status, 404, path);
    assert.equal((await fetch(metricsUrl, { method: 'POST' })).status, 404);
    assert.equal((await running.send('GET', '/metrics')).status, 404);
  });

  test('at a port of their own nobody has them made for many requests that are sent ahead', async () => {
    await using running = await startServiceOn(ground, OWN_PORT);
    const { metricsUrl = '' } = running.service;
    const one = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n';
    const last = 'GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const answers = await sendRaw(metricsUrl, one.repeat(MOST_AHEAD) + last);
    assert.equal(answers.split('HTTP/1.1 200').length - 1, MOST_AHEAD + 1);
    const cut = await sendRaw(metricsUrl, one.repeat(1_500)).catch(() => '');
    assert.ok(cut.split('HTTP/1.1 200').length - 1 <= 1);
  });

  test('on the port of the service, whoever brings their token', async () => {
    await using running = await startServiceOn(ground, { metrics: { token: TOKEN } });
    assert.equal(running.service.metricsUrl, `${running.service.url}/metrics`);
    const application = await running.applicationToken();
    for (const token of [undefined, OPERATOR_KEY, application, `${TOKEN}x`, ''])
      assert.equal((await running.send('GET', '/metrics', { token })).status, 404, token);
    const answer = await running.send('GET', '/metrics', { token: TOKEN });
    assert.equal(answer.status, 200);
    assert.match(answer.text, /^patchbay_database_up 1$/m);
    const document = await running.send('GET', '/openapi.json');
    assert.ok(!document.text.includes('/metrics"'), 'no document tells of it');
  });

  test('on a port of their own with a token, only whoever brings it', async () => {
    await using running = await startServiceOn(ground, { metrics: { port: 0, token: TOKEN } });
    const { metricsUrl = '' } = running.service;
    assert.equal((await fetch(metricsUrl)).status, 404);
    const headers = { authorization: `Bearer ${TOKEN}` };
    assert.equal((await fetch(metricsUrl, { headers })).status, 200);
    assert.equal((await running.send('GET', '/metrics', { token: TOKEN })).status, 404);
  });

  test('those of a worker, too, which end with it', async () => {
    const running = await startServiceOn(ground, { ...OWN_PORT, role: 'worker' });
    const { metricsUrl = '' } = running.service;
    assert.equal(sampleOf(await scrape(running), 'patchbay_workers'), 1);
    await running.service.close();
    await assert.rejects(fetch(metricsUrl));
  });
});

describe('what the metrics say', () => {
  test('every metric of the table is there, and no other of ours', async () => {
    await using running = await startServiceOn(ground, OWN_PORT);
    const told = [...(await scrape(running)).matchAll(/^# TYPE (patchbay_\S+) (\S+)$/gm)];
    assert.deepEqual(
      told.map(([, name, type]) => `${name} ${type}`).toSorted(),
      Object.entries(METRICS)
        .map(([name, { type }]) => `${name} ${type}`)
        .toSorted(),
    );
  });

  test('calls are counted by operation and outcome, upstream requests by class', async () => {
    await using running = await startServiceOn(ground, OWN_PORT);
    const token = await running.scopedToken('user-1');
    const id = await running.connector(token);
    await running.execute(token, id, USERS);
    await running.execute(token, id, { entity: 'users', action: 'explode' });
    ground.sandbox.faults.add({ kind: 'serverError', method: 'users.list', times: 1 });
    await running.execute(token, id, USERS);
    const text = await scrape(running);
    const operation =
      'route="/api/v1/connectors/sources/:id/execute",kind="chat-workspace",entity="users",action="list"';
    const of = (name: string, labels: string) => sampleOf(text, `${name}{${labels}}`);
    assert.equal(of('patchbay_calls_total', `${operation},method="POST",code="ok"`), 2);
    assert.equal(of('patchbay_call_duration_seconds_count', operation), 2);
    assert.equal(
      of(
        'patchbay_calls_total',
        operation.replace('entity="users",action="list"', 'entity="",action=""') +
          ',method="POST",code="unsupported_action"',
      ),
      1,
    );
    const upstream = 'kind="chat-workspace",entity="users",action="list"';
    assert.equal(of('patchbay_upstream_requests_total', `${upstream},status="2xx"`), 2);
    assert.equal(of('patchbay_upstream_requests_total', `${upstream},status="5xx"`), 1);
    assert.equal(of('patchbay_upstream_retries_total', 'kind="chat-workspace"'), 1);
    assert.ok(
      (of('patchbay_upstream_request_duration_seconds_count', 'kind="chat-workspace"') ?? 0) >= 3,
    );
  });

  test('waits and refusals of admission', async () => {
    const limits = { callsAtOnce: 1, callsPerMinute: 3 };
    await using running = await startServiceOn(ground, { ...OWN_PORT, limits });
    const token = await running.applicationToken();
    const id = await running.connector(token);
    const slow = ground.sandbox.faults.add({ kind: 'delay', delayMs: 200, method: 'users.list' });
    const call = () => running.execute(token, id, USERS);
    const answers = await Promise.all([call(), call(), call()]);
    slow.release();
    assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '200', '429']);
    const text = await scrape(running);
    assert.equal(sampleOf(text, 'patchbay_admission_refusals_total{reason="rate"}'), 1);
    assert.equal(sampleOf(text, 'patchbay_admission_wait_seconds_count{turn="calls"}'), 1);
    const waited = sampleOf(text, 'patchbay_admission_wait_seconds_sum{turn="calls"}') ?? 0;
    assert.ok(waited > 0.1 && waited < 5, String(waited));
    assert.equal(sampleOf(text, 'patchbay_admission_running{turn="calls"}'), 0);
    assert.equal(sampleOf(text, 'patchbay_admission_waiting{turn="large_pages"}'), 0);
  });

  test('calls that the budget of their upstream made wait, though in vain', async () => {
    const { slack } = ground.sandbox.urls;
    const upstreams = { 'chat-workspace': { baseUrl: slack, label: 'sandbox', limits: 0.01 } };
    await using running = await startServiceOn(ground, { ...OWN_PORT, upstreams });
    const token = await running.applicationToken();
    const id = await running.connector(token);
    await running.execute(token, id, USERS);
    assert.equal((await running.execute(token, id, USERS)).status, 429);
    const text = await scrape(running);
    const waits =
      'patchbay_upstream_wait_seconds_count{kind="chat-workspace",priority="interactive"}';
    assert.equal(sampleOf(text, waits), 1);
  });

  test('syncs by outcome, what they copied, and how far copies are behind', async () => {
    await using own = await makeTestGround();
    await using running = await startServiceOn(own, { ...OWN_PORT, role: 'all' });
    await running.connector(await running.scopedToken('user-1'));
    const runs = 'patchbay_sync_runs_total{kind="chat-workspace",outcome="succeeded"}';
    await until(() => running.log.lines().some(({ msg }) => msg === 'sync'));
    running.clock.advance(10_000);
    const text = await scrape(running);
    assert.equal(sampleOf(text, runs), 1);
    assert.ok(
      (sampleOf(text, 'patchbay_sync_records_total{kind="chat-workspace",entity="users"}') ?? 0) >
        0,
    );
    const read = 'patchbay_sync_reads_total{kind="chat-workspace",entity="users",code="ok"}';
    assert.equal(sampleOf(text, read), 1);
    const connectors = ['pending', 'active', 'degraded', 'reauth_required'].map((state) =>
      sampleOf(text, `patchbay_connectors{kind="chat-workspace",state="${state}"}`),
    );
    assert.deepEqual(connectors, [0, 1, 0, 0], 'no state of a kind is a series that begins late');
    const lag =
      sampleOf(text, 'patchbay_sync_lag_seconds{kind="chat-workspace",state="active"}') ?? -1;
    assert.ok(lag >= 0 && lag < 60, String(lag));
    assert.equal(sampleOf(text, 'patchbay_queue_depth{work="sync"}'), 0);
    assert.equal(sampleOf(text, 'patchbay_workers'), 1);
  });
});

test('users and connectors make no more series, however many there are, nor do paths and names that nobody knows', async () => {
  await using own = await makeTestGround();
  await using running = await startServiceOn(own, OWN_PORT);
  const token = await running.applicationToken();
  const series = async () => {
    running.clock.advance(10_000);
    return (await scrape(running)).split('\n').filter((line) => line.startsWith('patchbay_'))
      .length;
  };
  const connect = async (user: string) => {
    const id = await running.connector(token, { external_user_id: user });
    await running.execute(token, id, USERS);
    return id;
  };
  const mistake = async (id: string, word: string) => {
    await running.execute(token, id, { entity: word, action: word });
    await running.execute(token, id, { entity: 'users', action: word });
    await running.execute(token, word, USERS);
    await running.send('DELETE', `/${word}`);
  };
  const id = await connect('first');
  await mistake(id, 'first');
  const known = await series();
  await eachOf(sizeOf('series of the metrics'), (number) => connect(`user-${number}`));
  await eachOf(100, (number) => mistake(id, `word-${number}`));
  assert.equal(await series(), known);
});

test('nothing of who calls, and no secret, is in the metrics', async () => {
  const secrets = { metrics: { token: TOKEN } };
  await using running = await startServiceOn(ground, secrets);
  const user = 'person@example.com';
  const application = await running.applicationToken();
  const scoped = await running.scopedToken(user);
  const credential = 'xoxb-planted-in-the-metrics-test';
  const credentials = { api_token: credential };
  const id = await running.connector(scoped, { external_user_id: user, credentials });
  await running.execute(scoped, id, USERS);
  await running.execute(scoped, id, { entity: credential, action: credential });
  await running.send('GET', `/${credential}?token=${scoped}`);
  await running.send('POST', '/api/v1/account/applications/token', {
    body: { client_id: credential, client_secret: 'wrong' },
  });
  const { text } = await running.send('GET', '/metrics', { token: TOKEN });
  assert.match(text, /kind="chat-workspace",entity="users",action="list"/);
  const row = await running.store.connectors.find(id);
  const hidden = [
    TOKEN,
    OPERATOR_KEY,
    application,
    scoped,
    credential,
    user,
    id,
    row?.applicationId ?? '',
    row?.organizationId ?? '',
    row?.sealedCredentials ?? '',
    running.client.clientId,
    running.client.clientSecret,
  ];
  for (const [index, each] of hidden.entries()) {
    assert.ok(each.length > 8, `nothing to look for: ${index}`);
    assert.ok(!text.includes(each), each);
  }
});

test('a database that is silent does not hang a scrape, and is asked once', async () => {
  let asked = 0;
  const store = {
    ...ground.store,
    figures: () => {
      asked += 1;
      return new Promise<never>(() => undefined);
    },
  };
  await using running = await startServiceOn({ ...ground, store }, OWN_PORT);
  const startedAt = performance.now();
  const texts = await Promise.all([scrape(running), scrape(running), scrape(running)]);
  assert.ok(performance.now() - startedAt < 3_000);
  for (const text of texts) {
    assert.equal(sampleOf(text, 'patchbay_database_up'), 0);
    assert.equal(sampleOf(text, 'patchbay_workers'), undefined);
    assert.match(text, /^nodejs_eventloop_lag_seconds /m);
  }
  assert.equal(asked, 1);
});

test('the database is asked for figures every ten seconds at most', async () => {
  let asked = 0;
  const store = {
    ...ground.store,
    figures: () => {
      asked += 1;
      return ground.store.figures();
    },
  };
  await using running = await startServiceOn({ ...ground, store }, OWN_PORT);
  await scrape(running);
  await scrape(running);
  assert.equal(asked, 1);
  running.clock.advance(10_000);
  await scrape(running);
  assert.equal(asked, 2);
});

async function scrape({ service }: TestService): Promise<string> {
  const response = await fetch(service.metricsUrl ?? '');
  assert.equal(response.status, 200);
  return await response.text();
}

/** Does something so many times, a few at once. */
async function eachOf(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const worker = async () => {
    for (const number of numbers) await work(number);
  };
  await Promise.all([1, 2, 3, 4].map(worker));
}

/** The value of a series, by its name and labels as they are written. */
function sampleOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
