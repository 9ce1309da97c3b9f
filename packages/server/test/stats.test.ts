import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { at, textAt } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import {
  makeTestGround,
  OPERATOR_KEY,
  startServiceOn,
  type TestGround,
  type TestService,
} from './support/start-test-service.ts';
import { poll } from './replication/support/replicating.ts';

const USERS = { entity: 'users', action: 'list', params: { limit: 1 } };
const QUICK = { storeStatsEveryMs: 50 };

describe('stats', () => {
  let ground: TestGround;
  let running: TestService;
  let token: string;
  before(async () => {
    ground = await makeTestGround();
    running = await startServiceOn(ground, QUICK);
    token = await running.applicationToken();
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  const read = async (query = '', as = token) => {
    const answer = await running.send('GET', `/v1/stats${query}`, { token: as });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  const untilCalls = (query: string, calls: number, as = token) =>
    poll(async () => {
      const answer = await read(query, as);
      return at(answer, 'total.calls') === calls ? answer : undefined;
    });

  test('count the calls of a connector, of its application and of all', async () => {
    const [id, other] = [await running.connector(token), await running.connector(token)];
    const earlier = Number(at(await read(), 'total.calls'));
    const earlierInAll = Number(at(await read('', OPERATOR_KEY), 'total.calls'));
    for (const body of [USERS, USERS, { ...USERS, entity: 'nothing' }])
      await running.execute(token, id, body);
    await running.execute(token, other, USERS);
    await running.execute(token, randomUUID(), USERS);
    const told = await untilCalls(`?connector_id=${id.toUpperCase()}`, 3);
    assert.equal(at(told, 'total.errors'), 1);
    assert.ok(Number(at(told, 'total.upstream_requests')) >= 2);
    assert.ok(Number(at(told, 'total.latency_ms.p50')) > 0);
    assert.ok(Number(at(told, 'total.latency_ms.p95')) >= Number(at(told, 'total.latency_ms.p50')));
    const series = at(told, 'series');
    assert.ok(Array.isArray(series) && series.length >= 60 && series.length <= 61);
    const counted = series.map((_, index) => Number(at(told, `series.${index}.calls`)));
    assert.equal(
      counted.reduce((sum, calls) => sum + calls, 0),
      3,
    );
    const quiet = counted.indexOf(0);
    assert.deepEqual(at(told, `series.${quiet}`), {
      at: textAt(told, `series.${quiet}.at`),
      calls: 0,
      errors: 0,
      latency_ms: null,
      upstream_requests: 0,
      upstream_wait_ms: 0,
      records: 0,
    });
    await untilCalls(`?connector_id=${other}`, 1);
    await untilCalls('', earlier + 5);
    await untilCalls('', earlierInAll + 5, OPERATOR_KEY);
    const { applicationId } = await running.service.ensureFirstApplication(running.client);
    await untilCalls(`?application_id=${applicationId}`, earlier + 5, OPERATOR_KEY);
    await untilCalls(`?application_id=${applicationId}&connector_id=${id}`, 3, OPERATOR_KEY);
  });

  test('outlive their process, and those of several add up', async () => {
    const id = await running.connector(token);
    const first = await startServiceOn(ground, { storeStatsEveryMs: 3_600_000 });
    await first.execute(token, id, USERS);
    await first.execute(token, id, USERS);
    await running.execute(token, id, USERS);
    await untilCalls(`?connector_id=${id}`, 1);
    await first[Symbol.asyncDispose]();
    await untilCalls(`?connector_id=${id}`, 3);
  });

  test('are told for the time that is asked for, in steps', async () => {
    const id = await running.connector(token);
    const now = Date.now();
    const minute = new Date(now - (now % 3_600_000) - 7_200_000);
    const counts = { errors: 0, latency: [], upstreamRequests: 0, upstreamWaitMs: 0, records: 4 };
    await running.store.stats.add([{ ...counts, subjectId: id, minute, calls: 0 }]);
    const from = new Date(minute.getTime() + 60_000).toISOString();
    const to = new Date(minute.getTime() + 3_600_000).toISOString();
    const hourly = await read(`?connector_id=${id}&from=${from}&to=${to}&step=3600`);
    assert.equal(at(hourly, 'from'), minute.toISOString(), 'the first point is whole');
    assert.deepEqual([at(hourly, 'step'), at(hourly, 'total.records')], [3_600, 4]);
    assert.equal(at(hourly, 'series.1'), undefined);
    const minutes = await read(`?connector_id=${id}&from=${from}&to=${to}`);
    assert.deepEqual([at(minutes, 'step'), at(minutes, 'total.records')], [60, 0]);
    const week = await read(`?connector_id=${id}&from=2020-01-01T00:00:00Z`);
    assert.ok(Date.parse(textAt(week, 'from')) > now - 8 * 86_400_000, 'no longer than is kept');
    assert.deepEqual([at(week, 'step'), at(week, 'total.records')], [3_600, 4]);
    const past = await read('?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z');
    assert.deepEqual(at(past, 'series'), []);
  });

  test('refuse what cannot be told, all of it at once', async () => {
    for (const [query, fields] of [
      ['?from=2026-02-30T00:00:00Z', ['from']],
      ['?to=2026-11-31T00:00:00Z', ['to']],
      ['?from=yesterday&to=2026-02-31T00:00:00Z&step=90', ['from', 'step', 'to']],
      ['?from=2026-13-01T00:00:00Z', ['from']],
      ['?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', ['from']],
      [`?from=${new Date(Date.now() - 6 * 86_400_000).toISOString()}&step=60`, ['step']],
      ['?step=86460', ['step']],
      ['?stepp=60', ['stepp']],
    ] as const) {
      const answer = await running.send('GET', `/v1/stats${query}`, { token });
      assertProblem(answer, 'invalid_request');
      assert.deepEqual(faultFields(answer), fields, query);
    }
  });

  test('of what is out of reach are absent', async () => {
    const stranger = await running.service.createApplication('Stranger');
    const id = await running.connector(token);
    const application = stranger.applicationId;
    for (const [query, code, as] of [
      [`?connector_id=${randomUUID()}`, 'connector_not_found', token],
      ['?connector_id=nothing', 'connector_not_found', token],
      [`?application_id=${application}`, 'application_not_found', token],
      ['?application_id=nothing', 'application_not_found', OPERATOR_KEY],
      [`?application_id=${application}&connector_id=${id}`, 'connector_not_found', OPERATOR_KEY],
      ['', 'forbidden', await running.scopedToken('user-1')],
    ] as const)
      assertProblem(await running.send('GET', `/v1/stats${query}`, { token: as }), code);
  });

  test('count the records that a sync copies', async () => {
    await using worker = await startServiceOn(ground, { ...QUICK, role: 'all' });
    const id = await worker.connector(token);
    const told = await poll(async () => {
      const answer = await read(`?connector_id=${id}`);
      return Number(at(answer, 'total.records')) > 0 ? answer : undefined;
    });
    assert.equal(at(told, 'total.calls'), 0);
    assert.ok(Number(at(told, 'total.upstream_requests')) > 0);
  });
});
