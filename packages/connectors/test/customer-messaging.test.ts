import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { Compile } from 'typebox/compile';
import { checkConnector } from '../src/execution/check-connector.ts';
import { checkConfig, fillBaseUrl, missingConfig } from '../src/execution/check-settings.ts';
import { ConnectorEngine } from '../src/execution/connector-engine.ts';
import type { Page } from '../src/execution/read-answer.ts';
import { checkCredentials } from '../src/execution/credentials.ts';
import { customerMessaging } from '../src/kinds/customer-messaging/index.ts';
import { recordSchema, type Entity } from '../src/vocabulary/index.ts';
import { collect, errorOf } from './support/connectors.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { reply, startUpstream } from './support/upstreams.ts';

const CONTACTS = 300;
const ENTITIES: readonly Entity[] = Object.values(customerMessaging.entities);

/** Fields that no record of the sandbox's has, or none in a list. */
const NEVER_LISTED: Readonly<Record<string, readonly string[]>> = {
  conversations: ['conversation_parts'],
  admins: ['email_verified'],
  tags: ['applied_at', 'applied_by'],
  segments: ['count'],
};

/** A connector at a simulated upstream. */
function engineAt(
  baseUrl: string,
  { token = 'opens-the-sandbox', clock = undefined as HandClock | undefined } = {},
): ConnectorEngine {
  return new ConnectorEngine({
    kind: customerMessaging,
    authorize: () => checkCredentials(customerMessaging, { access_token: token }),
    config: {},
    baseUrl,
    upstreamLimits: 'reactive',
    random: () => 0,
    clock,
  });
}

/** The first page of a list. */
async function listed(engine: ConnectorEngine, entity: string, params: object = {}): Promise<Page> {
  // The action is a list, so the outcome is a page.
  return (await engine.execute(entity, 'list', params)) as Page;
}

