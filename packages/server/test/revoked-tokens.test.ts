import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@patchbay/connectors/engine';
import {
  MORE_APPLICATION_TOKENS,
  MOST_REVOKED_OF_APPLICATION,
  RevokedTokens,
} from '../src/access/revoked-tokens.ts';
import { beginSync } from './support/hand-sync.ts';
import type { TestAnswer } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import {
  logIn,
  makeTestGround,
  OPERATOR_KEY,
  startServiceOn,
  useTestService,
  type TestService,
} from './support/start-test-service.ts';
import { makeTestClock } from './support/test-clock.ts';

const REVOKE = '/v1/tokens/revoke';
const KINDS = '/api/v1/connector-kinds';

const idOf = (token: string): string => {
  const claims: unknown = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  );
  return String(Reflect.get(Object(claims), 'jti'));
};

function assertRevoked(answer: TestAnswer): void {
  assert.equal(answer.status, 204, answer.text);
  assert.equal(answer.text, '');
}

const revokeAt = (running: Pick<TestService, 'send'>, by: string, body: unknown) =>
  running.send('POST', REVOKE, { token: by, body });

describe('tokens revoked one by one', async () => {
  const { running, token: application } = await useTestService();
  const other = await logIn(running.send, await running.service.createApplication('another'));
  const read = (token: string) => running.send('GET', KINDS, { token });
  const assertGone = async (token: string) => {
    const answer = await read(token);
    assertProblem(answer, 'unauthenticated');
    assert.match(answer.text, /revoked/);
  };

  test('a token ends at once, by itself or its id, and no other does', async () => {
    for (const form of ['token', 'jti', 'JTI'] as const) {
      const [token, neighbour] = [await running.scopedToken('a'), await running.scopedToken('a')];
      assert.equal((await read(token)).status, 200);
      const body = {
        token: { token },
        jti: { jti: idOf(token) },
        JTI: { jti: idOf(token).toUpperCase() },
      }[form];
      assertRevoked(await revokeAt(running, application, body));
      await assertGone(token);
      assert.equal((await read(neighbour)).status, 200);
      assertRevoked(await revokeAt(running, application, body));
    }
  });

  test("the operator's key ends a token of any application, and an application its own one", async () => {
    for (const form of ['token', 'jti'] as const) {
      const token = await logIn(running.send, await running.service.createApplication('third'));
      assert.equal((await read(token)).status, 200);
      const body = form === 'token' ? { token } : { jti: idOf(token) };
      assertRevoked(await revokeAt(running, OPERATOR_KEY, body));
      await assertGone(token);
    }
    const own = await running.applicationToken();
    assertRevoked(await revokeAt(running, own, { token: own }));
    await assertGone(own);
  });

  test("another application's tokens live on, and the answer tells nothing of them", async () => {
    const token = await running.scopedToken('a');
    const answers = [
      await revokeAt(running, other, { token }),
      await revokeAt(running, other, { jti: idOf(token) }),
      await revokeAt(running, other, { jti: randomUUID() }),
      await revokeAt(running, other, { token: 'no token at all' }),
      await revokeAt(running, other, { token: `${token}x` }),
    ];
    for (const answer of answers) assertRevoked(answer);
    assert.equal((await read(token)).status, 200);
  });

  test('a scoped token revokes nothing, not even itself', async () => {
    const victim = await running.scopedToken('a');
    for (const access of ['read', 'write'] as const) {
      const token = await running.scopedToken('a', { access });
      assertProblem(await revokeAt(running, token, { token: victim }), 'forbidden');
      assertProblem(await revokeAt(running, token, { jti: idOf(token) }), 'forbidden');
      assert.equal((await read(token)).status, 200);
    }
    assert.equal((await read(victim)).status, 200);
  });

  test('what is asked is checked, and quoted nowhere', async () => {
    const token = await running.scopedToken('a');
    const cases: readonly (readonly [unknown, readonly string[]])[] = [
      [{}, ['token']],
      [{ token, jti: randomUUID() }, ['token']],
      [{ token: 5 }, ['token']],
      [{ jti: token }, ['jti']],
      [{ jti: [randomUUID()] }, ['jti']],
      [{ token, tokn: token }, ['tokn']],
    ];
    for (const [body, fields] of cases) {
      const answer = await revokeAt(running, application, body);
      assertProblem(answer, 'invalid_request');
      assert.deepEqual(faultFields(answer), fields);
      assert.ok(!answer.text.includes(token));
    }
    assert.equal((await read(token)).status, 200);
    assert.ok(!running.log.text().includes(token));
  });

  test('an MCP client and whoever watches a sync end too', async () => {
    const token = await running.scopedToken('user-1');
    const id = await running.connector(application);
    const mcp = () =>
      running.send('POST', '/mcp', {
        token,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { accept: 'application/json, text/event-stream' },
      });
    assert.equal((await mcp()).status, 200);
    await beginSync(running.store, id);
    const response = await fetch(
      `${running.service.url}/v1/integrations/connectors/${id}/sync/events`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    assert.equal(response.status, 200);
    assertRevoked(await revokeAt(running, application, { token }));
    assertProblem(await mcp(), 'unauthenticated');
    running.clock.advance(1_000);
    assert.match(await response.text(), /event: problem\ndata: .*"unauthenticated"/);
  });
});

test('another process notices within a second, and an idle one asks nothing', async () => {
  await using ground = await makeTestGround();
  let asked = 0;
  const { revokedTokens } = ground.store;
  const store = {
    ...ground.store,
    profile: { ...ground.store.profile, isExclusive: false },
    revokedTokens: {
      ...revokedTokens,
      list: async () => {
        asked++;
        return await revokedTokens.list();
      },
    },
  };
  await using here = await startServiceOn({ ...ground, store });
  await using there = await startServiceOn(ground);
  const token = await here.scopedToken('a');
  const read = () => here.send('GET', KINDS, { token });
  assert.equal((await read()).status, 200);
  const before = asked;
  const startedAt = here.clock.monotonic();
  for (let call = 0; call < 50; call++) assert.equal((await read()).status, 200);
  const mostReads = (here.clock.monotonic() - startedAt) / 300 + 1;
  assert.ok(asked - before <= mostReads, 'what was read lately serves all calls');
  assert.equal((await revokeAt(there, OPERATOR_KEY, { token })).status, 204);
  here.clock.advance(999);
  assertProblem(await read(), 'unauthenticated');
});

test('a row goes when its token would have ended', async () => {
  await using ground = await makeTestGround();
  const { revokedTokens } = ground.store;
  await revokedTokens.add({ jti: randomUUID(), revokedBy: 'operator' }, 1_500_000);
  await revokedTokens.add({ jti: randomUUID(), revokedBy: 'operator' }, -1);
  assert.equal((await revokedTokens.list()).length, 1);
  assert.equal(await revokedTokens.deleteExpired(100), 1);
  assert.equal(await revokedTokens.deleteExpired(100), 0);
});

test('an application has so many revoked at once, and others are not kept from it', async () => {
  const full = { type: 'application', applicationId: 'full', organizationId: 'o' } as const;
  const listed = Array.from({ length: MOST_REVOKED_OF_APPLICATION }, () => ({
    jti: randomUUID(),
    revokedBy: full.applicationId,
  }));
  const added: string[] = [];
  await using ground = await makeTestGround();
  const revoked = new RevokedTokens({
    store: {
      profile: ground.store.profile,
      revokedTokens: {
        ...ground.store.revokedTokens,
        list: () => Promise.resolve(listed),
        add: ({ revokedBy }) => Promise.resolve(void added.push(revokedBy)),
      },
    },
    tokens: { verify: () => Promise.reject(new Error('no token is given')) },
    clock: systemClock,
    onRefreshError: assert.ifError,
  });
  await assert.rejects(revoked.revoke(full, { jti: randomUUID() }), { code: 'quota_exceeded' });
  await revoked.revoke(full, { jti: listed[0]?.jti ?? '' });
  await revoked.revoke({ ...full, applicationId: 'another' }, { jti: randomUUID() });
  await revoked.revoke({ type: 'operator', isKey: true }, { jti: randomUUID() });
  assert.deepEqual(added, ['another', 'operator']);
});

describe('the list of revoked tokens', async () => {
  const ground = await makeTestGround();
  after(() => ground[Symbol.asyncDispose]());
  const { store } = ground;
  const application = { type: 'application', applicationId: 'own', organizationId: 'o' } as const;
  const made = (count: number) => {
    const listed: { readonly jti: string; readonly revokedBy: string }[] = Array.from(
      { length: count },
      () => ({ jti: randomUUID(), revokedBy: 'own' }),
    );
    const asked = { reads: 0, added: 0 };
    const clock = makeTestClock();
    const revoked = new RevokedTokens({
      store: {
        profile: store.profile,
        revokedTokens: {
          ...store.revokedTokens,
          list: async () => {
            asked.reads += 1;
            await setImmediate();
            return [...listed];
          },
          add: (token) => {
            asked.added += 1;
            return Promise.resolve(void listed.push(token));
          },
        },
      },
      tokens: { verify: () => Promise.reject(new Error('no token is given')) },
      clock,
      onRefreshError: assert.ifError,
    });
    return { revoked, listed, asked, clock };
  };

  test('is read again before somebody is told that it is full: tokens end by themselves', async () => {
    const { revoked, listed, clock } = made(MOST_REVOKED_OF_APPLICATION);
    const revoke = () => revoked.revoke(application, { jti: randomUUID() });
    await assert.rejects(revoke(), { code: 'quota_exceeded' });
    listed.length = 0;
    clock.advance(1_500_000);
    await revoke();
    assert.equal(listed.length, 1);
  });

  test('is read once for many that are revoked at once, and not at all for one that is', async () => {
    const { revoked, asked } = made(0);
    const jti = randomUUID();
    await revoked.revoke(application, { jti });
    Object.assign(asked, { reads: 0, added: 0 });
    for (let again = 0; again < 5; again++) await revoked.revoke(application, { jti });
    assert.deepEqual(asked, { reads: 0, added: 0 });
    const many = Array.from({ length: 100 }, () => ({ jti: randomUUID() }));
    await Promise.all(many.map((each) => revoked.revoke(application, each)));
    assert.equal(asked.added, 100);
    assert.ok(asked.reads <= 2, `${asked.reads} reads`);
  });
});

test('whoever has a stolen application token does not keep it by revoking as many as may be', async () => {
  await using ground = await makeTestGround();
  const own = { applicationId: 'own', organizationId: 'o' };
  const application = { ...own, type: 'application' } as const;
  const scoped = {
    ...own,
    type: 'scoped',
    externalUserId: 'a',
    access: 'write',
    connectorIds: undefined,
  } as const;
  const listed: { readonly jti: string; readonly revokedBy: string }[] = [];
  const fill = (count: number) => {
    for (let added = 0; added < count; added++)
      listed.push({ jti: randomUUID(), revokedBy: own.applicationId });
  };
  const revoked = new RevokedTokens({
    store: {
      profile: ground.store.profile,
      revokedTokens: {
        ...ground.store.revokedTokens,
        list: () => Promise.resolve([...listed]),
        add: (token) => Promise.resolve(void listed.push(token)),
      },
    },
    tokens: {
      verify: (token) => ({
        access: token === 'scoped' ? scoped : application,
        tokenId: randomUUID(),
        expiresAt: Infinity,
        keyId: 'a',
      }),
    },
    clock: systemClock,
    onRefreshError: assert.ifError,
  });
  const full = { code: 'quota_exceeded' };
  fill(MOST_REVOKED_OF_APPLICATION);
  await assert.rejects(revoked.revoke(application, { jti: randomUUID() }), full);
  await assert.rejects(revoked.revoke(application, { token: 'scoped' }), full);
  fill(MORE_APPLICATION_TOKENS - 1);
  await revoked.revoke(application, { token: 'stolen' });
  await assert.rejects(revoked.revoke(application, { token: 'another' }), full);
});
