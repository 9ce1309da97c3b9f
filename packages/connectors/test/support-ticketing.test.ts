import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import type { Download, DriftReport } from '@patchbay/connectors';
import {
  checkConfig,
  checkCredentials,
  ConnectorEngine,
  type EngineOptions,
} from '@patchbay/connectors/engine';
import { recordSchema, type ConnectorKind } from '../src/vocabulary/index.ts';
import { validatorOf } from '../src/check-members.ts';
import { supportTicketing } from '../src/kinds/support-ticketing/index.ts';
import { collect, errorOf } from './support/connectors.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { reply, startUpstream } from './support/upstreams.ts';

const BASIC = { email: 'ada@example.com', api_token: 'opens-the-sandbox' };
const TICKETS = 250;
/** As the engine knows it: a definition like any other. */
const ENTITIES: ConnectorKind['entities'] = supportTicketing.entities;

function engineAt(baseUrl: string | undefined, options: Partial<EngineOptions> = {}) {
  return new ConnectorEngine({
    kind: supportTicketing,
    authorize: () => checkCredentials(supportTicketing, BASIC),
    config: {},
    upstreamLimits: 'reactive',
    random: () => 0,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...options,
  });
}

type Values = Readonly<Record<string, unknown>>;

interface Page {
  readonly data: readonly Values[];
  readonly meta: Values;
}

async function pageOf(engine: ConnectorEngine, entity: string, params: Values): Promise<Page> {
  // Proven: a list gives a page.
  return (await engine.execute(entity, 'list', params)) as unknown as Page;
}

async function pagesOf(engine: ConnectorEngine, entity: string, params: Values): Promise<Page[]> {
  return (await collect(engine.pages(entity, params))) as Page[];
}

const keysOf = (pages: readonly Page[]) =>
  pages.flatMap(({ data }) => data.map((record) => record['id'] ?? record['name']));

/** Params of the lists below another record, from the first record of a list. */
async function parentsIn(engine: ConnectorEngine): Promise<Values> {
  const articles = await pageOf(engine, 'articles', {});
  for (const { id } of articles.data) {
    const files = await pageOf(engine, 'article_attachments', { article_id: id });
    const attachment_id = files.data[0]?.['id'];
    if (attachment_id !== undefined) return { ticket_id: 1, article_id: id, attachment_id };
  }
  return assert.fail('no article has a file');
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return (await errorOf(call)).code;
}

function named(params: Values, names: object): Values {
  return Object.fromEntries(Object.entries(params).filter(([name]) => name in names));
}

function pathsOf(sandbox: Sandbox): readonly string[] {
  return sandbox.requests().map(({ method, params }) => {
    const sent = Object.entries(params).map(([name, value]) => `${name}=${String(value)}`);
    return `${method}?${sent.join('&')}`;
  });
}

describe('every operation', () => {
  test('gives records of the declared fields, in order, without drift of types', async () => {
    await using sandbox = await startSandbox({ scale: 60 });
    const drifts: DriftReport[] = [];
    const engine = engineAt(sandbox.urls.zendeskSupport, {
      onDrift: (drift) => drifts.push(drift),
    });
    const parents = await parentsIn(engine);
    const comments = await pageOf(engine, 'ticket_comments', { ticket_id: 1 });
    const files = comments.data.flatMap(({ attachments }) => attachments as { id: number }[]);
    let operations = 0;
    for (const [name, entity] of Object.entries(ENTITIES)) {
      const schema = validatorOf(recordSchema(entity.record));
      const check = (record: Values) => {
        assert.deepEqual(Object.keys(record), Object.keys(entity.record), name);
        assert.ok(schema.Check(record), `${name}: ${JSON.stringify(record)}`);
      };
      let listed: Values | undefined;
      for (const [verb, action] of Object.entries(entity.actions).toSorted(([a], [b]) =>
        a > b ? -1 : 1,
      )) {
        operations++;
        if (verb === 'list') {
          const { data, meta } = await pageOf(engine, name, named(parents, action.params));
          assert.ok(data.length > 0, name);
          assert.equal(meta['count'], data.length < 100 ? data.length : meta['count'], name);
          data.forEach(check);
          listed = data[0];
        } else if (verb === 'get') {
          const id = name === 'attachments' ? files[0]?.id : listed?.['id'];
          const own = Object.keys(action.params).at(-1) ?? '';
          const params = { ...named(parents, action.params), [own]: id };
          // Proven: a get gives a record.
          check((await engine.execute(name, 'get', params)) as unknown as Values);
        }
      }
    }
    assert.equal(operations, 39);
    assert.deepEqual(
      drifts.filter(({ lostValues }) => lostValues > 0),
      [],
    );
  });
});

