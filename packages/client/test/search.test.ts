import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isConnectorError, type Kinds } from '@patchbay/connectors';
import type { HostedConnector, Patchbay, SyncStatus, UntypedConnector } from '../src/index.ts';
import { emptySearchAnswer } from './support/sample-answers.ts';
import { collect, countUntilAbort } from './support/collect.ts';
import { errorOf } from './support/error-of.ts';
import {
  startHosted,
  TEAM_CHAT,
  watchFetch,
  type Hosted,
  type WatchedFetch,
} from './support/start-hosted.ts';

const TYPO = { filter: { fuzzy: { real_name: 'undrebough' } } };

/** What the service is told of the time of a call. */
function assertAround(told: number, timeoutMs: number): void {
  assert.ok(told > timeoutMs - 3_000 && told < timeoutMs, `${told} of ${timeoutMs}`);
}

describe('search, through a service that replicates', () => {
  let hosted: Hosted;
  let watched: WatchedFetch;
  let patchbay: Patchbay;
  let slack: HostedConnector<Kinds['chat-workspace']>;
  let statuses: readonly SyncStatus[];
  before(async () => {
    hosted = await startHosted('all');
    watched = watchFetch();
    patchbay = hosted.client({ fetch: watched.fetch, externalUserId: 'searcher' });
    await patchbay.connectors.create(TEAM_CHAT);
    slack = await patchbay.connector('chat-workspace');
    statuses = await collect(slack.sync.watch());
  });
  after(() => hosted[Symbol.asyncDispose]());

  test('a watch tells of the first sync until it has ended', async () => {
    const last = statuses.at(-1);
    assert.equal(last?.current, null);
    assert.equal(last.last?.state, 'succeeded');
    assert.equal(last.last.cause, 'creation');
    for (const entity of last.entities) {
      assert.equal(entity.complete, true, entity.entity);
      assert.equal(entity.state, 'idle');
      assert.equal(entity.error, null);
    }
    assert.deepEqual(await slack.sync.status(), last);
    assert.ok(
      last.entities.some(({ entity, entity_count }) => entity === 'users' && entity_count > 100),
    );
  });

  test('its history says what it brought, and the connector how fresh that is', async () => {
    const { data, next } = await slack.sync.runs({ limit: 1 });
    assert.equal(next, null);
    const [run, ...more] = data;
    assert.deepEqual(more, []);
    assert.deepEqual([run?.run_id, run?.error], [statuses.at(-1)?.last?.run_id, null]);
    assert.ok(run !== undefined && run.records_read > 100 && run.entities.includes('users'));
    const later = await patchbay.connectors.sync.runs(slack.id, { cursor: next });
    assert.deepEqual(later.data, data, 'no cursor is the first page');
    await assert.rejects(slack.sync.runs({ cursor: 'nothing' }), { code: 'invalid_cursor' });
    const info = await patchbay.connectors.get(slack.id);
    assert.equal(info.freshness?.complete, true);
    assert.equal(info.last_error, null);
  });

  test('hits are typed records of the copy, with their score and how fresh they are', async () => {
    const page = await slack.users.search({ query: TYPO, limit: 3 });
    assert.equal(page.hits.length, 3);
    for (const { data, score } of page.hits) {
      assert.match(data.real_name ?? '', /Underbough/);
      assert.equal(score, 1 - 1 / 10);
    }
    assert.equal(page.sync.state, 'idle');
    assert.equal(page.sync.complete, true);
    assert.ok(page.sync.lag_seconds !== null && page.sync.as_of !== null);
    assert.equal(page.execution_metadata.upstream, 'sandbox');
    assert.ok(Number.isInteger(page.took_ms));
    assert.deepEqual(page.warnings, []);
    const misspelt = { filter: { eq: { 'profile.emial': 'x' } } };
    const { warnings } = await slack.users.search({ query: misspelt });
    assert.deepEqual(
      warnings.map(({ code, did_you_mean }) => [code, did_you_mean]),
      [['path_not_seen', 'profile.email']],
    );
    const byName = await slack.execute('users', 'search', { query: TYPO, limit: 3 });
    assert.deepEqual(byName.hits, page.hits);
    const untyped: UntypedConnector = await patchbay.connector(slack.id);
    const same = await untyped.execute('users', 'search', { query: TYPO, limit: 3 });
    assert.deepEqual((same as typeof page).hits, page.hits);
    assert.deepEqual((await untyped.search('users', { query: TYPO, limit: 3 })).hits, page.hits);
  });

  test('pages and all follow the cursor to the end, in order', async () => {
    const query = { ...TYPO, sort: [{ name: 'asc' }] } as const;
    const whole = await slack.users.search({ query });
    assert.equal(whole.next_cursor, null);
    const pages = await collect(slack.users.search.pages({ query, limit: 2 }));
    assert.ok(pages.length > 2);
    assert.deepEqual(
      pages.flatMap(({ hits }) => hits),
      whole.hits,
    );
    assert.deepEqual(await collect(slack.users.search.all({ query, limit: 3 })), whole.hits);
    const untyped: UntypedConnector = await patchbay.connector(slack.id);
    const walked = await collect(untyped.search.pages('users', { query, limit: 2 }));
    assert.deepEqual(
      walked.map(({ hits }) => hits),
      pages.map(({ hits }) => hits),
    );
    assert.deepEqual(await collect(untyped.search.all('users', { query, limit: 3 })), whole.hits);
    const cursor = pages[0]?.next_cursor;
    const rest = await collect(slack.users.search.all({ query, cursor, limit: 100 }));
    assert.deepEqual(rest, whole.hits.slice(2));
  });

  test('an abort takes effect at the next hit, on a page that has come', async () => {
    assert.equal(
      await countUntilAbort((signal) => slack.users.search.all({ query: TYPO }, { signal }), 2),
      2,
    );
  });

  test('what is counted is of all that match, and comes with the first page of a walk', async () => {
    const { hits } = await slack.users.search({ query: TYPO });
    const counting = {
      query: TYPO,
      count: true,
      facets: ['deleted', ['profile', 'title']],
    } as const;
    const page = await slack.users.search({ ...counting, limit: 1 });
    assert.deepEqual(page.total, { value: hits.length, relation: 'exact' });
    assert.deepEqual(Object.keys(page.facets ?? {}), ['deleted', 'profile.title']);
    const titles = hits.map(({ data }) => data.profile?.['title']);
    for (const { value, count } of page.facets?.['profile.title']?.values ?? [])
      assert.equal(titles.filter((title) => title === value).length, count);
    const [first, ...others] = await collect(slack.users.search.pages({ ...counting, limit: 1 }));
    assert.deepEqual([first?.total, first?.facets], [page.total, page.facets]);
    assert.ok(others.length > 0);
    for (const other of others)
      assert.deepEqual([other.total, other.facets], [undefined, undefined]);
  });

  test('is waited for as long as its timeout_ms needs, unless the call says otherwise', async () => {
    const one = { query: {}, limit: 1 };
    const toldBy = async (client: Patchbay, timeout_ms?: number) => {
      const connector = await client.connector(slack.id);
      await connector.execute('users', 'search', { ...one, timeout_ms });
      return Number(watched.to('/execute').at(-1)?.headers.get('patchbay-timeout-ms'));
    };
    assertAround(await toldBy(patchbay), 60_000);
    assertAround(await toldBy(patchbay, 2_000), 60_000);
    assertAround(await toldBy(patchbay, 60_000), 125_000);
    assert.equal(await toldBy(patchbay, 300_000), 300_000);
    const own = { fetch: watched.fetch, externalUserId: 'searcher' };
    assertAround(await toldBy(hosted.client({ ...own, timeoutMs: 10_000 }), 10_000), 25_000);
    assertAround(await toldBy(hosted.client({ ...own, timeoutMs: 240_000 }), 40_000), 240_000);
    const long = { ...one, timeout_ms: 60_000 };
    const message = /timeout_ms.*at most/;
    await assert.rejects(slack.users.search(long, { timeoutMs: 5_000 }), { message });
    await assert.rejects(slack.users.search({ ...one, timeout_ms: 300_001 }), {
      code: 'invalid_params',
    });
  });

  test('leaving a walk early asks for no further page, and fields cut hits down', async () => {
    watched.sent.length = 0;
    const query = { sort: [{ id: 'asc' }] } as const;
    for await (const { data } of slack.users.search.all({ query, fields: ['name'], limit: 5 })) {
      assert.deepEqual(Object.keys(data), ['name']);
      break;
    }
    assert.equal(watched.to('/execute').length, 1);
  });

  test('what the client writes, it finds at once', async () => {
    const channel = await slack.channels.create({ name: 'found-at-once' });
    const query = { filter: { eq: { name: 'found-at-once' } } };
    const { hits } = await slack.channels.search({ query });
    assert.deepEqual(
      hits.map(({ id }) => id),
      [channel.id],
    );
  });

  test('a wrong query is an error with every fault', async () => {
    const untyped: UntypedConnector = await patchbay.connector(slack.id);
    const params = { query: { filter: { eq: { real_nme: 'x' } } } };
    const error = await errorOf(untyped.execute('users', 'search', params));
    assert.ok(isConnectorError(error, 'invalid_query'));
    assert.equal(error.details.faults[0]?.didYouMean, 'real_name');
  });

  test('an operand that is undefined is refused, and not a condition less', async () => {
    const id = undefined as string | undefined;
    const listed = [{ path: 'id', value: id }] as never;
    const wrong = [
      [{ eq: { id } }, 'eq.id'],
      [{ neq: { id } }, 'neq.id'],
      [{ or: [{ eq: { id } }, { eq: { id: 'none' } }] }, 'or.0.eq.id'],
      [{ not: { eq: { id } } }, 'not.eq.id'],
      [{ in: { id: ['U1', id] as never } }, 'in.id.1'],
      [{ eq: listed }, 'eq.0.value'],
    ] as const;
    for (const [filter, at] of wrong) {
      const error = await errorOf(slack.users.search({ query: { filter } }));
      assert.ok(isConnectorError(error, 'invalid_query'), at);
      assert.deepEqual(
        error.details.faults.map(({ field }) => field),
        [`params.query.filter.${at}`],
      );
    }
    const all = await slack.users.search({ query: { filter: { eq: undefined } }, count: true });
    assert.ok((all.total?.value ?? 0) > 0);
    for (const filter of [new Map(), () => 1]) {
      const query = { filter } as never;
      await assert.rejects(slack.users.search({ query }), { code: 'invalid_query' });
    }
  });

  test('a walk goes on over a part of the hits, also where it has none', async () => {
    const query = { ...TYPO, sort: [{ name: 'asc' }] } as const;
    const asked = { query, limit: 3, timeout_ms: 5_000, allow_partial: true };
    const whole = await slack.users.search(asked);
    assert.equal(whole.partial, undefined);
    const cursor = whole.next_cursor;
    assert.ok(cursor !== null);
    watched.instead = async () => {
      watched.instead = undefined;
      return Response.json(emptySearchAnswer(cursor));
    };
    const pages = await collect(slack.users.search.pages({ ...asked, limit: 100 }));
    assert.deepEqual(
      pages.map(({ partial }) => partial),
      [true, undefined],
    );
    const rest = await collect(slack.users.search.all({ ...asked, cursor }));
    assert.deepEqual(pages[1]?.hits, rest);
    assert.ok(rest.length > 0);
  });

  test('a cursor that does not lead on ends a walk', async () => {
    watched.instead = async () => Response.json(emptySearchAnswer('again'));
    try {
      const walk = slack.users.search.pages({ query: {}, limit: 1 });
      await walk.next();
      await walk.next();
      assert.equal((await errorOf(walk.next())).code, 'internal');
    } finally {
      watched.instead = undefined;
    }
  });

  test('a sync on demand brings what was changed upstream, and a run can be watched by its id', async () => {
    const { run_id: runId } = await slack.sync();
    const seen = await collect(slack.sync.watch({ runId }));
    assert.equal(seen.at(-1)?.last?.run_id, runId);
    assert.equal(seen.at(-1)?.last?.cause, 'demand');
    const inspection = await patchbay.connectors.inspect(slack.id);
    assert.ok(inspection.last_synced_at !== null);
    const { configured_cache_entities: entities } = inspection.context_store_readiness;
    for (const { status, ready_for_search } of entities)
      assert.deepEqual([status, ready_for_search], ['ready', true]);
  });

  test('a watch where nothing runs brings the status, once', async () => {
    assert.equal((await collect(patchbay.connectors.sync.watch(slack.id))).length, 1);
  });
});

