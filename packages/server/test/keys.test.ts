import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '@patchbay/connectors/engine';
import { openStore, type Store } from '@patchbay/store';
import { EMBEDDED, NODE_FLAGS, SHARED } from '@patchbay/store/testing';
import { makeLogger } from '../src/log.ts';
import { Keyring, makeKeyring } from '../src/vault/keyring.ts';
import { MasterKeyRotation } from '../src/vault/master-key-rotation.ts';
import { openVault, requireOpening, type GivenKeys } from '../src/vault/open-vault.ts';
import { sealText } from '../src/vault/sealed-text.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  connectorBody,
  logIn,
  makeTestGround,
  OPERATOR_KEY,
  startServiceOn,
  type TestGround,
  type TestService,
} from './support/start-test-service.ts';

const OLD = { masterKey: randomBytes(32) };
const NEW = { masterKey: randomBytes(32) };
const BOTH = { masterKey: NEW.masterKey, oldMasterKey: OLD.masterKey };
const SILENT = makeLogger({ level: 'silent' });
const PASSPHRASE = 'correct horse battery staple, and more';
const KINDS = '/api/v1/connector-kinds';
const CONNECTORS = '/v1/integrations/connectors';
const LIST = { entity: 'users', action: 'list', params: { limit: 1 } };

type Running = Pick<TestService, 'send'>;

const operator = async ({ send }: Running, path: string, body?: object): Promise<TestAnswer> => {
  const method = path === '/v1/keys' ? 'GET' : 'POST';
  const answer = await send(method, path, { token: OPERATOR_KEY, body });
  assert.equal(answer.status, 200, answer.text);
  return answer;
};
const step = (running: Running) => operator(running, '/v1/keys/rotate');

/** Rotates until nothing is left; returns how many values were sealed anew. */
async function rotate(running: Running): Promise<number> {
  for (let resealed = 0; ;) {
    const answer = await step(running);
    assert.equal(at(answer, 'lacked_by'), 0);
    resealed += Number(at(answer, 'resealed'));
    if (at(answer, 'left') === 0) return resealed;
  }
}

/** How much is sealed with which key; `true` marks the one in force. */
async function usesOf(running: Running): Promise<readonly (readonly [boolean, number])[]> {
  const uses = at(await operator(running, '/v1/keys'), 'master_keys');
  assert.ok(Array.isArray(uses));
  return uses.map((use: Readonly<Record<string, unknown>>) => [
    use['in_force'] === true,
    Number(use['sealed']),
  ]);
}

const fail = (error: unknown): never => {
  throw error;
};

function vaultOn(store: Store, keys: GivenKeys) {
  return openVault({ store, clock: systemClock, onRefreshError: fail, ...keys });
}

function createOnce({ send }: Running, token: string): Promise<TestAnswer> {
  const headers = { 'idempotency-key': 'once' };
  return send('POST', CONNECTORS, { token, body: connectorBody(), headers });
}

/** Every signing key of that id opens with the keys given. */
async function assertAllOpen(store: Store, keys: GivenKeys, ids: readonly string[]): Promise<void> {
  const { vault } = await vaultOn(store, keys);
  const stored = await store.signingKeys.list();
  assert.deepEqual(stored.map(({ id }) => id).toSorted(), ids.toSorted());
  for (const { id, sealedKey } of stored)
    assert.equal(await vault.open(`signing-key:${id}`, sealedKey), `secret of ${id}`);
}

async function assertRefused(ground: TestGround, keys: GivenKeys): Promise<void> {
  await assert.rejects(startServiceOn(ground, keys), {
    code: 'master_key_wrong',
    message: /not the one that this database was sealed with.*PATCHBAY_OLD_MASTER_KEY beside/,
  });
}

