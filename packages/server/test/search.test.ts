import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import type { SearchCause } from '@patchbay/connectors';
import type { CopyRecord, SearchOptions, Store } from '@patchbay/store';
import { beginSync, copiedUser, copyByHand } from './support/hand-sync.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { startServiceOn, useTestService, type TestGround } from './support/start-test-service.ts';
import { until } from './support/until.ts';

const NAMES = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Edsger Dijkstra', 'Ada Yonath'];
const PEOPLE: readonly CopyRecord[] = NAMES.map((real_name, index) =>
  copiedUser(`U${index}`, { real_name, updated: index, profile: { title: `No. ${index}` } }),
);
const EVERYBODY = { query: {}, limit: 2 };
const COLLECTION = '/v1/integrations/connectors';

const { running, token } = await useTestService();

describe('search', async () => {
  const id = await running.connector(token);
  await copyByHand(running.store, id, 'users', PEOPLE);

  const run = (params: unknown, more: Readonly<Record<string, unknown>> = {}, headers = {}) =>
    running.execute(token, id, { entity: 'users', action: 'search', params, ...more }, headers);
  const runAlso = (action: string, params: unknown) =>
    running.send('POST', `/api/v1/integrations/connectors/${id}/execute`, {
      token,
      body: { entity: 'users', action, params },
    });

  test('the answer has the envelope of the contract, and says how fresh it is', async () => {
    const answer = await run({ query: { sort: [{ updated: 'asc' }] }, limit: 2 });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(keysAt(answer, ''), [
      'status',
      'result',
      'connector_metadata',
      'execution_metadata',
    ]);
    assert.deepEqual(at(answer, 'connector_metadata'), {});
    assert.equal(at(answer, 'execution_metadata.connector_instance_id'), id);
    assert.equal(at(answer, 'execution_metadata.upstream'), 'sandbox');
    assert.equal(at(answer, 'execution_metadata.request_id'), answer.headers.get('x-request-id'));
    assert.deepEqual(keysAt(answer, 'result'), ['hits', 'next_cursor', 'took_ms', 'sync']);
    assert.deepEqual(idsOf(answer), ['U0', 'U1']);
    assert.deepEqual(keysAt(answer, 'result.hits.0'), ['id', 'score', 'data']);
    assert.equal(at(answer, 'result.hits.0.score'), 1);
    assert.equal(typeof at(answer, 'result.next_cursor'), 'string');
    assert.ok(Number.isInteger(at(answer, 'result.took_ms')));
    const asOf = Date.parse(textAt(answer, 'result.sync.as_of'));
    assert.ok(Math.abs(Date.now() - asOf) < 600_000);
    assert.deepEqual(at(answer, 'result.sync'), {
      state: 'idle',
      as_of: new Date(asOf).toISOString(),
      complete: true,
      lag_seconds: at(answer, 'result.sync.lag_seconds'),
    });
  });

  test('integers may be strings of their digits, as in any params', async () => {
    const answer = await run({ query: {}, limit: '2', timeout_ms: '2000' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(idsOf(answer), ['U0', 'U1']);
    for (const limit of ['02', '2.0'])
      assertProblem(await run({ query: {}, limit }), 'invalid_params');
  });

  test('without fields, hits carry every searchable field in the order of the reference', async () => {
    const answer = await run({ query: { filter: { eq: { id: 'U0' } } } });
    const described = await running.send('GET', `${COLLECTION}/${id}/describe`, { token });
    const entities = at(described, 'entities');
    assert.ok(Array.isArray(entities));
    const index = entities.findIndex(
      (_, each) => at(described, `entities.${each}.name`) === 'users',
    );
    const fields = at(described, `entities.${index}.searchable`);
    assert.ok(Array.isArray(fields));
    assert.deepEqual(
      keysAt(answer, 'result.hits.0.data'),
      fields.map((_, each) => at(described, `entities.${index}.searchable.${each}.name`)),
    );
    assert.equal(at(answer, 'result.hits.0.data.color'), null);
    assert.equal(at(answer, 'result.hits.0.data.real_name'), 'Ada Lovelace');
    assert.equal(at(answer, 'result.next_cursor'), null);
  });

  test('context_store_search answers in the shape of later clients', async () => {
    const hits = await run(EVERYBODY);
    const answer = await run(EVERYBODY, { action: 'context_store_search' });
    assert.deepEqual(keysAt(answer, 'result'), ['data', 'meta', 'sync']);
    assert.deepEqual(keysAt(answer, 'result.meta'), ['has_more', 'cursor', 'took_ms']);
    assert.deepEqual(
      [at(answer, 'result.data.0'), at(answer, 'result.data.1')],
      [at(hits, 'result.hits.0.data'), at(hits, 'result.hits.1.data')],
    );
    assert.equal(at(answer, 'result.meta.has_more'), true);
    const cursor = at(answer, 'result.meta.cursor');
    const last = await run({ query: {}, limit: 1_000, cursor }, { action: 'context_store_search' });
    assert.equal(at(last, 'result.data.length'), 3);
    assert.deepEqual(at(last, 'result.meta.has_more'), false);
    assert.deepEqual(at(last, 'result.meta.cursor'), null);
  });

  test('the path of other clients answers in both shapes, whatever the action is called', async () => {
    for (const action of ['search', 'context_store_search']) {
      const answer = await runAlso(action, EVERYBODY);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(keysAt(answer, 'result'), [
        'hits',
        'next_cursor',
        'took_ms',
        'data',
        'meta',
        'sync',
      ]);
      assert.deepEqual(at(answer, 'result.data.0'), at(answer, 'result.hits.0.data'));
      assert.equal(at(answer, 'result.meta.cursor'), at(answer, 'result.next_cursor'));
    }
  });

  test('count and facets are of the whole filter, with the page in either shape', async () => {
    const filter = { gte: { updated: 1 } };
    const params = { query: { filter }, limit: 1, count: true, facets: ['profile.title'] };
    const counts = {
      total: { value: 4, relation: 'exact' },
      facets: {
        'profile.title': {
          values: [1, 2, 3, 4].map((index) => ({ value: `No. ${index}`, count: 1 })),
          relation: 'exact',
          other: 0,
        },
      },
    };
    const hits = await run(params);
    assert.equal(hits.status, 200, hits.text);
    assert.deepEqual(keysAt(hits, 'result'), [
      'hits',
      'next_cursor',
      'took_ms',
      'total',
      'facets',
      'sync',
    ]);
    const cursor = at(hits, 'result.next_cursor');
    for (const answer of [hits, await run({ ...params, cursor }), await runAlso('search', params)])
      for (const [name, value] of Object.entries(counts))
        assert.deepEqual(at(answer, `result.${name}`), value);
    const records = await run(params, { action: 'context_store_search' });
    const both = await runAlso('context_store_search', params);
    for (const answer of [records, both])
      for (const [name, value] of Object.entries(counts))
        assert.deepEqual(at(answer, `result.meta.${name}`), value);
    assert.deepEqual(keysAt(records, 'result'), ['data', 'meta', 'sync']);
  });

  test('facets that cannot be are refused, each at its place', async () => {
    const facets = ['profile', 'nmae', 'real_name', ['real_name']];
    const answer = await run({ query: {}, facets });
    assertProblem(answer, 'invalid_query');
    assert.deepEqual(faultFields(answer), [
      'params.facets.0',
      'params.facets.1',
      'params.facets.3',
    ]);
  });

  test('fuzzy finds what was meant, best first, and fields cut hits down', async () => {
    const answer = await run({
      query: { filter: { fuzzy: { real_name: 'lovelcae' } } },
      fields: ['real_name', ['profile', 'title']],
    });
    assert.deepEqual(at(answer, 'result.hits.0.data'), {
      profile: { title: 'No. 0' },
      real_name: 'Ada Lovelace',
    });
    assert.equal(at(answer, 'result.hits.0.score'), 1 - 1 / 8);
    assert.equal(at(answer, 'result.hits.length'), 1);
  });

  test('pages follow each other by cursor, without gaps or repetition', async () => {
    for (const limit of [1, 2, 3, 5, 6]) {
      const seen: unknown[] = [];
      let cursor: unknown = null;
      do {
        const page = await run({ query: { sort: [{ real_name: 'asc' }] }, limit, cursor });
        assert.equal(page.status, 200, page.text);
        seen.push(...idsOf(page));
        cursor = at(page, 'result.next_cursor');
      } while (cursor !== null);
      assert.deepEqual(seen, ['U0', 'U4', 'U1', 'U3', 'U2']);
    }
  });

  test('a cursor of something else is refused', async () => {
    const { body } = await run(EVERYBODY);
    const cursor = at({ body }, 'result.next_cursor');
    const foreign = [
      { query: { filter: { eq: { deleted: null } } }, cursor },
      { query: { sort: [{ id: 'asc' }] }, cursor },
      { query: {}, cursor: 'nonsense' },
    ];
    for (const params of foreign) assertProblem(await run(params), 'invalid_cursor');
    const other = await running.connector(token);
    await copyByHand(running.store, other, 'users', PEOPLE);
    const body2 = { entity: 'users', action: 'search', params: { query: {}, cursor } };
    assertProblem(await running.execute(token, other, body2), 'invalid_cursor');
  });

  test('a cursor that no search of this entity gave is refused', async () => {
    const own = await running.connector(token);
    for (const entity of ['users', 'channels'])
      await copyByHand(running.store, own, entity, [copiedUser('X1'), copiedUser('X2')]);
    const page = (cursor: string | null, entity = 'users') => {
      const params = { query: {}, limit: 1, cursor };
      return running.execute(token, own, { entity, action: 'search', params });
    };
    const cursor = textAt(await page(null), 'result.next_cursor');
    const changed = [0, Math.floor(cursor.length / 2), cursor.length - 2].map((place) => {
      const other = cursor[place] === 'x' ? 'y' : 'x';
      return `${cursor.slice(0, place)}${other}${cursor.slice(place + 1)}`;
    });
    const unsigned = cursor.split('.')[0] ?? '';
    const wrong = [...changed, unsigned, `${cursor}x`, 'x'.repeat(20_000), ''];
    for (const given of wrong) assertProblem(await page(given), 'invalid_cursor');
    assertProblem(await page(cursor, 'channels'), 'invalid_cursor');
    assert.deepEqual(idsOf(await page(cursor)), ['X2']);
  });

  test('a cursor that would unpack to 60 MiB costs nothing', async () => {
    const json = `[1,${'[],'.repeat(20 * 1024 * 1024)}1]`;
    const cursor = `c${deflateRawSync(json).toString('base64url')}`;
    assert.ok(cursor.length > 60_000 && cursor.length < 200_000);
    const before = process.cpuUsage();
    assertProblem(await run({ query: {}, cursor }), 'invalid_cursor');
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1_000;
    assert.ok(cpuMs < 1_500, `it took ${cpuMs} ms`);
  });

  test('pages sorted by long texts follow each other, until the last record was changed', async () => {
    const title = 'y'.repeat(5_000);
    const records = ['L0', 'L1', 'L2', 'L3'].map((key) => copiedUser(key, { real_name: title }));
    const long = await running.connector(token);
    await copyByHand(running.store, long, 'users', records);
    const go = (cursor: unknown) => {
      const params = { query: { sort: [{ real_name: 'asc' }] }, limit: 2, cursor, fields: ['id'] };
      return running.execute(token, long, { entity: 'users', action: 'search', params });
    };
    const first = await go(null);
    assert.deepEqual(idsOf(first), ['L0', 'L1']);
    const cursor = textAt(first, 'result.next_cursor');
    assert.ok(cursor.length < 300, cursor);
    assert.deepEqual(idsOf(await go(cursor)), ['L2', 'L3']);
    const renamed = copiedUser('L1', { real_name: 'Ada' });
    await copyByHand(running.store, long, 'users', [...records, renamed]);
    assertProblem(await go(cursor), 'invalid_cursor');
  });

  test('what is wrong with a query is said at its place', async () => {
    const answer = await run({
      query: { filter: { fuzy: { real_name: 'x' }, eq: { real_nme: 'x', updated: 'x' } } },
      fields: ['profle'],
    });
    assertProblem(answer, 'invalid_query');
    assert.deepEqual(faultFields(answer), [
      'params.fields.0',
      'params.query.filter.eq.real_nme',
      'params.query.filter.eq.updated',
      'params.query.filter.fuzy',
    ]);
    assert.match(answer.text, /"did_you_mean":"fuzzy"/);
    assert.match(answer.text, /"did_you_mean":"real_name"/);
  });

  test('it is judged in the order token, ownership, entity and action, params, readiness', async () => {
    const body = { entity: 'channels', action: 'search', params: {} };
    const path = `/api/v1/connectors/sources/${id}/execute`;
    assertProblem(await running.send('POST', path, { body }), 'unauthenticated');
    const foreign = await running.scopedToken('somebody else');
    assertProblem(await running.execute(foreign, id, body), 'connector_not_found');
    assertProblem(
      await running.execute(token, id, { ...body, entity: 'chanels' }),
      'unknown_entity',
    );
    const reaction = { ...body, entity: 'reactions' };
    assertProblem(await running.execute(token, id, reaction), 'unsupported_action');
    assertProblem(await running.execute(token, id, body), 'invalid_query');
    const limit = { ...body, params: { query: {}, limit: 0 } };
    assertProblem(await running.execute(token, id, limit), 'invalid_params');
    const ready = { ...body, params: { query: {} } };
    assertProblem(await running.execute(token, id, ready), 'search_not_ready');
  });

  test('field selections of other actions are refused along with everything else', async () => {
    const answer = await run(
      { query: {}, limit: 0 },
      { select_fields: ['id'], exclude_fields: [] },
    );
    assertProblem(answer, 'invalid_request');
    assert.deepEqual(faultFields(answer), ['exclude_fields', 'params.limit', 'select_fields']);
    assert.equal((await run(EVERYBODY, { select_fields: null })).status, 200);
  });

  test('a read-only token of the right user may search', async () => {
    const reader = await running.scopedToken('user-1', { access: 'read' });
    const body = { entity: 'users', action: 'search', params: EVERYBODY };
    assert.equal((await running.execute(reader, id, body)).status, 200);
  });

  test('nothing is asked of the upstream', async () => {
    running.sandbox.resetRequests();
    await run(EVERYBODY);
    assert.equal(running.sandbox.requests().length, 0);
  });

  test('the log tells of a search, and nothing of what was looked for', async () => {
    running.log.clear();
    await run({ query: { filter: { keyword: { real_name: 'planted-word' } } } });
    const line = running.log.lines().find((each) => each['msg'] === 'call');
    assert.equal(line?.['action'], 'search');
    assert.equal(line['entity'], 'users');
    assert.ok(!running.log.text().includes('planted-word'));
  });
});

/** What stands in the way of a first page, and what the answer says then. */
interface Unready {
  /** No process copies records. */
  readonly hasNoWorker?: true;
  readonly prepare: (id: string) => Promise<unknown>;
  readonly cause: SearchCause;
  readonly retry: string;
  readonly retryAfter: string | null;
  readonly problem?: string;
}

const patch = (change: object) => async (id: string) => {
  const answer = await running.send('PATCH', `${COLLECTION}/${id}`, { token, body: change });
  assert.equal(answer.status, 200, answer.text);
};

const refuseCredentials = async (id: string) => {
  const fault = running.sandbox.faults.add({ kind: 'revokeToken' });
  const body = { entity: 'users', action: 'list' };
  assertProblem(await running.execute(token, id, body), 'credentials_rejected');
  fault.release();
};

const failUsers =
  (code: string, isForbidden = false) =>
  async (id: string) => {
    const sync = await beginSync(running.store, id);
    await sync.fail('users', { code, message: `It said ${code}.` }, { isForbidden });
    await sync.end('failed');
  };

const UNREADY: Readonly<Record<string, Unready>> = {
  'nothing has begun': {
    prepare: async () => undefined,
    cause: 'not_started',
    retry: 'after',
    retryAfter: '2',
  },
  'the first page is being read': {
    prepare: async (id) => (await beginSync(running.store, id)).begin('users'),
    cause: 'first_read',
    retry: 'after',
    retryAfter: '2',
  },
  'another entity is ready, but not this one': {
    prepare: (id) => copyByHand(running.store, id, 'channels', []),
    cause: 'not_started',
    retry: 'after',
    retryAfter: '2',
  },
  'no process copies records': {
    hasNoWorker: true,
    prepare: async () => undefined,
    cause: 'no_worker',
    retry: 'after',
    retryAfter: '60',
  },
  'the process died that read the first page': {
    hasNoWorker: true,
    prepare: async (id) => (await beginSync(running.store, id)).begin('users'),
    cause: 'no_worker',
    retry: 'after',
    retryAfter: '60',
  },
  'the first read failed': {
    prepare: failUsers('upstream_unavailable'),
    cause: 'failed',
    retry: 'after',
    retryAfter: '60',
    problem: 'upstream_unavailable',
  },
  'the connector is paused': {
    prepare: patch({ paused: true }),
    cause: 'paused',
    retry: 'after',
    retryAfter: '60',
  },
  'the credentials are dead': {
    prepare: refuseCredentials,
    cause: 'reauth_required',
    retry: 'reauth',
    retryAfter: null,
  },
  'the credentials are dead, and the connector is paused': {
    prepare: async (id) => {
      await refuseCredentials(id);
      await patch({ paused: true })(id);
    },
    cause: 'reauth_required',
    retry: 'reauth',
    retryAfter: null,
  },
  'the credentials may not read the entity': {
    prepare: failUsers('upstream_forbidden', true),
    cause: 'forbidden',
    retry: 'never',
    retryAfter: null,
    problem: 'upstream_forbidden',
  },
};

describe('search before the first page', () => {
  for (const [name, unready] of Object.entries(UNREADY)) {
    const { hasNoWorker = false, prepare, cause, retry, retryAfter, problem } = unready;
    test(`${name}: ${cause}, ${retry}`, async () => {
      const id = await running.connector(token);
      await prepare(id);
      if (!hasNoWorker) await running.store.instances.beat('a worker', { isWorker: true });
      for (const action of ['search', 'context_store_search']) {
        const body = { entity: 'users', action, params: { query: {} } };
        const answer = await running.execute(token, id, body);
        assertProblem(answer, 'search_not_ready');
        assert.equal(at(answer, 'retry'), retry);
        assert.equal(at(answer, 'details.cause'), cause);
        assert.equal(at(answer, 'details.problem.code'), problem);
        assert.equal(answer.headers.get('retry-after'), retryAfter);
        assert.match(textAt(answer, 'detail'), /^No users of this connector can be searched yet: /);
      }
      await running.store.instances.remove('a worker');
    });
  }

  test('a config value is missing: config_required, never, with the request that mends it', async () => {
    await using strict = await startServiceOn(running, { upstreams: {} });
    const as = await strict.applicationToken();
    const id = await strict.connector(as, {
      connector_type: 'support-chat',
      credentials: { access_token: 'test' },
      replication_config: null,
    });
    const body = { entity: 'agents', action: 'search', params: { query: {} } };
    const answer = await strict.execute(as, id, body);
    assertProblem(answer, 'search_not_ready');
    assert.equal(at(answer, 'details.cause'), 'config_required');
    assert.equal(at(answer, 'retry'), 'never');
    assert.match(textAt(answer, 'details.patch'), /^PATCH .*\{"config":\{"subdomain":/);
  });

  test('an empty first page is a page: the answer is empty, and says so truly', async () => {
    const id = await running.connector(token);
    const sync = await beginSync(running.store, id);
    await sync.begin('users');
    await sync.commit('users', [], { page: 2 });
    const body = { entity: 'users', action: 'search', params: { query: {} } };
    const answer = await running.execute(token, id, body);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(at(answer, 'result.hits'), []);
    assert.deepEqual(at(answer, 'result.sync'), {
      state: 'syncing',
      as_of: null,
      complete: false,
      lag_seconds: null,
    });
    await sync.end();
  });
});

const copied = async () => {
  const id = await running.connector(token);
  await copyByHand(running.store, id, 'users', PEOPLE);
  return id;
};
const syncOf = async (id: string) => {
  const body = { entity: 'users', action: 'search', params: EVERYBODY };
  const answer = await running.execute(token, id, body);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(idsOf(answer).length, 2);
  return answer;
};

describe('search once there is a page', () => {
  const later: Readonly<Record<string, readonly [Unready['prepare'], string]>> = {
    'paused: paused': [patch({ paused: true }), 'paused'],
    'with dead credentials: failed': [refuseCredentials, 'failed'],
    'after a failed run: failed': [failUsers('upstream_timeout'), 'failed'],
    'on an entity that the credentials may not read any more: failed': [
      failUsers('upstream_forbidden', true),
      'failed',
    ],
    'while a sync is under way: syncing': [
      async (id) => (await beginSync(running.store, id)).begin('users'),
      'syncing',
    ],
    'after a good run: idle': [async () => undefined, 'idle'],
  };
  for (const [name, [prepare, state]] of Object.entries(later))
    test(`it answers ${name}`, async () => {
      const id = await copied();
      const asOf = at(await syncOf(id), 'result.sync.as_of');
      await prepare(id);
      const answer = await syncOf(id);
      assert.equal(at(answer, 'result.sync.state'), state);
      assert.equal(at(answer, 'result.sync.as_of'), asOf);
      assert.equal(at(answer, 'result.sync.complete'), true);
    });

  test('the lag is the time since the last complete read began', async () => {
    const id = await copied();
    running.clock.advance(90_000);
    const lag = at(await syncOf(id), 'result.sync.lag_seconds');
    assert.ok(Number.isInteger(lag) && Number(lag) >= 90 && Number(lag) < 150, String(lag));
  });

  test('a deleted connector is not found, copy or not', async () => {
    const id = await copied();
    await running.send('DELETE', `${COLLECTION}/${id}`, { token });
    const body = { entity: 'users', action: 'search', params: EVERYBODY };
    assertProblem(await running.execute(token, id, body), 'connector_not_found');
  });
});

describe('our own writes', async () => {
  const id = await running.connector(token);

  const create = (name: string) =>
    running.execute(token, id, { entity: 'channels', action: 'create', params: { name } });
  const find = async (name: string) => {
    const params = { query: { filter: { eq: { name } } }, fields: ['name'] };
    return running.execute(token, id, { entity: 'channels', action: 'search', params });
  };

  test('a write before the first page does not make the copy look ready', async () => {
    assert.equal((await create('too-early')).status, 200);
    assertProblem(await find('too-early'), 'search_not_ready');
  });

  test('what a write answered is found by the next search', async () => {
    await copyByHand(running.store, id, 'channels', []);
    const created = await create('found-at-once');
    assert.equal(created.status, 200, created.text);
    const channel = textAt(created, 'result.id');
    assert.deepEqual(idsOf(await find('found-at-once')), [channel]);
    const renamed = await running.execute(token, id, {
      entity: 'channels',
      action: 'update',
      params: { channel, name: 'renamed-at-once' },
    });
    assert.equal(renamed.status, 200, renamed.text);
    assert.deepEqual(idsOf(await find('found-at-once')), []);
    assert.deepEqual(idsOf(await find('renamed-at-once')), [channel]);
  });

  test('a copy that cannot take it over fails no write', async () => {
    const copies = {
      ...running.store.copies,
      merge: () => Promise.reject(new Error('the disk is full')),
    };
    await using broken = await startServiceOn(withStore(running, { ...running.store, copies }));
    const as = await broken.applicationToken();
    const created = await broken.execute(as, await broken.connector(as), {
      entity: 'channels',
      action: 'create',
      params: { name: 'written-anyway' },
    });
    assert.equal(created.status, 200, created.text);
    assert.equal(at(created, 'result.name'), 'written-anyway');
    assert.equal(at(created, 'warnings.0.code'), 'copy_not_updated');
    const line = broken.log.lines().find((each) => /taken into the copy/.test(String(each['msg'])));
    assert.equal(line?.['entity'], 'channels');
  });
});

describe('a search while its copy is asked', async () => {
  /** Searches that wait to be let go. */
  const waiting: { readonly go: () => void; readonly options: SearchOptions }[] = [];
  const { copies } = running.store;
  const slow: Store['copies']['search'] = async (copy, search, options = {}) => {
    await new Promise<void>((go) => waiting.push({ go, options }));
    return copies.search(copy, search);
  };
  const store = { ...running.store, copies: { ...copies, search: slow } };
  const slowed = await startServiceOn(withStore(running, store), { shutdownGraceMs: 20 });
  after(() => slowed[Symbol.asyncDispose]());
  const own = await slowed.applicationToken();
  const id = await slowed.connector(own);
  await copyByHand(running.store, id, 'users', PEOPLE);

  const body = { entity: 'users', action: 'search', params: EVERYBODY };
  const next = async () => {
    await until(() => waiting.length > 0);
    return waiting.pop() ?? assert.fail('nothing waits');
  };

  test('is told how many records the copy has: how they are best found depends on it', async () => {
    const call = slowed.execute(own, id, body);
    const { options, go } = await next();
    go();
    assert.equal((await call).status, 200);
    assert.equal(options.recordCount, PEOPLE.length);
  });

  test('ends at the deadline that the caller gave', async () => {
    const call = slowed.execute(own, id, body, { 'patchbay-timeout-ms': '3000' });
    const { options, go } = await next();
    assertProblem(await call, 'upstream_timeout');
    assert.equal(options.signal?.aborted, true);
    go();
  });

  test('ends when its client goes', async () => {
    slowed.log.clear();
    const controller = new AbortController();
    const path = `/api/v1/connectors/sources/${id}/execute`;
    const call = slowed.send('POST', path, { token: own, body, signal: controller.signal });
    const { options, go } = await next();
    controller.abort();
    await assert.rejects(call);
    await until(() => options.signal?.aborted === true);
    await until(() => slowed.log.lines().some((line) => line['code'] === 'client_disconnected'));
    go();
  });

  test('ends as not_ready when the service goes down', async () => {
    const call = slowed.execute(own, id, body);
    const { go } = await next();
    await slowed.service.close();
    assertProblem(await call, 'not_ready');
    go();
  });
});

function withStore(ground: TestGround, store: Store): TestGround {
  const { sandbox, dataFolder } = ground;
  return { sandbox, dataFolder, store, [Symbol.asyncDispose]: async () => undefined };
}

function idsOf(answer: TestAnswer): readonly unknown[] {
  const hits = at(answer, 'result.hits');
  assert.ok(Array.isArray(hits), answer.text);
  return hits.map((_, index) => at(answer, `result.hits.${index}.id`));
}

function keysAt(answer: TestAnswer, path: string): readonly string[] {
  const value = path === '' ? answer.body : at(answer, path);
  assert.ok(typeof value === 'object' && value !== null, answer.text);
  return Object.keys(value);
}
