import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { KINDS, type ConnectorKind } from '@patchbay/connectors';
import { planRead, type ConnectorEngine } from '@patchbay/connectors/engine';
import { startSandbox } from '@patchbay/sandbox';
import { kindsUnderTest } from './conformance/support/kinds-under-test.ts';
import { engineFor } from './conformance/support/operations.ts';
import { errorOf } from './support/connectors.ts';
import { HandMadeCopy } from './support/hand-made-copy.ts';
import { reply, startUpstream } from './support/upstreams.ts';

type Row = Readonly<Record<string, unknown>>;

const START = { parent: undefined, position: null };

/** A list of each way of paging that a copy is read by, and the param that says where to go on. */
const LISTS: readonly (readonly [ConnectorKind, string, string])[] = [
  [KINDS['chat-workspace'], 'users', 'cursor'],
  [KINDS['customer-messaging'], 'contacts', 'starting_after'],
  [KINDS['customer-messaging'], 'conversations', 'starting_after'],
  [KINDS['support-ticketing'], 'tickets', 'cursor'],
  [KINDS['support-ticketing'], 'satisfaction_ratings', 'after'],
];

/** Lists of further ways of paging. */
const OTHER_LISTS: readonly (readonly [ConnectorKind, string])[] = [
  [KINDS['support-chat'], 'chats'],
  [KINDS['support-chat'], 'agents'],
];

function engineAt(kind: ConnectorKind, baseUrl: string): ConnectorEngine {
  const row = kindsUnderTest.find((each) => each.kind === kind) ?? assert.fail();
  return engineFor(row, baseUrl);
}

function urlOf(kind: ConnectorKind, sandbox: Awaited<ReturnType<typeof startSandbox>>): string {
  const row = kindsUnderTest.find((each) => each.kind === kind) ?? assert.fail();
  return sandbox.urls[row.row.url];
}

function planOf(kind: ConnectorKind, baseUrl: string, entity: string) {
  return new HandMadeCopy(engineAt(kind, baseUrl), () => Date.UTC(2026, 1, 1)).plan(entity);
}

/** A position as it would be stored, with another value of a param. */
function changed(position: unknown, param: string, value: unknown): unknown {
  const { params } = JSON.parse(JSON.stringify(position)) as { readonly params: Row };
  assert.ok(param in params, `${JSON.stringify(params)} has no ${param}`);
  return { params: { ...params, [param]: value } };
}

describe('a position that was stored', () => {
  for (const [kind, entity, param] of LISTS)
    test(`of ${entity} that the upstream takes no more is invalid_cursor`, async () => {
      await using sandbox = await startSandbox({ scale: 3_000 });
      const plan = planOf(kind, urlOf(kind, sandbox), entity);
      const { next } = await plan.readPage(START);
      const position = changed(next, param, 'bm9uc2Vuc2U=');
      const error = await errorOf(plan.readPage({ parent: undefined, position }));
      assert.equal(error.code, 'invalid_cursor');
      assert.equal(error.details.entity, entity);
    });

  test('is invalid_cursor where it is none of a list', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const plan = planOf(KINDS['chat-workspace'], sandbox.urls.slack, 'users');
    for (const position of ['x', 7, {}, { params: 'x' }, []]) {
      const error = await errorOf(plan.readPage({ parent: undefined, position }));
      assert.equal(error.code, 'invalid_cursor');
    }
    assert.equal(sandbox.requests().length, 0);
  });

  test('says what the upstream said', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 400, { errors: [{ code: 'parameter_invalid', message: 'too old' }] }),
    );
    const plan = planOf(KINDS['customer-messaging'], upstream.url, 'contacts');
    const error = await errorOf(
      plan.readPage({ parent: undefined, position: { params: { starting_after: 'x' } } }),
    );
    assert.equal(error.code, 'invalid_cursor');
    assert.partialDeepStrictEqual(error.details, {
      upstreamCode: 'parameter_invalid',
      upstreamMessage: 'too old',
      upstreamStatus: 400,
    });
    assert.equal((await errorOf(plan.readPage(START))).code, 'upstream_rejected');
  });

  test('passes on every other trouble as it is', async () => {
    for (const [status, code] of [
      [401, 'credentials_rejected'],
      [403, 'upstream_forbidden'],
    ] as const) {
      await using upstream = await startUpstream((response) => reply(response, status, {}));
      const plan = planOf(KINDS['customer-messaging'], upstream.url, 'contacts');
      const position = { params: { starting_after: 'x' } };
      const error = await errorOf(plan.readPage({ parent: undefined, position }));
      assert.equal(error.code, code);
    }
  });

  test('may be read again, when what came of it was lost', async () => {
    await using sandbox = await startSandbox({ scale: 3_000 });
    const plan = planOf(KINDS['customer-messaging'], sandbox.urls.intercom, 'contacts');
    const first = await plan.readPage(START);
    const second = await plan.readPage({ parent: undefined, position: first.next });
    assert.deepEqual(await plan.readPage({ parent: undefined, position: first.next }), second);
    assert.deepEqual(await plan.readPage(START), first);
    const third = await plan.readPage({ parent: undefined, position: second.next });
    assert.notDeepEqual(third.records, second.records);
  });
});