test('a download reads the file, whole or in part, from the host it redirects to', async () => {
  await using sandbox = await startSandbox({ scale: 60 });
  const fileOrigins = [new URL(sandbox.urls.zendeskFiles).origin];
  const engine = engineAt(sandbox.urls.zendeskSupport, { fileOrigins });
  const { article_id, attachment_id } = await parentsIn(engine);
  const comments = await pageOf(engine, 'ticket_comments', { ticket_id: 1 });
  // Proven: comments have their files as objects with ids.
  const [file] = comments.data.flatMap(({ attachments }) => attachments as { id: number }[]);
  for (const [entity, params] of [
    ['attachments', { attachment_id: file?.id }],
    ['article_attachments', { article_id, attachment_id }],
  ] as const) {
    // Proven: a get gives a record, a download a file.
    const { size } = (await engine.execute(entity, 'get', params)) as unknown as Values;
    const whole = (await engine.execute(entity, 'download', params)) as Download;
    assert.equal(Buffer.concat(await collect(whole.bytes)).length, size, entity);
    const part = (await engine.execute(entity, 'download', {
      ...params,
      range_header: 'bytes=2-5',
    })) as Download;
    assert.equal(part.contentRange, `bytes 2-5/${String(size)}`);
    assert.equal(Buffer.concat(await collect(part.bytes)).length, 4);
    const wrong = engine.execute(entity, 'download', { ...params, range_header: 'all\r\nx: y' });
    assert.equal((await errorOf(wrong)).code, 'invalid_params');
  }
});

