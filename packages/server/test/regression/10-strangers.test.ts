/** Calls without a token, of which there may be any number: what they ask of the database is nobody else's wait. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Store } from '@patchbay/store';
import { SERVER_LIMITS } from '../../src/admission/limits.ts';
import type { TestAnswer } from '../support/http-client.ts';
import { assertProblem } from '../support/problem.ts';
import { parseRaw } from '../support/raw-request.ts';
import { makeTestGround, startServiceOn } from '../support/start-test-service.ts';

/** What strangers ask for. */
const SECTIONS = ['applications', 'connectSessions', 'consents', 'consoleSessions'] as const;
const CALLS = 40;

/** A store that takes its time for them, and counts. */
function watched(store: Store) {
  let underWay = 0;
  const seen = { most: 0 };
  const slow = <T extends object>(section: T): T =>
    new Proxy(section, {
      get: (target, name, receiver) => {
        const method: unknown = Reflect.get(target, name, receiver);
        if (typeof method !== 'function') return method;
        return async (...given: readonly unknown[]): Promise<unknown> => {
          underWay += 1;
          seen.most = Math.max(seen.most, underWay);
          await setTimeout(2);
          try {
            return await Reflect.apply(method, target, given);
          } finally {
            underWay -= 1;
          }
        };
      },
    });
  const sections = SECTIONS.map((name) => [name, slow(store[name])] as const);
  return { store: { ...store, ...Object.fromEntries(sections) } as Store, seen };
}

const random = () => randomBytes(32).toString('base64url');

const FLOODS = {
  logins: ['POST', () => '/api/v1/account/applications/token', 401],
  links: ['POST', () => '/connect/sessions/open', 404],
  'pages of links': ['GET', () => `/connect/sessions/${randomUUID()}`, 404],
  'sessions of the console': ['GET', () => '/console/session', 401],
  'sign-ins to the console': ['POST', () => '/console/session', 401],
  consents: ['GET', () => `/connect/oauth/start?state=${random()}`, 404],
  'credentials for links': ['POST', () => `/connect/sessions/${randomUUID()}/credentials`, 404],
  'ways back from vendors': ['GET', () => `/connect/oauth/callback?state=${random()}&code=x`, 404],
} as const;

for (const [what, [method, path, refusal]] of Object.entries(FLOODS))
  test(`of many ${what} at once, few are looked up at once, and all are answered`, async () => {
    await using ground = await makeTestGround();
    const { store, seen } = watched(ground.store);
    await using running = await startServiceOn(ground, { store });
    seen.most = 0;
    const answers = await Promise.all(
      Array.from({ length: CALLS }, async () => {
        const address = path();
        const id = address.split('/')[3] ?? '';
        const response = await fetch(`${running.service.url}${address}`, {
          method,
          redirect: 'manual',
          headers: {
            'sec-fetch-site': 'same-origin',
            origin: running.service.url,
            cookie: `patchbay-console=${random()}; __Host-patchbay-connect-${id}=${random()}`,
            ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
          },
          ...(method === 'POST'
            ? {
                body: JSON.stringify(
                  address.startsWith('/connect')
                    ? { secret: random() }
                    : { client_id: random(), client_secret: random() },
                ),
              }
            : {}),
        });
        await response.body?.cancel();
        return response.status;
      }),
    );
    assert.ok(
      answers.every((status) => status === refusal || status === 429),
      String(answers),
    );
    assert.ok(seen.most > 0, 'nothing was asked of the database');
    assert.ok(seen.most <= SERVER_LIMITS.strangersAtOnce, `${seen.most} at once`);
  });

/** Pages and documents, which are there when the process is, and how it does. */
const WAITS_FOR_NOTHING =
  /^\/(?:healthz|readyz|metrics|openapi\.json|docs|console(?!\/session|\/token)|connect$|connect\/assets)?(?:\/|$)/;

test('every other route for strangers says what it waits for', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground);
  const strangers = running.service.routes.filter(({ reach }) => reach === 'public');
  const asking = strangers.filter(({ path }) => !WAITS_FOR_NOTHING.test(path));
  assert.ok(asking.length >= 10);
  for (const route of asking) assert.ok('waitsFor' in route, `${route.method} ${route.path}`);
});

test('large bodies of strangers are refused before they are read, where there are many', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground, { limits: { strangersLargeBodies: 2 } });
  const { hostname, port } = new URL(running.service.url);
  const begin = async (bytes: number): Promise<Socket> => {
    const socket = connect({ port: Number(port), host: hostname });
    await once(socket, 'connect');
    socket.write(
      `POST ${FLOODS.logins[1]()} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n{`,
    );
    return socket;
  };
  const first = await begin(100_000);
  const small = await begin(2);
  small.write('}');
  assertProblem(await answerOf(small), 'invalid_request');
  const second = await begin(100_000);
  assertProblem(await answerOf(second), 'rate_limited');
  first.write(`}${' '.repeat(99_998)}`);
  assertProblem(await answerOf(first), 'invalid_request');
  const third = await begin(100_000);
  third.write(`}${' '.repeat(99_998)}`);
  assertProblem(await answerOf(third), 'invalid_request');
  for (const socket of [first, small, second, third]) socket.destroy();
});

test('a body in chunks is no large one before it proves to be', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground, { limits: { strangersLargeBodies: 1 } });
  const { hostname, port } = new URL(running.service.url);
  const begin = () => {
    const socket = connect({ port: Number(port), host: hostname });
    socket.on('error', () => undefined);
    socket.write(
      `POST ${FLOODS.logins[1]()} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    );
    return socket;
  };
  const sockets = Array.from({ length: 5 }, begin);
  for (const socket of sockets) {
    socket.write('1\r\n}\r\n0\r\n\r\n');
    assertProblem(await answerOf(socket), 'invalid_request');
  }
  const large = `${(50_000).toString(16)}\r\n${' '.repeat(50_000)}\r\n`;
  const [first, second] = [begin(), begin()];
  first.write(large);
  // It holds the only place until it ends.
  await setTimeout(100);
  const closed = new Promise((resolve) => void second.once('close', resolve));
  second.resume();
  second.write(large);
  await closed;
  first.write('1\r\n}\r\n0\r\n\r\n');
  assertProblem(await answerOf(first), 'invalid_request');
  for (const socket of [...sockets, first]) socket.destroy();
});

test('a path that there is not is told before its body is read', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground);
  const { hostname, port } = new URL(running.service.url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.write(
    'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{',
  );
  assertProblem(await answerOf(socket), 'route_not_found');
  socket.destroy();
});

async function answerOf(socket: Socket): Promise<TestAnswer> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return parseRaw(bytes.toString());
}
