import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import type { Store } from '@patchbay/store';
import { startFileUpstream } from '../support/file-upstream.ts';
import { copiedUser, copyByHand } from '../support/hand-sync.ts';
import { assertProblem } from '../support/problem.ts';
import {
  makeTestGround,
  startServiceOn,
  startTestService,
  type TestService,
  callCount,
} from '../support/start-test-service.ts';
import { until } from '../support/until.ts';
import { TELLS_WAITING, untilOneWaits } from '../support/waiting-turns.ts';

const LIST = { entity: 'users', action: 'list' };
const BRANDS = { entity: 'brands', action: 'list' };
const SEARCH = { entity: 'users', action: 'search', params: { query: {} } };
/** The time that it is held counts as its own. */
const UNHURRIED = { ...SEARCH, params: { ...SEARCH.params, timeout_ms: 30_000 } };
/** What waits for its turn gives up by then. */
const SOON = { 'Patchbay-Timeout-Ms': '1000' };
const LATER = { 'Patchbay-Timeout-Ms': '5000' };
const MIB = 1024 * 1024;

/** A store whose searches wait until they are let go. */
function held(store: Store): {
  readonly store: Store;
  readonly letGo: () => void;
  readonly searches: () => number;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  let searches = 0;
  const search: Store['copies']['search'] = async (...given) => {
    searches += 1;
    await promise;
    return store.copies.search(...given);
  };
  return {
    store: { ...store, copies: { ...store.copies, search } },
    letGo: resolve,
    searches: () => searches,
  };
}

/** A connector of each user, with one record to find. */
async function searchable(running: TestService, users: readonly string[]) {
  const made = [];
  for (const user of users) {
    const token = await running.scopedToken(user);
    const id = await running.connector(token, { external_user_id: user });
    await copyByHand(running.store, id, 'users', [copiedUser('U1')]);
    const search = (headers?: Readonly<Record<string, string>>) =>
      running.execute(token, id, headers === undefined ? UNHURRIED : SEARCH, headers);
    made.push(search);
  }
  return made;
}