describe('rotating the master key', () => {
  test('a start without the old key, in its middle, says that it has not ended', async () => {
    await using ground = await makeTestGround();
    await (await startServiceOn(ground, OLD))[Symbol.asyncDispose]();
    // What a rotation that was cut off there has left: the check value comes before the key of digests.
    const { newest } = await makeKeyring(NEW, undefined);
    const check = await sealText(newest, 'check', 'patchbay');
    const settings: Store['settings'] = {
      ...ground.store.settings,
      get: async (name) => (name === 'vault_check' ? check : ground.store.settings.get(name)),
    };
    const store = { ...ground.store, settings };
    const told = { code: 'master_key_wrong', message: /has not ended.*PATCHBAY_OLD_MASTER_KEY/ };
    await assert.rejects(startServiceOn(ground, { ...NEW, store }), told);
    await assert.rejects(requireOpening(NEW, store), told);
    await requireOpening(BOTH, store);
  });

  test('calls and creations go on meanwhile, and afterwards nothing needs the old key', async () => {
    await using ground = await makeTestGround();
    const made: string[] = [];
    let client: TestService['client'];
    let scoped: string;
    {
      await using before = await startServiceOn(ground, OLD);
      const token = await before.applicationToken();
      client = before.client;
      scoped = await before.scopedToken('user-1');
      for (let count = 0; count < 20; count++) made.push(await before.connector(token));
      assert.deepEqual(await usesOf(before), [[true, 23]], 'with a signing key and two settings');
    }
    {
      await using during = await startServiceOn(ground, BOTH);
      const token = await logIn(during.send, client);
      assert.deepEqual(
        (await usesOf(during)).map(([inForce]) => inForce),
        [false, true],
      );
      const over = new AbortController();
      const creating = (async () => {
        while (!over.signal.aborted && made.length < 50) made.push(await during.connector(token));
      })();
      const calling = (async () => {
        for (let count = 0; !over.signal.aborted; count++) {
          const id = made[count % made.length] ?? '';
          const answer = await during.execute(token, id, LIST);
          assert.equal(answer.status, 200, answer.text);
        }
      })();
      await rotate(during);
      over.abort();
      await Promise.all([creating, calling]);
      assert.equal(await rotate(during), 0, 'whatever was made since has the new key');
      const [[isNewInForce, sealed] = [], [, left] = []] = await usesOf(during);
      assert.deepEqual([isNewInForce, left], [true, 0]);
      assert.equal(sealed, made.length + 3);
    }
    await assertRefused(ground, OLD);
    await using after = await startServiceOn(ground, NEW);
    assert.equal((await after.send('GET', KINDS, { token: scoped })).status, 200);
    const token = await logIn(after.send, client);
    for (const id of made) {
      const answer = await after.execute(token, id, LIST);
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test('digests outlive the key that they were made with', async () => {
    await using ground = await makeTestGround();
    const { store } = ground;
    const { vault } = await vaultOn(store, OLD);
    const digest = vault.digest('cursor:1:users', 'a place in a list');
    const { keyring, inForce } = await vaultOn(store, BOTH);
    assert.partialDeepStrictEqual(
      await new MasterKeyRotation({
        store,
        keyring,
        inForce,
        clock: systemClock,
        logger: SILENT,
      }).step(),
      { left: 0, unreadable: 0 },
    );
    const { vault: after } = await vaultOn(store, NEW);
    assert.equal(after.digest('cursor:1:users', 'a place in a list'), digest);
  });

  test('a creation is repeated with its key after a rotation, and not done twice', async () => {
    await using ground = await makeTestGround();
    let token: string;
    let first: TestAnswer;
    {
      await using before = await startServiceOn(ground, OLD);
      token = await before.applicationToken();
      first = await createOnce(before, token);
    }
    {
      await using during = await startServiceOn(ground, BOTH);
      await rotate(during);
    }
    await using after = await startServiceOn(ground, NEW);
    const again = await createOnce(after, token);
    assert.equal(again.headers.get('idempotent-replayed'), 'true', again.text);
    assert.equal(textAt(again, 'id'), textAt(first, 'id'));
  });

  test('what ends in its middle goes on where it was, with both keys', async () => {
    await using ground = await makeTestGround();
    const { store } = ground;
    let client: TestService['client'];
    const ids: string[] = [];
    {
      await using before = await startServiceOn(ground, OLD);
      client = before.client;
      const token = await before.applicationToken();
      for (let count = 0; count < 10; count++) ids.push(await before.connector(token));
    }
    const { keyring, inForce } = await vaultOn(store, BOTH);
    let allowed = 4;
    const reseal: Store['sealedValues']['reseal'] = async (...args) => {
      if (allowed-- === 0) throw new Error('killed');
      return store.sealedValues.reseal(...args);
    };
    const mortal = { ...store, sealedValues: { ...store.sealedValues, reseal } };
    const rotation = new MasterKeyRotation({
      store: mortal,
      keyring,
      inForce,
      clock: systemClock,
      logger: SILENT,
    });
    await assert.rejects(rotation.step(), /killed/);
    await assertRefused(ground, OLD);
    await using after = await startServiceOn(ground, BOTH);
    const uses = await usesOf(after);
    assert.ok(
      uses.every(([, sealed]) => sealed > 0),
      JSON.stringify(uses),
    );
    const token = await logIn(after.send, client);
    const callAll = async () => {
      for (const id of ids) assert.equal((await after.execute(token, id, LIST)).status, 200);
    };
    await callAll();
    assert.equal(await rotate(after), 9, 'what is not in memory is the rest');
    await callAll();
    assert.deepEqual((await usesOf(after))[1], [false, 0]);
  });

  test('kill -9 in its middle leaves everything readable, and the rest to be done', async () => {
    const place = await EMBEDDED.make();
    const names = Array.from({ length: 300 }, (_, index) => `name-${index}`);
    {
      await using store = await openStore(place.options);
      const { vault } = await vaultOn(store, OLD);
      for (const id of names)
        await store.signingKeys.create({
          id,
          sealedKey: await vault.seal(`signing-key:${id}`, `secret of ${id}`),
        });
    }
    const child = fork(
      join(import.meta.dirname, 'support/rotation-child.ts'),
      [
        place.options.dataFolder ?? '',
        NEW.masterKey.toString('hex'),
        OLD.masterKey.toString('hex'),
      ],
      { execArgv: [...NODE_FLAGS] },
    );
    const exited = once(child, 'exit');
    child.on('message', (resealed) => {
      if (Number(resealed) >= 50) child.kill('SIGKILL');
    });
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    {
      await using store = await openStore(place.options);
      await assertAllOpen(store, BOTH, names);
      const { keyring, inForce } = await vaultOn(store, BOTH);
      const rotation = new MasterKeyRotation({
        store,
        keyring,
        inForce,
        clock: systemClock,
        logger: SILENT,
      });
      const [now, old] = await rotation.masterKeys();
      assert.ok(now?.isInForce === true && now.sealed >= 50 && (old?.sealed ?? 0) > 0);
      let resealed = 0;
      for (let left = 1; left > 0;) {
        const taken = await rotation.step();
        resealed += taken.resealed;
        left = taken.left;
      }
      assert.equal(resealed, old?.sealed);
      await assertAllOpen(store, NEW, names);
    }
    await place.remove();
  });

  test('all steps together read as much as there is, not each of them', async () => {
    await using ground = await makeTestGround();
    const { store } = ground;
    const { keyring: before } = await vaultOn(store, OLD);
    // As a process does that does not know of another key yet, however long it takes.
    const seal = (id: string) => sealText(before.newest, `signing-key:${id}`, `secret of ${id}`);
    const names = Array.from({ length: 1_600 }, (_, index) => `name-${10_000 + index}`);
    for (const id of names)
      await store.signingKeys.create({
        id,
        sealedKey: await seal(id),
      });
    const { keyring, inForce } = await vaultOn(store, BOTH);
    let counts = 0;
    let fromTheBeginning = 0;
    const stored = store.sealedValues;
    const sealedValues: Store['sealedValues'] = {
      ...stored,
      count: () => {
        counts++;
        return stored.count();
      },
      listUnlike: (head, page) => {
        if (page.after === undefined) fromTheBeginning++;
        return stored.listUnlike(head, page);
      },
    };
    let monotonic = 0;
    const rotation = new MasterKeyRotation({
      store: { ...store, sealedValues },
      keyring,
      inForce,
      clock: { ...systemClock, monotonic: () => monotonic },
      logger: SILENT,
    });
    const first = await rotation.step();
    assert.ok(first.resealed >= 500);
    const second = await rotation.step();
    assert.equal(second.left, first.left - second.resealed);
    assert.deepEqual([counts, fromTheBeginning], [1, 1]);

    // Another process takes all other steps, and one that does not know yet seals with the key before.
    const others = { store, keyring, inForce, clock: systemClock, logger: SILENT };
    const elsewhere = new MasterKeyRotation(others);
    while ((await elsewhere.step()).left > 0);
    await store.signingKeys.create({ id: 'name-0', sealedKey: await seal('name-0') });
    const third = await rotation.step();
    assert.deepEqual([third.left, counts], [1, 2], 'what it passed is counted at the end');
    assert.deepEqual(
      { ...(await rotation.step()), key: '' },
      { key: '', lackedBy: 0, resealed: 1, left: 0, unreadable: 0 },
    );
    assert.equal(fromTheBeginning, 2);
    await assertAllOpen(store, NEW, [...names, 'name-0']);

    // A walk that nobody goes on with is forgotten.
    for (const id of names)
      await store.signingKeys.create({ id: `${id}-b`, sealedKey: await seal(`${id}-b`) });
    await rotation.step();
    monotonic += 60_001;
    await rotation.step();
    assert.equal(fromTheBeginning, 4);
  });

  test('a text that no key opens is told at the start, counted, and stops nothing', async () => {
    await using ground = await makeTestGround();
    const { newest } = new Keyring(randomBytes(32));
    {
      await using before = await startServiceOn(ground, OLD);
      const token = await before.applicationToken();
      await before.connector(token);
      const lost = await before.connector(token);
      const sealedCredentials = await sealText(newest, `connector:${lost}`, '{}');
      await ground.store.connectors.update(lost, { sealedCredentials });
    }
    await using during = await startServiceOn(ground, BOTH);
    const told = during.log.lines().find(({ msg }) => String(msg).includes('was not given'));
    assert.deepEqual([told?.['key'], told?.['sealed']], [newest.id, 1]);
    const answer = await step(during);
    assert.deepEqual([at(answer, 'left'), at(answer, 'unreadable')], [0, 1]);
    const uses = at(await operator(during, '/v1/keys'), 'master_keys');
    assert.ok(Array.isArray(uses));
    assert.deepEqual([at({ body: uses }, '2.known'), at({ body: uses }, '2.sealed')], [false, 1]);
    assert.ok(during.log.lines().some(({ msg }) => msg === 'A sealed text could not be opened.'));
  });

  test('neither of two wrong keys starts a service', async () => {
    await using ground = await makeTestGround();
    {
      await using before = await startServiceOn(ground, OLD);
      assert.ok(before.service.url);
    }
    await assertRefused(ground, NEW);
    await assertRefused(ground, { masterKey: NEW.masterKey, oldMasterKey: randomBytes(32) });
  });

  test('a passphrase of before is stretched by a rotation, and no key or passphrase is told', async () => {
    await using ground = await makeTestGround();
    const masterKey = { passphrase: () => PASSPHRASE };
    const unstretched = new Uint8Array(
      hkdfSync('sha256', PASSPHRASE, 'patchbay', 'patchbay master key v1', 32),
    );
    {
      await using before = await startServiceOn(ground, { masterKey: unstretched });
      await before.connector(await before.applicationToken());
    }
    await using during = await startServiceOn(ground, { masterKey });
    const uses = await usesOf(during);
    assert.deepEqual(uses[0], [false, 0], 'nothing changes by itself');
    assert.equal(uses[1]?.[0], true);
    const token = await during.applicationToken();
    const id = await during.connector(token);
    await rotate(during);
    assert.deepEqual((await usesOf(during))[1], [false, 0]);
    assert.equal((await during.execute(token, id, LIST)).status, 200);
    await assertRefused(ground, { masterKey: unstretched });
    await using after = await startServiceOn(ground, { masterKey });
    const told = [
      ...[...during.log.lines(), ...after.log.lines()].map((line) => JSON.stringify(line)),
      (await operator(after, '/v1/keys')).text,
      (await step(after)).text,
    ].join('\n');
    const salt = await ground.store.settings.get('passphrase_salt');
    const { keyring } = await vaultOn(ground.store, { masterKey });
    assert.ok(salt !== undefined && keyring.all.length === 2);
    for (const { bytes } of keyring.all)
      for (const form of ['hex', 'base64', 'base64url'] as const)
        assert.ok(!told.includes(Buffer.from(bytes).toString(form).slice(0, 12)));
    assert.ok(!told.includes('horse') && !told.includes(salt));
  });
});

describe('rotating the keys that sign tokens', () => {
  const SIGNING = '/v1/keys/signing/rotate';

  test('tokens of the key before live on, unless they are to end', async () => {
    await using ground = await makeTestGround();
    await using running = await startServiceOn(ground);
    const read = (token: string) => readAt(running, token);
    const first = await running.applicationToken();
    const second = textAt(await operator(running, SIGNING, {}), 'id');
    const token = await running.applicationToken();
    assert.equal(kidOf(token), second);
    assert.notEqual(kidOf(first), second);
    assert.deepEqual([await read(first), await read(token)], [200, 200]);
    const keys = await operator(running, '/v1/keys');
    assert.deepEqual(
      [at(keys, 'signing_keys.0.id'), at(keys, 'signing_keys.0.signs')],
      [second, true],
    );
    assert.deepEqual(
      [at(keys, 'signing_keys.1.id'), at(keys, 'signing_keys.1.signs')],
      [kidOf(first), false],
    );
    await operator(running, SIGNING, { revoke_tokens: true });
    assert.deepEqual([await read(first), await read(token)], [401, 401]);
    assert.equal(await read(await running.applicationToken()), 200);
    const wrong = { token: OPERATOR_KEY, body: { revoke_tokens: 'yes' } };
    assertProblem(await running.send('POST', SIGNING, wrong), 'invalid_request');
  });
});

describe('rotating with several processes', { skip: SHARED.skip }, () => {
  /** A database, and services on it, each with a store of its own as a process has. */
  async function makeServer() {
    await using resources = new AsyncDisposableStack();
    const place = await SHARED.makeMigrated();
    resources.defer(() => place.remove());
    const { sandbox, dataFolder, ...ground } = await makeTestGround();
    resources.defer(() => ground[Symbol.asyncDispose]());
    const kept = resources.move();
    return {
      start: async (keys: GivenKeys) => {
        const store = await openStore(place.options);
        try {
          const running = await startServiceOn({ sandbox, dataFolder, store, ...noDispose }, keys);
          return {
            ...running,
            [Symbol.asyncDispose]: async () => {
              await running.service.close();
              await store.close();
            },
          };
        } catch (error) {
          await store.close();
          throw error;
        }
      },
      [Symbol.asyncDispose]: () => kept.disposeAsync(),
    };
  }
  const noDispose = { [Symbol.asyncDispose]: () => Promise.resolve() };

  test('nothing is done before all have the new key; then all seal with it within a second', async () => {
    await using server = await makeServer();
    const old = await server.start(OLD);
    await using both = await server.start(BOTH);
    {
      await using _ = old;
      const told = await step(both);
      assert.deepEqual([at(told, 'lacked_by'), at(told, 'resealed')], [1, 0]);
      assert.deepEqual((await usesOf(both))[0], [false, 0]);
    }
    await using other = await server.start(BOTH);
    const token = await other.applicationToken();
    const before = await other.connector(token);
    await rotate(both);
    other.clock.advance(1_000);
    const after = await other.connector(token);
    assert.equal(await rotate(both), 0, 'the other process seals with the new key by itself');
    for (const id of [before, after])
      assert.equal((await other.execute(token, id, LIST)).status, 200);
    await assert.rejects(server.start(OLD), { code: 'master_key_wrong' });
  });

  test('a signing key that is deleted is noticed by all within a second', async () => {
    await using server = await makeServer();
    await using one = await server.start(OLD);
    await using other = await server.start(OLD);
    const token = await other.applicationToken();
    assert.deepEqual([await readAt(one, token), await readAt(other, token)], [200, 200]);
    await operator(one, '/v1/keys/signing/rotate', { revoke_tokens: true });
    assert.equal(await readAt(one, token), 401);
    other.clock.advance(1_000);
    assert.equal(await readAt(other, token), 401);
    const next = await other.applicationToken();
    assert.deepEqual([await readAt(one, next), await readAt(other, next)], [200, 200]);
  });
});

async function readAt({ send }: Running, token: string): Promise<number> {
  return (await send('GET', KINDS, { token })).status;
}

/** The id of the key that signed a token. */
function kidOf(token: string): unknown {
  const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
  return at({ body: JSON.parse(header) as unknown }, 'kid');
}
