import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { openStore } from '@patchbay/store';
import {
  lockTable,
  queryOnce,
  SHARED,
  silentProxyTo,
  type SilentProxy,
  type TestPlace,
} from '@patchbay/store/testing';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { at, type TestAnswer } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  countOf,
  someChannel,
  startServiceOn,
  type TestService,
} from './support/start-test-service.ts';

const POST = 'chat.postMessage';
const USERS = { entity: 'users', action: 'list', params: { limit: 1 } };
const TIMEOUT = { 'patchbay-timeout-ms': '1000' };
/** Longer than rows stay fresh in memory. */
const STALE_MS = 500;

describe('a database that falls silent', { skip: SHARED.skip }, () => {
  let place: TestPlace;
  let proxy: SilentProxy;
  let sandbox: Sandbox;
  let running: TestService;
  let token: string;
  let id: string;
  let channel: string;
  before(async () => {
    place = await SHARED.makeMigrated();
    const through = await silentProxyTo(place.options.databaseUrl ?? '');
    ({ proxy } = through);
    sandbox = await startSandbox();
    const store = await openStore({ databaseUrl: through.url });
    running = await startServiceOn({
      sandbox,
      store,
      dataFolder: '',
      [Symbol.asyncDispose]: () => store.close(),
    });
    token = await running.applicationToken();
    id = await running.connector(token);
    channel = await someChannel(running, token, id);
  });
  after(async () => {
    await running.service.close();
    await running.store.close();
    await proxy[Symbol.asyncDispose]();
    await sandbox.close();
    await place.remove();
  });
  beforeEach(async () => {
    proxy.resume();
    while ((await running.send('GET', '/readyz')).status !== 200) await wait(100);
    await running.execute(token, id, USERS);
  });

  const message = (text: string) => ({
    entity: 'messages',
    action: 'create',
    params: { channel, text },
  });
  const write = (text: string, key: string) =>
    running.execute(token, id, message(text), { ...TIMEOUT, 'idempotency-key': key });
  test('is told by readyz at once, and not asked by healthz', async () => {
    proxy.silence();
    assertProblem(await inTime(running.send('GET', '/readyz')), 'not_ready');
    assert.equal((await running.send('GET', '/healthz')).status, 200);
  });

  test('lets calls end at their deadline', async () => {
    const search = { entity: 'users', action: 'search', params: { query: {} } };
    proxy.silence();
    await wait(STALE_MS);
    for (const body of [USERS, search, message('never'), { entity: '*', action: 'check' }]) {
      const answer = await inTime(running.execute(token, id, body, TIMEOUT));
      assertProblem(answer, 'not_ready');
      assert.equal(at(answer, 'retry'), 'backoff');
    }
  });

  test('makes no write unknown that was never sent, nor happen twice', async () => {
    running.sandbox.resetRequests();
    proxy.silence();
    assertProblem(await inTime(write('once', 'key-1')), 'not_ready');
    proxy.resume();
    let answer = await write('once', 'key-1');
    while (answer.status === 409 || answer.status === 503) {
      await wait(100);
      answer = await write('once', 'key-1');
    }
    assert.equal(answer.status, 200, answer.text);
    const again = await write('once', 'key-1');
    assert.equal(again.text, answer.text);
    assert.equal(countOf(running.sandbox, POST), 1);
  });

  test('does not hold back the answer of a write that has happened', async () => {
    running.sandbox.resetRequests();
    const hang = running.sandbox.faults.add({ kind: 'hang', method: POST });
    const writing = write('under way', 'key-2');
    await hang.whenHit();
    proxy.silence();
    hang.release();
    const answer = await inTime(writing);
    assert.equal(answer.status, 200, answer.text);
    assertProblem(await inTime(write('under way', 'key-2')), 'not_ready');
    proxy.resume();
    let again = await write('under way', 'key-2');
    while (again.status === 409 || again.status === 503) {
      await wait(100);
      again = await write('under way', 'key-2');
    }
    assert.equal(again.text, answer.text);
    assert.equal(countOf(running.sandbox, POST), 1);
  });

  test('leaves searches behind that the server ends, too', async () => {
    const connection = await place.connection();
    await copyByHand(running.store, id, 'users', [copiedUser('U1')]);
    const [table] = await queryOnce(
      connection,
      "select name from patchbay.copy_tables where name like '%chat_workspace%users%'",
    );
    const searches = async () => {
      const [row] = await queryOnce(
        connection,
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'active' and application_name = 'patchbay searches'",
      );
      return Number(row?.['n']);
    };
    const lock = await lockTable(connection, String(table?.['name']));
    const search = { entity: 'users', action: 'search', params: { query: {} } };
    const late = await inTime(running.execute(token, id, search, TIMEOUT));
    assertProblem(late, 'upstream_timeout');
    const leaving = new AbortController();
    const left = Array.from({ length: 10 }, () =>
      assert.rejects(
        running.send('POST', `/api/v1/connectors/sources/${id}/execute`, {
          token,
          body: search,
          signal: leaving.signal,
        }),
      ),
    );
    while ((await searches()) === 0) await wait(20);
    // They take nobody else's connections.
    assert.equal((await inTime(running.send('GET', '/readyz'))).status, 200);
    assert.equal((await inTime(running.execute(token, id, USERS))).status, 200);
    leaving.abort();
    await Promise.all(left);
    // The lock is held on: nothing else would end them.
    while ((await searches()) > 0) await wait(20);
    await lock[Symbol.asyncDispose]();
    assert.equal((await running.execute(token, id, search)).status, 200);
  });
});

/** Well before any bound but the deadline's own. */
async function inTime(answering: Promise<TestAnswer>): Promise<TestAnswer> {
  const begun = performance.now();
  const answer = await answering;
  assert.ok(performance.now() - begun < 4_000, `${answer.text} came late`);
  return answer;
}