describe('too much at once', () => {
  test('calls of a caller wait for one another, those of others do not', async () => {
    const limits = { callsOfUser: 2, callsWaitingOfCaller: 2 };
    await using running = await startTestService({ limits });
    const [token, other] = [await running.scopedToken('user-1'), await running.scopedToken('2')];
    const id = await running.connector(token);
    const otherId = await running.connector(other, { external_user_id: '2' });
    running.sandbox.faults.add({ kind: 'delay', delayMs: 6_000, times: 2 });
    const underWay = [1, 2].map(() => running.execute(token, id, LIST));
    await until(() => callCount(running.sandbox) === 2);
    const late = await running.execute(token, id, LIST, SOON);
    assertProblem(late, 'rate_limited');
    assert.equal(late.headers.get('retry-after'), '1');
    const waiting = [1, 2, 3, 4].map(() => running.execute(token, id, LIST));
    assert.equal((await running.execute(other, otherId, LIST)).status, 200);
    assert.equal(callCount(running.sandbox), 3);
    const statuses = (await Promise.all([...underWay, ...waiting])).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 4);
    assert.equal(statuses.filter((status) => status === 429).length, 2);
  });

  test('a call whose body never comes is over when its time is', async () => {
    await using running = await startTestService({
      limits: { callsOfUser: 1 },
      httpLimits: { requestTimeoutMs: 150, headersTimeoutMs: 150, timeoutCheckIntervalMs: 25 },
    });
    const token = await running.scopedToken('user-1');
    const id = await running.connector(token);
    const { hostname, port } = new URL(running.service.url);
    const client = connect(Number(port), hostname);
    client.write(
      `POST /api/v1/connectors/sources/${id}/execute HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{`,
    );
    const [answer] = (await once(client, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1.1 408 /);
    assert.equal((await running.execute(token, id, LIST, LATER)).status, 200);
    client.destroy();
  });

  test('one who leaves waits no more, and is not executed', async () => {
    await using running = await startTestService({ limits: { callsOfUser: 1 } });
    const token = await running.scopedToken('user-1');
    const id = await running.connector(token);
    running.sandbox.faults.add({ kind: 'delay', delayMs: 1_000, times: 1 });
    const underWay = running.execute(token, id, LIST);
    await until(() => callCount(running.sandbox) === 1);
    const { hostname, port } = new URL(running.service.url);
    const client = connect(Number(port), hostname);
    const body = JSON.stringify(LIST);
    client.write(
      `POST /api/v1/connectors/sources/${id}/execute HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(client, 'connect');
    const left = running.log.nextCall();
    client.destroy();
    assert.equal(await left, 'client_disconnected');
    assert.equal((await underWay).status, 200);
    assert.equal((await running.execute(token, id, LIST)).status, 200);
    assert.equal(callCount(running.sandbox), 2);
  });

  test('calls are over when they are refused, wrong or left, too', async () => {
    await using running = await startTestService({ limits: { callsOfUser: 1 } });
    const token = await running.scopedToken('user-1', { access: 'read' });
    const id = await running.connector(await running.applicationToken());
    const path = `/api/v1/connectors/sources/${id}/execute`;
    await running.execute(token, id, { entity: 'nonsense', action: 'list' });
    await running.send('DELETE', `/v1/integrations/connectors/${id}`, { token });
    await running.send('POST', path, { token, body: 7 });
    const { hostname, port } = new URL(running.service.url);
    const client = connect(Number(port), hostname);
    client.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{`,
    );
    await once(client, 'connect');
    const left = running.log.nextCall();
    client.destroy();
    assert.equal(await left, 'client_disconnected');
    assert.equal((await running.execute(token, id, LIST)).status, 200);
  });

  test('searches of a user wait for each other, those of others do not', async () => {
    await using ground = await makeTestGround();
    const { store, letGo, searches } = held(ground.store);
    const limits = { searchesAtOnce: 2, searchesOfUser: 1, searchesWaitingOfUser: 1 };
    await using running = await startServiceOn({ ...ground, store }, { ...TELLS_WAITING, limits });
    const [first, second] = await searchable(running, ['user-1', 'user-2']);
    assert.ok(first !== undefined && second !== undefined);
    const searching = first();
    await until(() => searches() === 1);
    assertProblem(await first(SOON), 'rate_limited');
    const waiting = first();
    await untilOneWaits(running, 'searches');
    const tooMany = await Promise.all([first(SOON), first(SOON)]);
    for (const answer of tooMany) assertProblem(answer, 'rate_limited');
    const other = second();
    await until(() => searches() === 2);
    letGo();
    for (const call of [searching, waiting, other]) assert.equal((await call).status, 200);
  });

  test('large pages are read a few at a time, and small ones go on', async () => {
    await using upstream = await startFileUpstream('silent');
    const upstreams = {
      'support-ticketing': { baseUrl: upstream.url, limits: 'reactive' as const },
    };
    await using running = await startTestService({ upstreams, limits: { pageBytesOfCaller: MIB } });
    const token = await running.applicationToken();
    const id = await running.connector(token, {
      connector_type: 'support-ticketing',
      credentials: { access_token: 'token-of-a-test' },
      replication_config: undefined,
    });
    upstream.listBytes = 8 * MIB;
    const answers = await Promise.all([1, 2, 3, 4].map(() => running.execute(token, id, BRANDS)));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.length < 4, `${refused.length} of 4 were refused`);
    for (const answer of refused) assertProblem(answer, 'rate_limited');
    assert.equal(
      (await running.execute(token, id, BRANDS)).status,
      200,
      'one after another is fine',
    );
    upstream.listBytes = 10;
    assert.equal((await running.execute(token, id, BRANDS)).status, 200);
  });
});
