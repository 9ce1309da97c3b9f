import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { KINDS } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import { readEvents, type ReadPiece } from './support/event-reader.ts';
import { beginSync, copiedUser, copyByHand } from './support/hand-sync.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { startServiceOn, useTestService } from './support/start-test-service.ts';
import { until } from './support/until.ts';

const COLLECTION = '/v1/integrations/connectors';
const ALSO = '/api/v1/integrations/connectors';
const USERS = { entity: 'users', action: 'list', params: { limit: 1 } };

/** The searchable entities of chat-workspace, in the order of its definition. */
const ENTITIES = Object.values(KINDS['chat-workspace'].entities)
  .filter(({ search }) => search !== undefined)
  .map(({ name }) => name);

const started = await useTestService();
const { running } = started;
let { token } = started;

const get = (id: string, more: string, as = token) =>
  running.send('GET', `${COLLECTION}/${id}${more}`, { token: as });
const patch = (id: string, body: object) =>
  running.send('PATCH', `${COLLECTION}/${id}`, { token, body });
const requestSync = (id: string, path = COLLECTION) =>
  running.send('POST', `${path}/${id}/sync`, { token });
const refuseCredentials = async (id: string) => {
  const fault = running.sandbox.faults.add({ kind: 'revokeToken' });
  assertProblem(await running.execute(token, id, USERS), 'credentials_rejected');
  fault.release();
};
const causeOf = async (id: string) => at(await get(id, '/sync'), 'current.cause');
const eventsPath = (id: string) => `${COLLECTION}/${id}/sync/events`;
const watch = (id: string, more = '', headers = {}, as = token) =>
  readEvents(running.service.url + eventsPath(id) + more, {
    authorization: `Bearer ${as}`,
    ...headers,
  });
/** A connector whose first run has ended. */
const settled = async () => {
  const id = await running.connector(token);
  await (await beginSync(running.store, id)).end();
  return id;
};

describe('asking for a sync', () => {
  test('it is queued, once, and answered with the id of its run', async () => {
    const id = await settled();
    const answer = await requestSync(id);
    assert.equal(answer.status, 202, answer.text);
    const runId = textAt(answer, 'run_id');
    assert.match(runId, /^[0-9a-f-]{36}$/);
    const again = await requestSync(id, ALSO);
    assert.equal(textAt(again, 'run_id'), runId);
    // The services of these tests are of the role `api`.
    assert.equal(at(again, 'warnings.0.code'), 'no_worker');
    const view = await get(id, '/sync');
    assert.equal(at(view, 'current.run_id'), runId);
    assert.equal(at(view, 'current.cause'), 'demand');
    assert.equal(at(view, 'current.state'), 'queued');
  });

  test('again only some seconds after the one before, but for one that is queued', async () => {
    const id = await settled();
    const demanded = textAt(await requestSync(id), 'run_id');
    const sync = await beginSync(running.store, id);
    assert.equal(sync.run.id, demanded);
    for (const path of [COLLECTION, ALSO]) {
      const refused = await requestSync(id, path);
      assertProblem(refused, 'rate_limited');
      assert.equal(at(refused, 'retry'), 'after');
      const seconds = Number(refused.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 10, `${seconds} s`);
    }
    await sync.end();
    assertProblem(await requestSync(id), 'rate_limited');
    // Changes that call for a sync are not held back, and their run serves whoever asks.
    await patch(id, { credentials: { api_token: 'other' } });
    const queued = textAt(await requestSync(id), 'run_id');
    assert.notEqual(queued, demanded);
    assert.equal(await causeOf(id), 'credentials');
    assert.equal((await requestSync(await settled())).status, 202);
  });

  test('where a run could do nothing, the answer says why', async () => {
    const paused = await settled();
    await patch(paused, { paused: true });
    const answer = await requestSync(paused);
    assertProblem(answer, 'connector_paused');
    assert.equal(at(answer, 'retry'), 'never');
    assert.match(textAt(answer, 'detail'), /\{"paused":false\}/);
    const dead = await settled();
    await refuseCredentials(dead);
    assertProblem(await requestSync(dead), 'reauth_required');
    await using strict = await startServiceOn(running, { upstreams: {} });
    const as = await strict.applicationToken();
    const id = await strict.connector(as, {
      connector_type: 'support-chat',
      credentials: { access_token: 'test' },
      replication_config: null,
    });
    const config = await strict.send('POST', `${COLLECTION}/${id}/sync`, { token: as });
    assertProblem(config, 'config_required');
    assertProblem(await requestSync(randomUUID()), 'connector_not_found');
  });
});

