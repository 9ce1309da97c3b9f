import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { Compile } from 'typebox/compile';
import { checkConnector } from '../src/execution/check-connector.ts';
import { checkConfig } from '../src/execution/check-settings.ts';
import { ConnectorEngine } from '../src/execution/connector-engine.ts';
import type { Page } from '../src/execution/read-answer.ts';
import { checkCredentials } from '../src/execution/credentials.ts';
import { supportChat } from '../src/kinds/support-chat/index.ts';
import { recordSchema, type Entity } from '../src/vocabulary/index.ts';
import { collect, errorOf } from './support/connectors.ts';
import { reply, startUpstream } from './support/upstreams.ts';

const CHATS = 130;
const ENTITIES: readonly Entity[] = Object.values(supportChat.entities);

/** A connector at a simulated upstream, or at none. */
function engineAt(
  baseUrl: string | undefined,
  { token = 'opens-the-sandbox', config = {}, unknown = new Set<string>() } = {},
): ConnectorEngine {
  return new ConnectorEngine({
    kind: supportChat,
    authorize: () => checkCredentials(supportChat, { access_token: token }),
    config: checkConfig(supportChat, config),
    baseUrl,
    upstreamLimits: 'reactive',
    random: () => 0,
    onDrift: ({ unknownNames }) => unknownNames.forEach((name) => unknown.add(name)),
  });
}

/** The first page of a list. */
async function listed(engine: ConnectorEngine, entity: string, params: object = {}): Promise<Page> {
  // The action is a list, so the outcome is a page.
  return (await engine.execute(entity, 'list', params)) as Page;
}