describe('search, before there is anything to search', () => {
  test('the error says why, and whether waiting helps', async () => {
    await using hosted = await startHosted();
    const patchbay = hosted.client();
    const { id } = await patchbay.connectors.create(TEAM_CHAT);
    const slack = await patchbay.connector('chat-workspace');
    const waiting = await errorOf(slack.users.search({ query: {} }));
    assert.ok(isConnectorError(waiting, 'search_not_ready'));
    assert.equal(waiting.retry, 'after');
    // The service is of the role api, and alone.
    assert.equal(waiting.details.cause, 'no_worker');
    assert.equal(waiting.details.retryAfterSeconds, 60);
    const fault = hosted.sandbox.faults.add({ kind: 'revokeToken' });
    assert.equal((await errorOf(slack.users.list())).code, 'credentials_rejected');
    fault.release();
    const dead = await errorOf(slack.users.search.all({ query: {} }).next());
    assert.ok(isConnectorError(dead, 'search_not_ready'));
    assert.equal(dead.retry, 'reauth');
    assert.equal(dead.details.cause, 'reauth_required');
    assert.equal((await errorOf(slack.sync())).code, 'reauth_required');
    await patchbay.connectors.update(id, { credentials: { api_token: 'new' }, paused: true });
    const paused = await errorOf(slack.sync());
    assert.equal(paused.code, 'connector_paused');
    assert.equal(paused.retry, 'never');
  });
});
