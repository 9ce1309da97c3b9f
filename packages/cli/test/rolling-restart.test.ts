import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER } from '@patchbay/store/testing';
import { startBalancer, type Balancer } from './support/balancer.ts';
import {
  CONNECTORS,
  createSlack,
  execute,
  logIn,
  memberAt,
  send,
  type FleetAnswer,
} from './support/fleet-client.ts';
import { FLEET_CLIENT, makeFleet, type Fleet, type FleetProcess } from './support/fleet.ts';

const READ = { entity: 'users', action: 'list', params: { limit: 1 } };
/** Long enough for the balancer to notice, however busy the machine is. */
const DRAIN_SECONDS = '6';

describe('two processes that answer calls', { skip: SERVER.skip }, () => {
  let fleet: Fleet;
  let balancer: Balancer;
  let apis: FleetProcess[];
  let token: string;
  let connectorId: string;
  let channel: string;
  const startApi = async () => {
    const api = await fleet.start('api', {
      PATCHBAY_DRAIN_SECONDS: DRAIN_SECONDS,
      PATCHBAY_PUBLIC_URL: balancer.url,
    });
    balancer.add(api.url);
    await balancer.until(api.url, true);
    return api;
  };
  const call = (base: string, body: Readonly<Record<string, unknown>>, key?: string) =>
    execute(base, { connectorId, token, call: body, ...(key === undefined ? {} : { key }) });
  const urls = () => {
    const [first, second] = apis.map(({ url }) => url);
    assert.ok(first !== undefined && second !== undefined);
    return [first, second] as const;
  };

  before(async () => {
    fleet = await makeFleet({ scale: 20 });
    balancer = await startBalancer();
    apis = [await startApi(), await startApi()];
    await fleet.start('worker');
    token = await logIn(balancer.url);
    connectorId = await createSlack(balancer.url, token);
    const params = { limit: 200, exclude_archived: true, types: 'public_channel' };
    const { body } = await call(balancer.url, { entity: 'channels', action: 'list', params });
    const channels = body['result'];
    assert.ok(Array.isArray(channels));
    channel = String(
      memberAt(
        channels.find((each) => memberAt(each, 'is_member') === true),
        'id',
      ),
    );
    for (;;) {
      const { body: sync } = await send(`${balancer.url}${CONNECTORS}/${connectorId}/sync`, {
        token,
      });
      if (memberAt(sync, 'last', 'state') === 'succeeded') break;
      await wait(100);
    }
  });
  after(async () => {
    await balancer[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  const message = (text: string) => ({
    entity: 'messages',
    action: 'create',
    params: { channel, text },
  });
  /** What a page of the service sends, in the browser of a person with these cookies. */
  const asPage = (cookie: string) => ({
    origin: balancer.url,
    'sec-fetch-site': 'same-origin',
    cookie,
  });

  test('know what the other one has begun', async () => {
    const [first, second] = urls();
    const key = randomUUID();
    const written = await call(first, message('once'), key);
    assert.equal(written.status, 200, written.text);
    const replayed = await call(second, message('once'), key);
    assert.deepEqual([replayed.status, replayed.text], [200, written.text]);
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
    const page = await call(first, searchOf());
    const next = await call(second, searchOf(cursorOf(page)));
    assert.equal(new Set([...hitsOf(page), ...hitsOf(next)]).size, 6);
  });

  test('share the sessions of the console and of the connect page', async () => {
    const [first, second] = urls();
    const signedIn = await send(`${first}/console/session`, {
      body: FLEET_CLIENT,
      headers: asPage(''),
    });
    assert.equal(signedIn.status, 200, signedIn.text);
    const headers = asPage(cookieOf(signedIn));
    const given = await send(`${second}/console/token`, { body: {}, headers });
    assert.equal(given.status, 200, given.text);
    const consoleToken = String(given.body['token']);
    assert.equal((await send(first + CONNECTORS, { token: consoleToken })).status, 200);
    const left = await send(`${second}/console/session`, {
      method: 'DELETE',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    assert.equal(left.status, 204, left.text);
    assert.equal((await send(`${first}/console/session`, { headers })).status, 401);

    const session = await send(`${first}/v1/connect-sessions`, {
      token,
      body: { external_user_id: 'alice' },
    });
    assert.equal(session.status, 201, session.text);
    const path = `/connect/sessions/${String(session.body['id'])}`;
    const secret = new URL(String(session.body['connect_url'])).hash.slice(1);
    const opened = await send(`${second}/connect/sessions/open`, {
      body: { secret },
      headers: asPage(''),
    });
    assert.equal(opened.status, 200, opened.text);
    const seen = await send(first + path, { headers: asPage(cookieOf(opened)) });
    assert.equal(seen.status, 200, seen.text);
  });

  test('restarted one after the other behind a balancer, fail no call', async () => {
    const base = balancer.url;
    const failures: string[] = [];
    const ending = new AbortController();
    const over = once(ending.signal, 'abort');
    const counts: Record<string, number> = {};
    /** Does it again and again, and notes what is not as it should be. */
    const repeat = async (name: string, act: () => Promise<void>) => {
      counts[name] = 0;
      while (!ending.signal.aborted) {
        try {
          await act();
          counts[name] += 1;
        } catch (error) {
          failures.push(`${name}: ${describeError(error)}`);
        }
        await wait(10);
      }
    };
    const read = async () => assertOk(await call(base, READ));
    const write = async () => {
      const key = randomUUID();
      const written = await call(base, message(key), key);
      assertOk(written);
      const again = await call(base, message(key), key);
      assert.equal(again.text, written.text);
      // Here, since the sandbox remembers its last 1,000 requests only.
      const posts = fleet.sandbox.requests().filter((each) => JSON.stringify(each).includes(key));
      assert.equal(posts.length, 1, 'a message went out once');
    };
    const walk = async () => {
      const page = await call(base, searchOf());
      assertOk(page);
      assertOk(await call(base, searchOf(cursorOf(page))));
    };
    /** A stream that is cut off would reject; one that ends is opened again, as browsers do. */
    const events = `${base}${CONNECTORS}/${connectorId}/sync/events`;
    const watch = async () => {
      const answer = await Promise.race([send(events, { token }), over]);
      if ('status' in answer) assertOk(answer);
    };
    const signedIn = await send(`${base}/console/session`, {
      body: FLEET_CLIENT,
      headers: asPage(''),
    });
    const headers = asPage(cookieOf(signedIn));
    const look = async () => {
      assertOk(await send(`${base}/console/session`, { headers }));
      assertOk(await send(`${base}/console/token`, { body: {}, headers }));
    };
    const load = Promise.all([
      ...Array.from({ length: 4 }, () => repeat('read', read)),
      ...Array.from({ length: 2 }, () => repeat('write', write)),
      repeat('search', walk),
      repeat('watch', watch),
      repeat('page', look),
    ]);
    try {
      for (const [index, old] of [...apis].entries()) {
        assert.equal(await old.stop(), 0);
        balancer.remove(old.url);
        apis[index] = await startApi();
      }
    } finally {
      ending.abort();
      await load;
    }
    assert.deepEqual(failures, []);
    for (const [name, count] of Object.entries(counts)) assert.ok(count > 0, name);
  });
});

/** Three users, from where an earlier page ended. */
function searchOf(cursor?: string) {
  const query = { sort: [{ id: 'asc' }] };
  const from = cursor === undefined ? {} : { cursor };
  return { entity: 'users', action: 'search', params: { query, limit: 3, ...from } };
}

function hitsOf({ body, text }: FleetAnswer): readonly string[] {
  const hits = memberAt(body, 'result', 'hits');
  assert.ok(Array.isArray(hits), text);
  return hits.map((hit) => String(memberAt(hit, 'id')));
}

function cursorOf({ body }: FleetAnswer): string {
  return String(memberAt(body, 'result', 'next_cursor'));
}

function assertOk({ status, text }: FleetAnswer): void {
  assert.equal(status, 200, text);
}

function cookieOf({ headers }: FleetAnswer): string {
  const [pair = ''] = (headers.getSetCookie()[0] ?? '').split(';');
  return pair;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
