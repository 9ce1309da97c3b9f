import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '@patchbay/store';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { openMcp } from './support/mcp-session.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { startServiceOn, useTestService } from './support/start-test-service.ts';
import { until } from './support/until.ts';

const { running, token } = await useTestService();

/** Each takes some milliseconds to judge: whether 64 long words are nearly among hundreds. */
const PEOPLE = Array.from({ length: 120 }, (_, index) =>
  copiedUser(`U${index + 100}`, { color: wordsFrom(0, 300) }),
);
const WORDS = Array.from({ length: 64 }, (_, index) => ({
  fuzzy: { color: wordsFrom(9_000 + index, 1) },
}));
const BROAD = { query: { filter: { not: { or: WORDS } } }, fields: ['id'], timeout_ms: 300 };

/** Long words of letters, none nearly another. */
function wordsFrom(first: number, count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const bits = Math.imul(first + index + 1, 0x9e3779b1) >>> 0;
    return bits.toString(2).padStart(32, '0').replaceAll('0', 'a').replaceAll('1', 'b');
  }).join(' ');
}

describe('the time of a search', async () => {
  const id = await running.connector(token);
  await copyByHand(running.store, id, 'users', PEOPLE);
  const search = (params: unknown, action = 'search', headers = {}) =>
    running.execute(token, id, { entity: 'users', action, params }, headers);

  test('ends it, with what was spent and on which condition', async () => {
    const answer = await search(BROAD);
    assertProblem(answer, 'upstream_timeout');
    assert.equal(answer.status, 504);
    assert.equal(at(answer, 'retry'), 'backoff');
    assert.equal(at(answer, 'details.timeout_ms'), 300);
    assert.ok(Number(at(answer, 'details.records_judged')) > 0);
    assert.match(
      textAt(answer, 'details.condition'),
      /^params\.query\.filter\.not\.or\.\d+\.fuzzy/,
    );
    assert.match(textAt(answer, 'detail'), /allow_partial/);
  });

  test('or, where a part will do, comes back in parts that are together all there is', async () => {
    const found: unknown[] = [];
    let pages = 0;
    let cursor: unknown = null;
    do {
      // A cursor of one is one of the other.
      const isSearch = pages % 2 === 0;
      const action = isSearch ? 'search' : 'context_store_search';
      const part = { ...BROAD, allow_partial: true, cursor };
      const answer = await inTime((timeout_ms) => search({ ...part, timeout_ms }, action));
      found.push(...idsOf(answer, isSearch ? 'result.hits' : 'result.data'));
      cursor = at(answer, isSearch ? 'result.next_cursor' : 'result.meta.cursor');
      const partial = at(answer, isSearch ? 'result.partial' : 'result.meta.partial');
      assert.equal(partial, cursor === null ? undefined : true);
      if (!isSearch) assert.equal(at(answer, 'result.meta.has_more'), cursor !== null);
      pages++;
    } while (cursor !== null);
    assert.ok(pages > 1);
    assert.deepEqual(
      found,
      PEOPLE.map(({ key }) => key),
    );
  });

  test('comes to a model that knows of it', async () => {
    await using session = await openMcp(running, await running.scopedToken('user-1'));
    const args = { connector: id, entity: 'users', ...BROAD };
    assert.match((await session.fail('search', args)).text, /upstream_timeout.*allow_partial/s);
    const part = await inTime(async (timeout_ms) => {
      const params = { ...args, timeout_ms, allow_partial: true, limit: 500 };
      const answer = await session.client.callTool({ name: 'search', arguments: params });
      return {
        status: answer.isError === true ? 504 : 200,
        body: answer.structuredContent,
        text: '',
      };
    });
    assert.equal(at(part, 'partial'), true);
    assert.match(textAt(part, 'more'), /more hits may follow/);
    assert.equal(typeof at(part, 'next_cursor'), 'string');
  });

  test('is longer than a call has otherwise where a model says so', async () => {
    await using session = await openMcp(running, await running.scopedToken('user-1'));
    const asked = { connector: id, entity: 'users', limit: 1 };
    for (const timeout_ms of [60_001, 300_000]) {
      const args = { ...asked, timeout_ms };
      const { isError, content } = await session.client.callTool({
        name: 'search',
        arguments: args,
      });
      assert.notEqual(isError, true, JSON.stringify(content));
    }
    assert.match((await session.fail('search', { ...asked, timeout_ms: 300_001 })).text, /300000/);
  });

  test('is not what waits for a deadline: a part comes before that, too', async () => {
    const params = { ...BROAD, timeout_ms: undefined, allow_partial: true };
    const answer = await inTime((ms) =>
      search(params, 'search', { 'patchbay-timeout-ms': String(2 * ms) }),
    );
    assert.equal(at(answer, 'result.partial'), true);
  });

  test('is at most the deadline of the call', async () => {
    const headers = { 'patchbay-timeout-ms': '5000' };
    const asked = { query: {}, timeout_ms: 5_001 };
    const answer = await search(asked, 'search', headers);
    assertProblem(answer, 'invalid_params');
    assert.deepEqual(faultFields(answer), ['params.timeout_ms']);
    assert.match(answer.text, /at most 5000.*Patchbay-Timeout-Ms/);
    assert.equal((await search({ ...asked, timeout_ms: 5_000 }, 'search', headers)).status, 200);
    assertProblem(await search({ query: {}, timeout_ms: 60_001 }), 'invalid_params');
  });

  test('begins with its turn', async () => {
    const underWay: (() => void)[] = [];
    const times: unknown[] = [];
    const held: Store['copies']['search'] = async (_copy, _search, options) => {
      times.push([options?.time?.timeoutMs, options?.time?.signal.aborted]);
      if (times.length === 1) await new Promise<void>((go) => underWay.push(go));
      return { hits: [], nextCursor: null, isPartial: false };
    };
    const { sandbox, dataFolder } = running;
    const store = { ...running.store, copies: { ...running.store.copies, search: held } };
    const ground = { sandbox, dataFolder, store, [Symbol.asyncDispose]: () => Promise.resolve() };
    await using slowed = await startServiceOn(ground, { limits: { searchesOfUser: 1 } });
    const own = await slowed.applicationToken();
    const other = await slowed.connector(own);
    await copyByHand(running.store, other, 'users', [copiedUser('U1')]);
    const ask = (params: object) =>
      slowed.execute(own, other, { entity: 'users', action: 'search', params });
    const first = ask({ query: {} });
    await until(() => underWay.length === 1);
    const second = ask({ query: {}, timeout_ms: 50 });
    await wait(100);
    assert.equal(times.length, 1);
    underWay.forEach((go) => go());
    assert.equal((await first).status, 200);
    assert.equal((await second).status, 200);
    assert.deepEqual(times, [
      [2_000, false],
      [50, false],
    ]);
  });
});

/** Asks with more and more time, until some record can be judged in it: others work here, too. */
async function inTime<A extends { readonly status: number }>(
  ask: (timeoutMs: number) => Promise<A>,
): Promise<A> {
  for (let timeoutMs = 300; ; timeoutMs *= 2) {
    const answer = await ask(timeoutMs);
    if (answer.status !== 504) return answer;
  }
}

function idsOf(answer: TestAnswer, list: string): readonly unknown[] {
  const hits = at(answer, list);
  assert.ok(Array.isArray(hits));
  return hits.map((_, index) => at(answer, `${list}.${index}.id`));
}