describe('a list', () => {
  test('has numbered pages, and pages by cursor from an empty cursor on', async () => {
    await using sandbox = await startSandbox({ scale: TICKETS });
    const engine = engineAt(sandbox.urls.zendeskSupport);
    const plain = await pageOf(engine, 'tickets', {});
    assert.partialDeepStrictEqual(plain.meta, {
      previous_page: null,
      count: TICKETS,
      after_cursor: null,
    });
    assert.match(String(plain.meta['next_page']), /page=2/);
    const second = await pageOf(engine, 'tickets', { page: 3, per_page: 40, sort_by: 'id' });
    assert.match(String(second.meta['previous_page']), /page=2/);
    const first = await pageOf(engine, 'tickets', { after: '', per_page: 7 });
    const { after_cursor: after, next_page: link, count } = first.meta;
    assert.equal(first.data.length, 7);
    assert.equal(count, null);
    assert.match(decodeURIComponent(String(link)), /page\[after\]=/);
    await pageOf(engine, 'tickets', { after, per_page: 100 });
    const last = await pageOf(engine, 'brands', { after: '' });
    assert.partialDeepStrictEqual(last.meta, { after_cursor: null, next_page: null });
    assert.deepEqual(pathsOf(sandbox), [
      'GET /tickets?per_page=100',
      'GET /tickets?page=3&sort_by=id&per_page=40',
      'GET /tickets?page[size]=7',
      `GET /tickets?page[size]=100&page[after]=${String(after)}`,
      'GET /brands?page[size]=100',
    ]);
  });

  test('is walked by cursor, by number from a page on or in an order; each record once', async () => {
    await using sandbox = await startSandbox({ scale: TICKETS });
    const engine = engineAt(sandbox.urls.zendeskSupport);
    const rows = [
      { params: {}, sent: 'page[size]' },
      { params: { per_page: 1 }, sent: 'page[size]' },
      { params: { page: 1 }, sent: 'page' },
      { params: { page: 1, per_page: 33 }, sent: 'page' },
      { params: { sort_by: 'subject', per_page: 60 }, sent: 'sort_by' },
    ];
    for (const { params, sent } of rows) {
      sandbox.resetRequests();
      const pages = await pagesOf(engine, 'tickets', params);
      const keys = keysOf(pages);
      assert.equal(keys.length, TICKETS, JSON.stringify(params));
      assert.equal(new Set(keys).size, TICKETS, JSON.stringify(params));
      assert.partialDeepStrictEqual(pages.at(-1)?.meta, { after_cursor: null, next_page: null });
      for (const request of sandbox.requests()) assert.ok(sent in request.params, sent);
    }
    const rest = await pagesOf(engine, 'tickets', { page: 2 });
    assert.equal(keysOf(rest).length, TICKETS - 100);
    const sorted = await pagesOf(engine, 'tickets', { sort_by: 'id', sort_order: 'desc' });
    const ids = keysOf(sorted).map(Number);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
  });

  test('ends for every entity, with every record once', async () => {
    await using sandbox = await startSandbox({ scale: 60 });
    const engine = engineAt(sandbox.urls.zendeskSupport);
    const parents = await parentsIn(engine);
    for (const [name, { actions }] of Object.entries(ENTITIES)) {
      if (actions.list === undefined) continue;
      const params = named(parents, actions.list.params);
      const keys = keysOf(await pagesOf(engine, name, { ...params, per_page: 3 }));
      const numbered = keysOf(await pagesOf(engine, name, { ...params, page: 1 }));
      assert.equal(new Set(keys).size, keys.length, name);
      assert.deepEqual(new Set(keys), new Set(numbered), name);
    }
  });

  test('goes beyond the 10,000 records that numbered pages end at', async () => {
    await using sandbox = await startSandbox({ scale: 10_050 });
    const engine = engineAt(sandbox.urls.zendeskSupport);
    assert.equal(new Set(keysOf(await pagesOf(engine, 'tickets', {}))).size, 10_050);
    const error = await errorOf(engine.execute('tickets', 'list', { page: 101 }));
    assert.equal(error.code, 'upstream_rejected');
    assert.partialDeepStrictEqual(error.details, { upstreamCode: 'InvalidPaginationDepth' });
  });
});