describe('what makes a sync begin', () => {
  test('creation does', async () => {
    assert.equal(await causeOf(await running.connector(token)), 'creation');
  });

  test('creation does in one: a worker that finds the connector finds what was asked for', async () => {
    const { store } = running;
    const found: unknown[] = [];
    const connectors: Store['connectors'] = {
      ...store.connectors,
      create: async (...given) => {
        const row = await store.connectors.create(...given);
        const lease = await store.syncs.takeLease({
          connectorId: row.id,
          owner: 'another worker',
          ttlMs: 60_000,
        });
        assert.ok(lease !== undefined);
        found.push((await store.syncs.startRun(lease, { id: randomUUID() }))?.cause);
        return row;
      },
    };
    await using other = await startServiceOn(running, { store: { ...store, connectors } });
    const id = await other.connector(await other.applicationToken());
    assert.deepEqual(found, ['creation']);
    const { current } = await store.syncs.runs(id);
    assert.equal(current?.state, 'running');
  });

  const changes: readonly (readonly [string, object, string | undefined])[] = [
    ['new credentials', { credentials: { api_token: 'new' } }, 'credentials'],
    ['the same credentials', { credentials: { bot_key: 'xoxb-test' } }, undefined],
    ['another replication config', { replication_config: { lookback_window: 30 } }, 'definition'],
    [
      'both at once',
      { credentials: { api_token: 'newer' }, replication_config: { lookback_window: 31 } },
      'credentials',
    ],
    ['another name', { name: 'Another' }, undefined],
    ['a pause', { paused: true }, undefined],
    ['new credentials while paused', { credentials: { api_token: 'x' }, paused: true }, undefined],
  ];
  for (const [name, change, cause] of changes)
    test(`${name}: ${cause ?? 'nothing'}`, async () => {
      const id = await settled();
      assert.equal((await patch(id, change)).status, 200);
      assert.equal(await causeOf(id), cause);
    });

  test('the end of a pause does, and only that', async () => {
    const id = await settled();
    await patch(id, { paused: false });
    assert.equal(await causeOf(id), undefined);
    await patch(id, { paused: true });
    await patch(id, { paused: false });
    assert.equal(await causeOf(id), 'demand');
  });

  test('a check that passes after credentials were refused does', async () => {
    const id = await settled();
    const check = () => running.send('POST', `${COLLECTION}/${id}/check`, { token });
    await check();
    assert.equal(await causeOf(id), undefined);
    await refuseCredentials(id);
    assert.equal(at(await check(), 'status'), 'succeeded');
    assert.equal(await causeOf(id), 'credentials');
  });

  test('the same credentials do once the upstream takes them again, and not before', async () => {
    const id = await settled();
    const again = async () => {
      const answer = await patch(id, { credentials: { api_token: 'xoxb-test' } });
      assert.equal(answer.status, 200, answer.text);
      return at(answer, 'status');
    };
    const fault = running.sandbox.faults.add({ kind: 'revokeToken' });
    assertProblem(await running.execute(token, id, USERS), 'credentials_rejected');
    assert.equal(await again(), 'reauth_required');
    assert.equal(await causeOf(id), undefined);
    fault.release();
    assert.equal(await again(), 'active');
    assert.equal(await causeOf(id), 'credentials');
  });

  test('a deletion leaves the copies to be cleared', async () => {
    const id = await settled();
    await copyByHand(running.store, id, 'users', [copiedUser('U1')]);
    const answer = await running.send('DELETE', `${COLLECTION}/${id}`, { token });
    assert.equal(answer.status, 202);
    for (const path of ['/sync', '/sync/events', '/inspect'])
      assertProblem(await get(id, path), 'connector_not_found');
    assertProblem(await requestSync(id), 'connector_not_found');
    const left = await running.store.syncs.uncleared(1_000);
    assert.ok(left.some(({ connectorId }) => connectorId === id));
  });
});