describe('support-chat', () => {
  let sandbox: Sandbox;
  let engine: ConnectorEngine;
  const unknown = new Set<string>();

  before(async () => {
    sandbox = await startSandbox({ scale: CHATS });
    engine = engineAt(sandbox.urls.zendeskChat, { unknown });
  });
  after(() => sandbox.close());

  test('has 12 entities and 20 reads', () => {
    const verbs = ENTITIES.flatMap(({ actions }) => Object.keys(actions));
    assert.equal(ENTITIES.length, 12);
    assert.equal(verbs.length, 20);
    assert.ok(verbs.every((verb) => verb === 'list' || verb === 'get'));
  });

  for (const { name, record, actions, key } of ENTITIES) {
    const check = Compile(recordSchema(record));

    if (actions.list !== undefined)
      test(`${name}.list gives whole records, every field filled in one of them`, async () => {
        const { data } = await listed(engine, name);
        assert.ok(data.length > 0);
        const filled = new Set<string>();
        for (const one of data) {
          assert.ok(check.Check(one), JSON.stringify(check.Errors(one)));
          assert.deepEqual(Object.keys(one), Object.keys(record));
          for (const [field, value] of Object.entries(one)) if (value !== null) filled.add(field);
        }
        assert.deepEqual([...filled].toSorted(), Object.keys(record).toSorted());
      });

    if (actions.get !== undefined)
      test(`${name}.get gives one whole record, with all that the list has of it`, async () => {
        const [param] = Object.keys(actions.get?.params ?? {});
        const list = actions.list === undefined ? [] : (await listed(engine, name)).data;
        const one = list[1];
        const id = one?.[key[0] ?? ''];
        const isInteger = actions.get?.params[param ?? '']?.expects === 'an integer';
        const params = param === undefined ? {} : { [param]: isInteger ? Number(id) : id };
        const got = await engine.execute(name, 'get', params);
        assert.ok(check.Check(got), JSON.stringify(check.Errors(got)));
        if (one !== undefined) {
          const known = Object.entries(one).filter(([, value]) => value !== null);
          assert.partialDeepStrictEqual(got, Object.fromEntries(known));
        } else assert.ok(Object.values(got).every((value) => value !== null));
      });
  }

  test('what Zendesk sends besides is the rest of the page path', () => {
    assert.deepEqual([...unknown].toSorted(), ['title', 'to']);
  });

  for (const [entity, sizes] of [
    ['agents', [1, 3, 16, 17, 100]],
    ['bans', [1, 4, 32, 33, 1000]],
  ] as const)
    test(`${entity} are walked in pages of any size, each once and by id`, async () => {
      const ids = (await listed(engine, entity)).data.map(({ id }) => Number(id));
      assert.deepEqual(
        ids,
        [...new Set(ids)].toSorted((one, other) => one - other),
      );
      for (const limit of [...sizes, undefined]) {
        const walked = await collect(engine.all(entity, { limit }));
        assert.deepEqual(
          walked.map(({ id }) => id),
          ids,
          `pages of ${limit ?? 'no size'}`,
        );
      }
      const rest = await collect(engine.all(entity, { limit: 2, since_id: ids[5] }));
      assert.deepEqual(
        rest.map(({ id }) => id),
        ids.slice(5),
      );
    });

  test('bans of visitors and of addresses come in one list', async () => {
    const { data, meta } = await listed(engine, 'bans', { limit: 6 });
    assert.deepEqual(
      data.map(({ type }) => type),
      // Of visitors Zendesk's documents do not say what it is.
      [null, 'I', null, 'I', null, 'I'],
    );
    assert.deepEqual(meta, {});
    const { id, type } = data[1] ?? {};
    assert.partialDeepStrictEqual(await engine.execute('bans', 'get', { ban_id: id }), { type });
  });

  test('the type that a ban of a list has stays', async () => {
    const body = {
      visitor: [
        { id: 2, type: 'visitor' },
        { id: 1, type: '' },
      ],
      ip_address: [],
    };
    await using upstream = await startUpstream((response) => reply(response, 200, body));
    const { data } = await listed(engineAt(upstream.url), 'bans');
    assert.deepEqual(
      data.map(({ type }) => type),
      ['', 'visitor'],
    );
  });

  for (const [body, ids] of [
    [{ visitor: [{ id: 9 }, { id: 2 }], ip_address: [] }, [2, 9]],
    [{ ip_address: [{ id: 7 }] }, [7]],
  ] as const)
    test(`bans ${JSON.stringify(body)} are put in order`, async () => {
      await using upstream = await startUpstream((response) => reply(response, 200, body));
      const { data } = await listed(engineAt(upstream.url), 'bans');
      assert.deepEqual(
        data.map(({ id }) => id),
        ids,
      );
    });

  for (const body of [{}, { visitor: {} }, null, { bans: [] }])
    test(`bans ${JSON.stringify(body)} are no list of bans`, async () => {
      await using upstream = await startUpstream((response) => reply(response, 200, body));
      const error = await errorOf(listed(engineAt(upstream.url), 'bans'));
      assert.equal(error.code, 'upstream_contract_broken');
    });

  for (const [entity, total, keyOf] of [
    ['chats', CHATS, ({ id }: Record<string, unknown>) => String(id)],
    [
      'agent_timeline',
      CHATS * 2,
      ({ agent_id: agent, start_time: at }: Record<string, unknown>) =>
        `${String(agent)} ${String(at)}`,
    ],
  ] as const) {
    test(`${entity} are exported whole in pages of any size, though many share one time`, async () => {
      const whole = (await collect(engine.all(entity))).map(keyOf);
      assert.equal(new Set(whole).size, total);
      for (const limit of [1, 7, 10, total, total + 1]) {
        sandbox.resetRequests();
        const walked = await collect(engine.all(entity, { limit }));
        assert.deepEqual(walked.map(keyOf), whole, `pages of ${limit}`);
        // A last page that is full leads to an empty one.
        assert.equal(sandbox.requests().length, Math.floor(total / limit) + 1, `pages of ${limit}`);
      }
    });

    test(`${entity}: nextParams lead on from the params of the first page, too`, async () => {
      const first = { start_time: 0, limit: 7 };
      const seen: string[] = [];
      for (let next: Page['nextParams'] = {}; next !== null;) {
        const { data, nextParams } = await listed(engine, entity, { ...first, ...next });
        seen.push(...data.map(keyOf));
        assert.ok(seen.length <= total, 'the list ends');
        next = nextParams;
      }
      assert.equal(new Set(seen).size, total);
    });

    test(`${entity}.list: next_page leads on by hand, and is null on a short page`, async () => {
      const seen: string[] = [];
      let params: object = { limit: 10 };
      for (;;) {
        const { data, meta } = await listed(engine, entity, params);
        assert.equal(meta['count'], data.length);
        seen.push(...data.map(keyOf));
        const { next_page: next } = meta;
        if (typeof next !== 'string') break;
        // Without a subdomain in the config, it is path and query.
        const query = new URL(next, 'https://example.com').searchParams;
        assert.equal(data.length, 10);
        params = {
          limit: 10,
          start_time: Number(query.get('start_time')),
          start_id: query.get('start_id'),
        };
      }
      assert.equal(seen.length, total);
      assert.equal(new Set(seen).size, total);
    });

    test(`${entity} sends its size and asks for every field unless told otherwise`, async () => {
      sandbox.resetRequests();
      await listed(engine, entity);
      assert.deepEqual(sandbox.requests()[0]?.params, { limit: '1000', fields: `${entity}(*)` });
      const names = entity === 'chats' ? 'id,type' : 'agent_id,status';
      const { data } = await listed(engine, entity, { fields: `${entity}(${names})`, limit: 2 });
      for (const one of data)
        assert.equal(Object.values(one).filter((value) => value !== null).length, 2);
    });

    test(`${entity}: a link that never moves ends the walk with an error`, async () => {
      await using own = await startSandbox({ scale: CHATS });
      own.faults.add({ kind: 'repeatCursor' });
      const walk = collect(engineAt(own.urls.zendeskChat).all(entity, { limit: 10 }));
      assert.equal((await errorOf(walk)).code, 'upstream_contract_broken');
    });

    for (const change of ['insert', 'delete'] as const)
      test(`${entity}: what stays while others ${change} comes exactly once`, async () => {
        await using own = await startSandbox({ scale: CHATS });
        const there = engineAt(own.urls.zendeskChat);
        const earlier = new Set((await collect(there.all(entity))).map(keyOf));
        own.faults.add({ kind: 'mutateWhilePaging', change, times: 3 });
        const rows = await collect(there.all(entity, { limit: 20 }));
        // Deleted chats come once more, marked as such.
        const walked = rows.filter((row) => row['deleted'] !== true).map(keyOf);
        const missed = [...earlier].filter((one) => !walked.includes(one));
        assert.equal(new Set(walked).size, walked.length);
        assert.equal(missed.length, change === 'delete' ? 3 : 0);
      });
  }

  test('an export that counts nothing still has a count', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { chats: [{ id: 'a' }, { id: 'b' }] }),
    );
    const { meta } = await listed(engineAt(upstream.url), 'chats');
    assert.deepEqual(meta, { next_page: null, count: 2 });
  });

  for (const [token, code] of [
    ['an-invalid-one', 'credentials_rejected'],
    ['a-revoked-one', 'credentials_rejected'],
    ['a-forbidden-one', 'upstream_forbidden'],
  ] as const)
    test(`${token} is ${code} everywhere`, async () => {
      const refused = engineAt(sandbox.urls.zendeskChat, { token });
      for (const { entity, action, params } of supportChat.checks) {
        const error = await errorOf(refused.execute(entity, action, params));
        assert.equal(error.code, code, entity);
        assert.ok(!JSON.stringify(error.details).includes(token));
      }
    });

  test('an id that is not there is record_not_found', async () => {
    for (const { name, actions } of ENTITIES) {
      const [param] = Object.keys(actions.get?.params ?? {});
      if (param === undefined) continue;
      const id = name === 'chats' ? '2601.1.Snone' : 999_999_999;
      const error = await errorOf(engine.execute(name, 'get', { [param]: id }));
      assert.equal(error.code, 'record_not_found', name);
    }
  });

  test('a time to come is refused, in Zendesk’s words', async () => {
    const start_time = Math.floor(Date.now() / 1000) + 3_600;
    const error = await errorOf(listed(engine, 'chats', { start_time }));
    assert.equal(error.code, 'upstream_rejected');
    assert.partialDeepStrictEqual(error.details, {
      upstreamCode: 'Bad Request',
      upstreamMessage: 'start_time must be more than five minutes ago',
      upstreamStatus: 400,
    });
  });

  test('sizes out of range and params of other kinds are refused unsent', async () => {
    sandbox.resetRequests();
    for (const [entity, params] of [
      ['bans', { limit: 0 }],
      ['chats', { start_time: -1 }],
      ['departments', { limit: 0 }],
      ['departments', { since_id: 1 }],
    ] as const)
      assert.equal((await errorOf(listed(engine, entity, params))).code, 'invalid_params');
    assert.equal(sandbox.requests().length, 0);
  });

  test('the subdomain is in the address, and its placeholder is refused', async () => {
    for (const config of [{}, { subdomain: 'your-subdomain' }]) {
      const error = await errorOf(engineAt(undefined, { config }).execute('goals', 'list'));
      assert.equal(error.code, 'config_required');
    }
    for (const subdomain of ['', '-a', 'a-', 'A', 'a.b', 'a'.repeat(64), 'a/b'])
      assert.throws(() => checkConfig(supportChat, { subdomain }), { code: 'invalid_config' });
    for (const subdomain of ['a', 'a1', 'lantern-shop', 'a'.repeat(63)])
      assert.deepEqual(checkConfig(supportChat, { subdomain }), { subdomain });
  });

  test('the check reads every entity once', async () => {
    sandbox.resetRequests();
    const { status, entity_check_results: results } = await checkConnector(engine);
    assert.equal(status, 'succeeded');
    assert.deepEqual(
      results.map(({ entity }) => entity).toSorted(),
      Object.keys(supportChat.entities).toSorted(),
    );
    assert.equal(sandbox.requests().length, results.length);
  });
});