describe('an error', () => {
  test('is told by the body, whichever shape it has, or else by the status', async () => {
    const rows = [
      [404, { error: 'RecordNotFound', description: 'Not found' }, 'record_not_found', 'Not found'],
      [
        404,
        { error: 'InvalidEndpoint', description: 'Not found' },
        'upstream_rejected',
        'Not found',
      ],
      [
        403,
        { error: { title: 'Forbidden', message: 'No access' } },
        'upstream_forbidden',
        'No access',
      ],
      [403, {}, 'upstream_forbidden', undefined],
      [401, { error: "Couldn't authenticate you" }, 'credentials_rejected', undefined],
      [
        401,
        { error: 'invalid_token', error_description: 'Expired' },
        'credentials_rejected',
        'Expired',
      ],
      [
        400,
        { error: { title: 'Invalid attribute', message: 'role' } },
        'upstream_rejected',
        'role',
      ],
      [
        400,
        { errors: [{ code: 'InvalidPaginationParameter', title: 'x', detail: 'sort is wrong' }] },
        'upstream_rejected',
        'sort is wrong',
      ],
      [422, { error: 'Whatever', description: 'New' }, 'upstream_rejected', 'New'],
      [409, { error: 'DatabaseConflict' }, 'upstream_unavailable', undefined],
      [503, { error: 'ServiceUnavailable' }, 'upstream_unavailable', undefined],
    ] as const;
    for (const [status, body, code, message] of rows) {
      await using upstream = await startUpstream((response) => reply(response, status, body));
      const error = await errorOf(engineAt(upstream.url).execute('users', 'list'));
      assert.equal(error.code, code, JSON.stringify(body));
      assert.equal(
        'upstreamMessage' in error.details ? error.details.upstreamMessage : undefined,
        message,
      );
    }
  });

  test('that the account is not there is no missing record, and a ticket that is not there no wrong path', async () => {
    const nowhere = { title: 'No help desk at acme.zendesk.com', message: 'Nothing is there.' };
    const rows = [
      ['tickets', 'get', { error: nowhere }, 'upstream_rejected'],
      ['tickets', 'get', { error: 'InvalidEndpoint' }, 'upstream_rejected'],
      ['tickets', 'get', '', 'record_not_found'],
      ['ticket_comments', 'list', '', 'record_not_found'],
      ['ticket_comments', 'list', { error: nowhere }, 'upstream_rejected'],
      ['tickets', 'list', '', 'upstream_rejected'],
    ] as const;
    for (const [entity, action, body, code] of rows) {
      await using upstream = await startUpstream((response) => reply(response, 404, body));
      const call = engineAt(upstream.url).execute(
        entity,
        action,
        action === 'get' || entity === 'ticket_comments' ? { ticket_id: 1 } : {},
      );
      assert.equal((await errorOf(call)).code, code, `${entity} ${JSON.stringify(body)}`);
    }
  });

  test('of the sandbox: no such record, bad cursor, refused and forbidden tokens', async () => {
    await using sandbox = await startSandbox({ scale: 20 });
    const url = sandbox.urls.zendeskSupport;
    const engine = engineAt(url);
    assert.equal(
      await codeOf(engine.execute('tickets', 'get', { ticket_id: 9_999_999 })),
      'record_not_found',
    );
    const below = engine.execute('ticket_comments', 'list', { ticket_id: 9_999_999 });
    assert.equal(await codeOf(below), 'record_not_found');
    assert.equal(await codeOf(engine.execute('tickets', 'list', { after: 'x' })), 'invalid_cursor');
    const sorted = await errorOf(engine.execute('tickets', 'list', { sort: 'created_at' }));
    assert.equal(sorted.code, 'upstream_rejected');
    for (const [token, code] of [
      ['invalid', 'credentials_rejected'],
      ['forbidden', 'upstream_forbidden'],
    ] as const)
      for (const given of [{ access_token: token }, { ...BASIC, api_token: token }]) {
        const authorize = () => checkCredentials(supportTicketing, given);
        assert.equal(await codeOf(engineAt(url, { authorize }).execute('tags', 'list')), code);
      }
  });
});

describe('exports', () => {
  /** @see https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/ */
  test('of several entities at once are as many a minute as Zendesk allows together', async () => {
    const clock = new HandClock();
    await using sandbox = await startSandbox({
      scale: 20,
      limits: 'vendor',
      clock: () => clock.now(),
    });
    const engine = engineAt(sandbox.urls.zendeskSupport, { upstreamLimits: 'vendor', clock });
    const exports = ['tickets', 'users', 'organizations'].map((name) => {
      const entity = ENTITIES[name] ?? assert.fail();
      const { list, increment } = entity.replicate ?? assert.fail();
      return {
        entity,
        action: list ?? (typeof increment === 'object' ? increment.list : undefined),
      };
    });
    for (let nth = 0; nth < 24; nth++) {
      const { entity, action = assert.fail() } = exports[nth % 3] ?? assert.fail();
      const params = { start_time: 0 };
      await turning(clock, engine.readPage({ entity, action, params }, { timeoutMs: 300_000 }));
    }
    const statuses = sandbox.requests().map(({ status }) => status);
    assert.deepEqual(statuses, Array(24).fill(200));
  });
});

describe('the subdomain', () => {
  test('is needed where the address has one, and is no placeholder', async () => {
    for (const config of [{}, { subdomain: 'your-subdomain' }]) {
      const checked = checkConfig(supportTicketing, config);
      const error = await errorOf(engineAt(undefined, { config: checked }).execute('tags', 'list'));
      assert.equal(error.code, 'config_required');
    }
    for (const subdomain of ['Acme', '-a', 'a-', 'evil.example/', 'a'.repeat(64)])
      assert.throws(() => checkConfig(supportTicketing, { subdomain }), { code: 'invalid_config' });
    assert.deepEqual(checkConfig(supportTicketing, { subdomain: 'acme' }), { subdomain: 'acme' });
  });
});