describe('how far a sync is', () => {
  test('runs and entities, in the order of the definition', async () => {
    const id = await running.connector(token);
    const first = await get(id, '/sync');
    assert.equal(first.status, 200, first.text);
    const never = {
      state: 'never',
      as_of: null,
      complete: false,
      entity_count: 0,
      mode: null,
      records: null,
      pages: null,
      checkpoint: null,
      error: null,
      updated_at: null,
      drift: null,
    };
    assert.deepEqual(first.body, {
      current: {
        run_id: textAt(first, 'current.run_id'),
        cause: 'creation',
        state: 'queued',
        requested_at: textAt(first, 'current.requested_at'),
        started_at: null,
        finished_at: null,
      },
      last: null,
      entities: ENTITIES.map((entity) => ({ entity, ...never })),
    });
    const sync = await beginSync(running.store, id);
    await sync.begin('users');
    await sync.commit('users', [copiedUser('U1'), copiedUser('U2')], { page: 2 });
    await sync.fail('channels', { code: 'upstream_timeout', message: 'Too slow.' });
    const second = await get(id, '/sync');
    assert.equal(at(second, 'current.state'), 'running');
    assert.equal(at(second, 'current.run_id'), at(first, 'current.run_id'));
    const users = { ...never, state: 'syncing', entity_count: 2, mode: 'full' };
    assert.deepEqual(at(second, 'entities.0'), {
      entity: 'users',
      ...users,
      records: 2,
      pages: 1,
      checkpoint: { page: 2 },
      updated_at: textAt(second, 'entities.0.updated_at'),
      drift: null,
    });
    assert.deepEqual(at(second, 'entities.1.error'), {
      code: 'upstream_timeout',
      message: 'Too slow.',
    });
    assert.equal(at(second, 'entities.1.state'), 'failed');
    await sync.finishRead('users');
    await sync.end('failed');
    const third = await running.send('GET', `${ALSO}/${id}/sync`, { token });
    assert.equal(at(third, 'current'), null);
    assert.equal(at(third, 'last.run_id'), at(first, 'current.run_id'));
    assert.equal(at(third, 'last.state'), 'failed');
    assert.equal(at(third, 'entities.0.state'), 'idle');
    assert.equal(at(third, 'entities.0.complete'), true);
    assert.equal(at(third, 'entities.0.records'), null);
    assert.equal(at(third, 'entities.0.entity_count'), 2);
  });

  test('the connector itself says how old its copies are, and what is wrong', async () => {
    const id = await running.connector(token);
    const error = { code: 'upstream_timeout', message: 'Too slow.', entity: 'users' };
    const failing = await beginSync(running.store, id);
    await failing.end('failed', error);
    const failed = await get(id, '');
    assert.deepEqual(at(failed, 'freshness'), {
      as_of: null,
      lag_seconds: null,
      complete: false,
      interval_seconds: 900,
      record_count: 0,
    });
    assert.deepEqual(at(failed, 'last_error'), {
      code: error.code,
      message: error.message,
      at: textAt(await get(id, '/sync'), 'last.finished_at'),
    });
    const mended = await beginSync(running.store, id);
    for (const entity of ENTITIES) await mended.copy(entity, []);
    await mended.end();
    const listed = await running.send('GET', COLLECTION, { token });
    const rows = at(listed, 'data');
    assert.ok(Array.isArray(rows));
    const index = rows.findIndex((_, each) => at(listed, `data.${each}.id`) === id);
    assert.equal(at(listed, `data.${index}.last_error`), null);
    assert.equal(at(listed, `data.${index}.freshness.complete`), true);
    const asOf = textAt(await get(id, '/sync'), 'entities.0.as_of');
    assert.equal(at(listed, `data.${index}.freshness.as_of`), asOf);
    await running.store.connectors.update(id, { state: 'reauth_required', stateReason: 'Gone.' });
    const refused = await get(id, '/inspect');
    assert.equal(at(refused, 'last_error.code'), 'reauth_required');
    assert.match(textAt(refused, 'last_error.message'), /Gone\./);
    assert.ok(Date.parse(textAt(refused, 'last_error.at')) >= Date.parse(asOf));
  });

  test('its history, newest first, page by page', async () => {
    const id = await running.connector(token);
    const first = await beginSync(running.store, id);
    await first.copy('users', [copiedUser('U1'), copiedUser('U2')]);
    await first.end();
    const second = await beginSync(running.store, id);
    const error = { code: 'upstream_timeout', message: 'Too slow.', entity: 'users' };
    await second.end('failed', error);
    await running.store.syncs.requestRun(id, { id: randomUUID(), cause: 'schedule' });
    const all = await get(id, '/sync/runs');
    assert.equal(all.status, 200, all.text);
    assert.equal(at(all, 'next'), null);
    assert.deepEqual(
      [0, 1, 2].map((index) => at(all, `data.${index}.state`)),
      ['queued', 'failed', 'succeeded'],
    );
    assert.deepEqual(at(all, 'data.1.error'), error);
    assert.deepEqual(at(all, 'data.2'), {
      run_id: first.run.id,
      cause: 'creation',
      state: 'succeeded',
      requested_at: textAt(all, 'data.2.requested_at'),
      started_at: textAt(all, 'data.2.started_at'),
      finished_at: textAt(all, 'data.2.finished_at'),
      entities: ['users'],
      records_read: 2,
      records_written: 2,
      records_deleted: 0,
      error: null,
    });
    const page = await running.send('GET', `${ALSO}/${id}/sync/runs?limit=2`, { token });
    const rest = await get(id, `/sync/runs?limit=2&cursor=${textAt(page, 'next')}`);
    assert.equal(at(rest, 'data.0.run_id'), first.run.id);
    assert.equal(at(rest, 'next'), null);
    assertProblem(await get(id, '/sync/runs?limit=0'), 'invalid_request');
    assertProblem(await get(id, '/sync/runs?cursor=nothing'), 'invalid_cursor');
  });

  test('inspect says what can be searched', async () => {
    const id = await running.connector(token);
    const statusesOf = async () => {
      const answer = await get(id, '/inspect');
      assert.equal(at(answer, 'id'), id);
      return readiness(answer);
    };
    const untouched = {
      status: 'initializing',
      ready_for_search: false,
      entity_count: 0,
      updated_at: null,
    };
    assert.deepEqual(
      await statusesOf(),
      ENTITIES.map((entity) => ({ entity, ...untouched })),
    );
    const sync = await beginSync(running.store, id);
    await sync.begin('users');
    assert.equal(at({ body: await statusesOf() }, '0.status'), 'initializing');
    await sync.commit('users', [copiedUser('U1')], { page: 2 });
    const preview = at({ body: await statusesOf() }, '0');
    assert.deepEqual(preview, {
      entity: 'users',
      status: 'preview',
      ready_for_search: false,
      entity_count: 1,
      updated_at: at({ body: preview }, 'updated_at'),
    });
    await sync.finishRead('users');
    assert.equal(at({ body: await statusesOf() }, '0.status'), 'ready');
    assert.equal(at({ body: await statusesOf() }, '0.ready_for_search'), true);
    await sync.fail('users', { code: 'upstream_timeout', message: 'Too slow.' });
    assert.equal(at({ body: await statusesOf() }, '0.status'), 'failed');
    assert.equal(at({ body: await statusesOf() }, '0.ready_for_search'), true);
    const forbidden = { code: 'upstream_forbidden', message: 'No.' };
    await sync.fail('channels', forbidden, { isForbidden: true });
    assert.equal(at({ body: await statusesOf() }, '1.status'), 'forbidden');
    await sync.end();
  });

  test('a connector says when it was last synced, as soon as it was', async () => {
    const id = await running.connector(token);
    assert.equal(at(await get(id, ''), 'last_synced_at'), null);
    await (await beginSync(running.store, id)).end('failed');
    assert.equal(at(await get(id, ''), 'last_synced_at'), null);
    await (await beginSync(running.store, id)).end();
    const syncedAt = Date.parse(textAt(await get(id, ''), 'last_synced_at'));
    assert.ok(Math.abs(Date.now() - syncedAt) < 600_000);
    assert.equal(at(await get(id, '/inspect'), 'last_synced_at'), new Date(syncedAt).toISOString());
  });
});