describe('customer-messaging', () => {
  let sandbox: Sandbox;
  let engine: ConnectorEngine;

  before(async () => {
    sandbox = await startSandbox({ scale: CONTACTS });
    engine = engineAt(sandbox.urls.intercom);
  });
  after(() => sandbox.close());

  test('has 7 entities and 14 reads', () => {
    const verbs = ENTITIES.flatMap(({ actions }) => Object.keys(actions));
    assert.equal(ENTITIES.length, 7);
    assert.equal(verbs.length, 14);
    assert.ok(verbs.every((verb) => verb === 'list' || verb === 'get'));
  });

  for (const { name, record } of ENTITIES) {
    const check = Compile(recordSchema(record));

    test(`${name}.list gives whole records, every field filled in one of them`, async () => {
      const data = await collect(engine.all(name));
      assert.ok(data.length > 0);
      const filled = new Set<string>();
      for (const one of data) {
        assert.ok(check.Check(one), JSON.stringify(check.Errors(one)));
        assert.deepEqual(Object.keys(one), Object.keys(record));
        for (const [field, value] of Object.entries(one)) if (value !== null) filled.add(field);
      }
      const expected = Object.keys(record).filter((field) => !NEVER_LISTED[name]?.includes(field));
      assert.deepEqual([...filled].toSorted(), expected.toSorted());
    });

    test(`${name}.get gives the record of the list, and more where Intercom has more`, async () => {
      const one = (await listed(engine, name)).data[1] ?? assert.fail();
      const got = await engine.execute(name, 'get', { id: one['id'] });
      assert.ok(check.Check(got), JSON.stringify(check.Errors(got)));
      const known = Object.entries(one).filter(([field]) => !NEVER_LISTED[name]?.includes(field));
      assert.partialDeepStrictEqual(got, Object.fromEntries(known));
    });
  }

  test('a conversation has its parts when it is read alone', async () => {
    const [one] = (await listed(engine, 'conversations', { per_page: 1 })).data;
    const got = await engine.execute('conversations', 'get', { id: one?.['id'] });
    assert.partialDeepStrictEqual(got, {
      conversation_parts: { type: 'conversation_part.list' },
    });
  });

  test('segments are counted when asked to', async () => {
    const { data } = await listed(engine, 'segments', { include_count: true });
    assert.ok(data.every(({ count }) => Number.isInteger(count)));
  });

  for (const [entity, total, request] of [
    ['contacts', CONTACTS, 'GET /contacts'],
    ['conversations', CONTACTS / 2, 'GET /conversations'],
    ['companies', CONTACTS / 5, 'POST /companies/list'],
  ] as const) {
    test(`${entity} are walked in pages of any size, each once`, async () => {
      const whole = (await collect(engine.all(entity))).map(({ id }) => id);
      assert.equal(whole.length, total);
      assert.equal(new Set(whole).size, total);
      for (const per_page of [1, 7, 30, total - 1, total].filter((size) => size <= 150)) {
        sandbox.resetRequests();
        const walked = await collect(engine.all(entity, { per_page }));
        assert.deepEqual(
          walked.map(({ id }) => id),
          whole,
          `pages of ${per_page}`,
        );
        const requests = sandbox.requests();
        assert.equal(requests.length, Math.ceil(total / per_page));
        assert.ok(requests.every(({ method }) => method === request));
      }
    });

    test(`${entity}.list: next_page leads on by hand, and is null on the last page`, async () => {
      const first = await listed(engine, entity, { per_page: 40 });
      const { next_page: starting_after } = first.meta;
      assert.equal(typeof starting_after, 'string');
      // The number of a page counts pages of one size; a cursor leads on in pages of any.
      const per_page = entity === 'companies' ? 40 : 150;
      const second = await listed(engine, entity, { per_page, starting_after });
      const both = [...first.data, ...second.data].map(({ id }) => id);
      assert.equal(new Set(both).size, both.length);
      assert.equal(both.length, Math.min(total, 40 + per_page));
      assert.equal(second.meta['next_page'] === null, total <= 40 + per_page);
    });

    test(`${entity}: what is no cursor of the list leads nowhere, and not to its beginning`, async () => {
      const { data } = await listed(engine, entity, { per_page: 2 });
      for (const starting_after of ['zzz', String(data.at(-1)?.['id'])]) {
        const error = await errorOf(
          engine.execute(entity, 'list', { per_page: 2, starting_after }),
        );
        assert.equal(error.code, 'invalid_cursor', starting_after);
      }
    });

    test(`${entity}: a cursor that never moves ends the walk with an error`, async () => {
      await using own = await startSandbox({ scale: CONTACTS });
      own.faults.add({ kind: 'repeatCursor' });
      const walk = collect(engineAt(own.urls.intercom).all(entity, { per_page: 10 }));
      assert.equal((await errorOf(walk)).code, 'upstream_contract_broken');
    });

    for (const change of ['insert', 'delete'] as const) {
      const mayRepeat = entity === 'companies' && change === 'insert';
      const what = mayRepeat ? 'at least once' : 'exactly once';
      test(`${entity}: what stays while others ${change} comes ${what}`, async () => {
        await using own = await startSandbox({ scale: CONTACTS });
        const there = engineAt(own.urls.intercom);
        const earlier = (await collect(there.all(entity))).map(({ id }) => id);
        own.faults.add({ kind: 'mutateWhilePaging', change, times: 3 });
        const walked = (await collect(there.all(entity, { per_page: 12 }))).map(({ id }) => id);
        const missed = earlier.filter((id) => !walked.includes(id));
        if (!mayRepeat) assert.equal(new Set(walked).size, walked.length);
        assert.equal(missed.length, change === 'delete' ? 3 : 0);
      });
    }
  }

  test('every call says which version it speaks; companies are listed by a POST', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { type: 'list', data: [], pages: { type: 'pages', next: null } }),
    );
    const there = engineAt(upstream.url);
    const { meta } = await listed(there, 'companies', { per_page: 2, starting_after: '3' });
    assert.deepEqual(meta, { next_page: null });
    await listed(there, 'contacts', { per_page: 2, starting_after: 'abc' });
    const [companies, contacts] = upstream.seen;
    assert.equal(companies?.line, 'POST /companies/list?per_page=2&page=3');
    assert.equal(companies.body, '{}');
    assert.equal(contacts?.line, 'GET /contacts?per_page=2&starting_after=abc');
    for (const { headers } of upstream.seen) {
      assert.equal(headers['intercom-version'], '2.11');
      assert.equal(headers['authorization'], 'Bearer opens-the-sandbox');
    }
  });

  for (const [token, upstreamCode] of [
    ['an-invalid-one', 'unauthorized'],
    ['a-revoked-one', 'token_revoked'],
  ] as const)
    test(`${token} is credentials_rejected everywhere`, async () => {
      const refused = engineAt(sandbox.urls.intercom, { token });
      for (const { entity, action, params } of customerMessaging.checks) {
        const error = await errorOf(refused.execute(entity, action, params));
        assert.equal(error.code, 'credentials_rejected', entity);
        assert.partialDeepStrictEqual(error.details, { upstreamCode, upstreamStatus: 401 });
        assert.ok(!JSON.stringify(error.details).includes(token));
      }
    });

  for (const [upstreamCode, status, code] of [
    ['action_forbidden', 403, 'upstream_forbidden'],
    ['api_plan_restricted', 403, 'upstream_forbidden'],
    ['company_not_found', 404, 'record_not_found'],
    ['not_found', 404, 'upstream_rejected'],
    ['parameter_invalid', 400, 'upstream_rejected'],
    ['a_code_that_nobody_knows', 400, 'upstream_rejected'],
  ] as const)
    test(`"${upstreamCode}" of a list is ${code}, with Intercom's code and words`, async () => {
      await using own = await startSandbox({ scale: 10 });
      own.faults.add({ kind: 'upstreamError', error: upstreamCode, status });
      const error = await errorOf(listed(engineAt(own.urls.intercom), 'companies'));
      assert.equal(error.code, code);
      assert.partialDeepStrictEqual(error.details, {
        upstreamCode,
        upstreamStatus: status,
        upstreamMessage: 'This error was asked for',
      });
      assert.equal(own.requests().length, 1);
    });

  test('an id that is not there is record_not_found', async () => {
    for (const { name } of ENTITIES) {
      const error = await errorOf(engine.execute(name, 'get', { id: 'nobody' }));
      assert.equal(error.code, 'record_not_found', name);
    }
  });

  test('a spent window is waited for, as long as its headers say', async () => {
    const clock = new HandClock();
    await using own = await startSandbox({ scale: 10, clock: () => clock.now() });
    own.faults.add({ kind: 'rateLimit', retryAfterSeconds: 7, times: 1 });
    const startedAt = clock.now();
    const there = engineAt(own.urls.intercom, { clock });
    await turning(clock, listed(there, 'companies'));
    assert.equal(own.requests().length, 2);
    assert.ok(clock.now() - startedAt >= 7_000, String(clock.now() - startedAt));
  });

  test('sizes out of range and params of other kinds are refused unsent', async () => {
    sandbox.resetRequests();
    for (const [entity, params] of [
      ['contacts', { per_page: 151 }],
      ['companies', { per_page: 0 }],
      ['teams', { per_page: 1 }],
      ['segments', { include_count: 'yes' }],
    ] as const)
      assert.equal((await errorOf(listed(engine, entity, params))).code, 'invalid_params');
    assert.equal(sandbox.requests().length, 0);
  });

  test('the region decides the host, and is the US unless said', () => {
    const { baseUrl } = customerMessaging;
    assert.deepEqual(missingConfig(customerMessaging, baseUrl, {}), []);
    for (const [config, host] of [
      [{}, 'https://api.intercom.io'],
      [{ region: 'us' }, 'https://api.intercom.io'],
      [{ region: 'eu' }, 'https://api.eu.intercom.io'],
      [{ region: 'au' }, 'https://api.au.intercom.io'],
    ] as const) {
      const checked = checkConfig(customerMessaging, config);
      assert.equal(fillBaseUrl(customerMessaging, baseUrl, checked), host);
    }
    for (const region of ['mars', 'api.eu.intercom.io', ''])
      assert.throws(() => checkConfig(customerMessaging, { region }), { code: 'invalid_config' });
  });

  test('the check reads every entity once', async () => {
    sandbox.resetRequests();
    const { status, entity_check_results: results } = await checkConnector(engine);
    assert.equal(status, 'succeeded');
    assert.deepEqual(
      results.map(({ entity }) => entity),
      Object.keys(customerMessaging.entities),
    );
    assert.equal(sandbox.requests().length, results.length);
  });
});