describe('a list that leads back to where it was', () => {
  for (const [kind, entity] of [...LISTS, ...OTHER_LISTS])
    test(`is upstream_contract_broken: ${entity}`, async () => {
      await using sandbox = await startSandbox({ scale: 3_000 });
      sandbox.faults.add({ kind: 'repeatCursor' });
      const copy = new HandMadeCopy(engineAt(kind, urlOf(kind, sandbox)), Date.now);
      const error = await errorOf(copy.sync(entity));
      assert.equal(error.code, 'upstream_contract_broken');
      assert.match(error.message, /same page cursor twice/);
    });

  test('is noticed over several pages, too', async () => {
    await using upstream = await startUpstream((response, nth) =>
      reply(response, 200, {
        ok: true,
        members: [{ id: `U${nth}` }],
        response_metadata: { next_cursor: `c${nth % 3}` },
      }),
    );
    const engine = engineAt(KINDS['chat-workspace'], upstream.url);
    const error = await errorOf(new HandMadeCopy(engine, Date.now).sync('users'));
    assert.equal(error.code, 'upstream_contract_broken');
    assert.equal(upstream.seen.length, 4);
  });
});

describe('a list that leads on for ever', () => {
  for (const [what, members, pages] of [
    ['the same record', [{ id: 'U1' }], 1_001],
    ['no record', [], 10_000],
  ] as const)
    test(`is upstream_contract_broken once a great many pages brought ${what}`, async () => {
      await using upstream = await startUpstream((response, nth) =>
        reply(response, 200, {
          ok: true,
          members,
          response_metadata: { next_cursor: `c${nth}` },
        }),
      );
      const engine = engineAt(KINDS['chat-workspace'], upstream.url);
      const error = await errorOf(new HandMadeCopy(engine, Date.now).sync('users'));
      assert.equal(error.code, 'upstream_contract_broken');
      assert.match(error.message, /10?000 pages in a row/);
      assert.equal(upstream.seen.length, pages);
    });
});