describe('watching a sync', () => {
  test('every change comes, then the end, and the stream ends with it', async () => {
    const id = await running.connector(token);
    await using events = await watch(id);
    assert.match(events.headers.get('cache-control') ?? '', /no-cache/);
    assert.equal(events.headers.get('x-accel-buffering'), 'no');
    const first = await events.next();
    assert.equal(first?.event, 'progress');
    assert.deepEqual(first.data, (await get(id, '/sync')).body);
    assert.equal(first.id, at({ body: first.data }, 'current.run_id'));
    const sync = await beginSync(running.store, id);
    await sync.begin('users');
    const begun = await nextWhere(events, 'entities.0.state', 'syncing');
    assert.equal(at(begun, 'current.state'), 'running');
    await sync.commit('users', [copiedUser('U1')], { page: 2 });
    await nextWhere(events, 'entities.0.pages', 1);
    await sync.finishRead('users');
    await sync.end();
    const rest = await events.rest();
    const last = rest.at(-1);
    assert.equal(last?.event, 'end');
    assert.equal(at({ body: last.data }, 'current'), null);
    assert.equal(at({ body: last.data }, 'last.run_id'), sync.run.id);
    assert.equal(at({ body: last.data }, 'last.state'), 'succeeded');
    assert.deepEqual(rest.at(-2), { ...last, event: 'progress' });
  });

  test('where nothing runs, the status comes once, and the end', async () => {
    const id = await settled();
    await using events = await watch(id);
    const pieces = await events.rest();
    assert.deepEqual(
      pieces.map(({ event }) => event),
      ['progress', 'end'],
    );
  });

  test('it ends with the run it began with, though the next one waits already', async () => {
    const id = await running.connector(token);
    const sync = await beginSync(running.store, id);
    await using events = await watch(id);
    await events.next();
    const queued = textAt(await requestSync(id), 'run_id');
    assert.notEqual(queued, sync.run.id);
    await using other = await watch(id, `?run_id=${queued}`);
    await sync.end();
    assert.equal((await events.rest()).at(-1)?.event, 'end');
    const next = await beginSync(running.store, id);
    assert.equal(next.run.id, queued);
    await nextWhere(other, 'current.state', 'running');
    await next.end();
    const end = (await other.rest()).at(-1);
    assert.equal(at({ body: end?.data }, 'last.run_id'), queued);
  });

  test('a client that comes back goes on with the run it watches, though the one before it still runs', async () => {
    const id = await running.connector(token);
    const sync = await beginSync(running.store, id);
    const queued = textAt(await requestSync(id), 'run_id');
    await using events = await watch(id, `?run_id=${queued}`);
    const first = await events.next();
    assert.equal(at({ body: first?.data }, 'current.run_id'), sync.run.id);
    assert.equal(first?.id, queued);
    await using other = await watch(id, '', { 'last-event-id': first.id });
    await sync.end();
    const next = await beginSync(running.store, id);
    await nextWhere(other, 'current.state', 'running');
    await next.end();
    const end = (await other.rest()).at(-1);
    assert.equal(end?.id, queued);
    assert.equal(at({ body: end.data }, 'last.run_id'), queued);
  });

  test('a pause ends it, since nobody knows for how long', async () => {
    const id = await running.connector(token);
    const sync = await beginSync(running.store, id);
    await using events = await watch(id);
    await events.next();
    await patch(id, { paused: true });
    const end = (await events.rest()).at(-1);
    assert.equal(end?.event, 'end');
    assert.equal(at({ body: end.data }, 'current.run_id'), sync.run.id);
    assert.equal(at({ body: end.data }, 'entities.0.state'), 'paused');
  });

  test('a client that comes back goes on with the run it knows', async () => {
    const id = await running.connector(token);
    const sync = await beginSync(running.store, id);
    await sync.end();
    await requestSync(id);
    const known = { 'last-event-id': sync.run.id };
    await using events = await watch(id, '', known);
    assert.deepEqual(
      (await events.rest()).map(({ event }) => event),
      ['progress', 'end'],
    );
    await using other = await watch(id, '', { 'last-event-id': 'nonsense' });
    const first = await other.next();
    assert.equal(at({ body: first?.data }, 'current.state'), 'queued');
  });

  test('silence is broken now and then, so that no proxy cuts the connection', async () => {
    const id = await running.connector(token);
    await using events = await watch(id);
    await events.next();
    running.clock.advance(15_000);
    assert.deepEqual(await events.next(), { comment: 'no news' });
    running.clock.advance(15_000);
    assert.deepEqual(await events.next(), { comment: 'no news' });
  });

  test('wrong queries and foreign connectors are answers, not events', async () => {
    const id = await running.connector(token);
    const query = await get(id, '/sync/events?run_id=x&from=1');
    assertProblem(query, 'invalid_request');
    assert.deepEqual(faultFields(query), ['from', 'run_id']);
    const foreign = await running.scopedToken('somebody else');
    assertProblem(await get(id, '/sync/events', foreign), 'connector_not_found');
  });

  test('a token that expires ends it, and so does the deletion of the connector', async () => {
    const id = await running.connector(token);
    const scoped = await running.scopedToken('user-1');
    await using events = await watch(id, '', {}, scoped);
    await events.next();
    await using deleted = await watch(id);
    await deleted.next();
    const answer = await running.send('DELETE', `${COLLECTION}/${id}`, { token });
    assert.equal(answer.status, 202);
    assertProblemEvent(await deleted.rest(), 'connector_not_found');
    assertProblemEvent(await events.rest(), 'connector_not_found');
    const other = await running.connector(token);
    await using expiring = await watch(other, '', {}, scoped);
    await expiring.next();
    running.clock.advance(1_201_000);
    assertProblemEvent(await expiring.rest(), 'token_expired');
    token = await running.applicationToken();
  });

  test('an application that is revoked sees no more of it', async () => {
    await using second = await startServiceOn(running);
    const as = await second.applicationToken();
    const id = await second.connector(as);
    const url = second.service.url + eventsPath(id);
    await using events = await readEvents(url, { authorization: `Bearer ${as}` });
    await events.next();
    const application = await running.store.applications.findByClientId(second.client.clientId);
    await second.service.revokeApplication(application?.id ?? '');
    assertProblemEvent(await events.rest(), 'unauthenticated');
  });

  test('a service that goes down ends it at once, without an end of the run', async () => {
    const second = await startServiceOn(running);
    const as = await second.applicationToken();
    const id = await second.connector(as);
    const url = second.service.url + eventsPath(id);
    await using events = await readEvents(url, { authorization: `Bearer ${as}` });
    await events.next();
    const startedAt = performance.now();
    await second.service.close();
    assert.ok(performance.now() - startedAt < 8_000, 'it did not wait for the watch');
    assert.deepEqual(await events.rest(), []);
  });

  test('those who watch the same connector share one look a second, and all see all of it', async () => {
    const looks: string[] = [];
    const { syncs } = running.store;
    const watched = {
      ...syncs,
      runs: (id: string) => {
        looks.push(id);
        return syncs.runs(id);
      },
    };
    await using second = await startServiceOn({
      ...running,
      store: { ...running.store, syncs: watched },
    });
    const as = await second.applicationToken();
    const id = await second.connector(as);
    const tokens = [as, await second.scopedToken('user-1'), await second.applicationToken()];
    const url = second.service.url + eventsPath(id);
    const all = await Promise.all(
      [...tokens, ...tokens, ...tokens].map((each) =>
        readEvents(url, { authorization: `Bearer ${each}` }),
      ),
    );
    for (const events of all) assert.equal((await events.next())?.event, 'progress');
    looks.length = 0;
    const startedAt = performance.now();
    await until(() => looks.length === 3);
    assert.ok(performance.now() - startedAt > 1_200, 'each looked for itself');
    const sync = await beginSync(running.store, id);
    await Promise.all(all.map((events) => nextWhere(events, 'current.state', 'running')));
    await sync.end();
    for (const events of all) {
      const end = (await events.rest()).at(-1);
      assert.equal(end?.event, 'end');
      assert.equal(at({ body: end.data }, 'last.run_id'), sync.run.id);
    }
  });

  test('a token watches so many at once, and others once it has left some', async () => {
    await using second = await startServiceOn(running, { limits: { watchersOfToken: 2 } });
    const as = await second.applicationToken();
    const id = await second.connector(as);
    const reader = await second.scopedToken('user-1', { access: 'read' });
    const watchAs = (each: string) =>
      readEvents(second.service.url + eventsPath(id), { authorization: `Bearer ${each}` });
    for (const method of ['HEAD', 'HEAD', 'HEAD'])
      assert.equal((await second.send(method, eventsPath(id), { token: reader })).status, 200);
    const first = await watchAs(reader);
    await using other = await watchAs(reader);
    await first.next();
    await other.next();
    const refused = await second.send('GET', eventsPath(id), { token: reader });
    assertProblem(refused, 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), '1');
    // The last character of a signature has two bits that mean nothing: it is the same token with others.
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spelled = reader.slice(0, -1) + digits[digits.indexOf(reader.at(-1) ?? '') ^ 1];
    assert.equal((await second.send('GET', eventsPath(id), { token: spelled })).status, 429);
    await using neighbour = await watchAs(as);
    assert.equal((await neighbour.next())?.event, 'progress');
    first.leave();
    for (let status = 429; status !== 200;)
      ({ status } = await second.send('HEAD', eventsPath(id), { token: reader }));
    // The stream that ends by itself leaves, too.
    await using next = await watchAs(reader);
    await next.next();
    await (await beginSync(running.store, id)).end();
    await next.rest();
    await other.rest();
    for (let round = 0; round < 3; round++)
      assert.equal((await (await watchAs(reader)).rest()).at(-1)?.event, 'end');
  });

  test('whoever leaves is forgotten, and HEAD watches nothing', async () => {
    const looks: string[] = [];
    const { syncs } = running.store;
    const watched = {
      ...syncs,
      runs: (id: string) => {
        looks.push(id);
        return syncs.runs(id);
      },
    };
    const store = { ...running.store, syncs: watched };
    await using second = await startServiceOn({ ...running, store });
    const as = await second.applicationToken();
    const headers = { authorization: `Bearer ${as}` };
    const id = await second.connector(as);
    const events = await readEvents(second.service.url + eventsPath(id), headers);
    await events.next();
    events.leave();
    assert.equal((await second.send('HEAD', eventsPath(id), { token: as })).status, 200);
    const otherId = await second.connector(as);
    await using other = await readEvents(second.service.url + eventsPath(otherId), headers);
    await other.next();
    looks.length = 0;
    // Every watch looks once a second, so while this one does so three times, any other would too.
    await until(() => looks.filter((each) => each === otherId).length === 3);
    assert.deepEqual(new Set(looks), new Set([otherId]));
  });
});

async function nextWhere(
  events: { next(): Promise<ReadPiece | undefined> },
  path: string,
  expected: unknown,
): Promise<{ readonly body: unknown }> {
  for (;;) {
    const piece = await events.next();
    if (piece === undefined)
      throw new Error(`the stream ended before ${path} was ${String(expected)}`);
    if (piece.event === 'progress' && at({ body: piece.data }, path) === expected)
      return { body: piece.data };
  }
}

function assertProblemEvent(pieces: readonly ReadPiece[], code: string): void {
  const last = pieces.at(-1);
  assert.equal(last?.event, 'problem', JSON.stringify(pieces));
  assert.equal(at({ body: last.data }, 'code'), code);
}

function readiness(answer: TestAnswer): unknown {
  return at(answer, 'context_store_readiness.configured_cache_entities');
}