describe('a page', () => {
  for (const [what, member] of [
    ['without an id', { name: 'x' }],
    ['with an empty id', { id: '' }],
    ['with an id of another type', { id: ['U1'] }],
  ] as const)
    test(`with a record ${what} is upstream_contract_broken`, async () => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { ok: true, members: [{ id: 'U1' }, member] }),
      );
      const plan = planOf(KINDS['chat-workspace'], upstream.url, 'users');
      const error = await errorOf(plan.readPage(START));
      assert.equal(error.code, 'upstream_contract_broken');
      assert.match(error.message, /without a usable key \(id\)/);
    });

  test('has keys and values that a database can hold', async () => {
    await using upstream = await startUpstream((response) =>
      reply(
        response,
        200,
        '{"ok":true,"members":[{"id":"U\\u0000\\ud800","name":"a\\u0000b","profile":{"x":"\\udfff"}}]}',
      ),
    );
    const plan = planOf(KINDS['chat-workspace'], upstream.url, 'users');
    const [record] = (await plan.readPage(START)).records;
    assert.equal(record?.key, 'U\uFFFD\uFFFD');
    assert.partialDeepStrictEqual(record.values, {
      id: 'U\uFFFD\uFFFD',
      name: 'a\uFFFDb',
      profile: { x: '\uFFFD' },
    });
  });

  test('is read behind what people wait for, unless told otherwise', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const engine = engineAt(KINDS['customer-messaging'], sandbox.urls.intercom);
    const priorities: unknown[] = [];
    const readPage = engine.readPage.bind(engine);
    engine.readPage = (call, options) => {
      priorities.push(options?.priority);
      return readPage(call, options);
    };
    const plan = new HandMadeCopy(engine, Date.now).plan('contacts');
    await plan.readPage(START);
    await plan.readPage(START, { priority: 'interactive' });
    assert.deepEqual(priorities, ['background', 'interactive']);
  });

  test('repeats what passing trouble spoils, and gives up on a signal', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const plan = planOf(KINDS['customer-messaging'], sandbox.urls.intercom, 'contacts');
    sandbox.faults.add({ kind: 'serverError', times: 2 });
    sandbox.faults.add({ kind: 'truncate', times: 1 });
    assert.equal((await plan.readPage(START)).records.length, 40);
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(plan.readPage(START, { signal }), /enough/);
  });

  test('needs the config that its call needs', async () => {
    const { kind } =
      kindsUnderTest.find((each) => each.kind.kind === 'support-ticketing') ?? assert.fail();
    const engine = engineFor(
      { kind, row: { url: 'zendeskSupport' } },
      'http://{subdomain}.invalid',
    );
    const plan = new HandMadeCopy(engine, Date.now).plan('tickets');
    assert.equal((await errorOf(plan.readPage(START))).code, 'config_required');
  });
});

test('an entity that is not copied has no plan', () => {
  const engine = engineAt(KINDS['customer-messaging'], 'http://127.0.0.1:9');
  const entity = KINDS['customer-messaging'].entities.tags;
  const startedAt = new Date();
  const request = { entity, replicationConfig: {}, startedAt, asOf: null, lastFullAt: null };
  assert.throws(() => planRead(engine, request), /tags is not copied/);
});

test('a record whose key is longer than indexes take is left out and told, and keeps no other from the copy', async () => {
  // A name of 255 characters, as a person may give a tag.
  const tags = ['one', '\u{20000}'.repeat(255), 'two'].map((name) => ({ name, count: 1 }));
  const page = {
    tags,
    count: 3,
    next_page: null,
    meta: { has_more: false },
    links: { next: null },
  };
  await using upstream = await startUpstream((response) => reply(response, 200, page));
  const kind = KINDS['support-ticketing'];
  const copy = new HandMadeCopy(engineAt(kind, upstream.url), Date.now);
  await copy.sync('tags');
  assert.deepEqual([...copy.rows('tags').keys()], ['one', 'two']);
});

test('what a page has to wait for here is none of the time that its upstream has', async () => {
  const timeoutMs = 400;
  await using upstream = await startUpstream((response) => {
    const contacts = [{ type: 'contact', id: 'a', name: 'x'.repeat(1_000_000) }];
    reply(response, 200, { type: 'list', data: contacts, pages: { type: 'pages' } });
  });
  const plan = planOf(KINDS['customer-messaging'], upstream.url, 'contacts');
  let turn: Promise<void> | undefined;
  const onBytes = () => (turn ??= wait(3 * timeoutMs));
  const page = await plan.readPage(START, { timeoutMs, onBytes });
  assert.equal(page.records.length, 1);
  assert.ok(turn !== undefined);
  // Where its upstream lets it wait, it has that time alone.
  await using silent = await startUpstream(() => undefined);
  const slow = planOf(KINDS['customer-messaging'], silent.url, 'contacts');
  const error = await errorOf(slow.readPage(START, { timeoutMs, onBytes }));
  assert.equal(error.code, 'upstream_timeout');
});
