import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { findKind } from '@patchbay/connectors/engine';
import { queryOnce } from '@patchbay/store/testing';
import { at, type TestAnswer } from '../support/http-client.ts';
import { assertProblem } from '../support/problem.ts';
import { rowOf } from '../support/renew.ts';
import { countOf } from '../support/start-test-service.ts';
import { assertCopies, readUpstream } from './support/expected-copies.ts';
import {
  accountOf,
  DATABASE,
  makeReplicationGround,
  poll,
  startReplicating,
  upstreamsOf,
  type ReplicatingService,
  type ReplicationGround,
} from './support/replicating.ts';
import { startProxy, type TamperingProxy } from './support/tampering-proxy.ts';

const KIND = 'customer-messaging';
/** Pages of contacts are of 150, so there are two. */
const SCALE = 160;
const ITEM = '/v1/integrations/connectors';

const goOn = () => Promise.resolve();

describe(
  `whose the credentials of a connector are, ${DATABASE.name}`,
  { skip: DATABASE.skip },
  () => {
    let ground: ReplicationGround;
    let proxy: TamperingProxy;
    let running: ReplicatingService;
    let beforeSearch = goOn;
    before(async () => {
      ground = await makeReplicationGround(DATABASE, { scale: SCALE });
      proxy = await startProxy(ground.sandbox.urls.intercom);
      const upstreams = {
        ...upstreamsOf(ground.sandbox),
        [KIND]: { baseUrl: proxy.url, limits: 'reactive' as const },
      };
      const { store } = ground;
      const held: typeof store.copies.search = async (...asked) => {
        await beforeSearch();
        return store.copies.search(...asked);
      };
      const copies = { ...store.copies, search: held };
      running = await startReplicating({ ...ground, store: { ...store, copies } }, { upstreams });
    });
    afterEach(() => {
      proxy.tamper = (_, answer) => answer();
      beforeSearch = goOn;
    });
    after(async () => {
      await running[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await ground[Symbol.asyncDispose]();
    });

    /** The people of the sandbox: Alice and Bob share an account, Carol has another one. */
    const people = () => {
      const all = ground.sandbox.oauth.servers.intercom.people;
      const [alice, bob] = all;
      const carol = all.find(({ account }) => account.id !== alice?.account.id);
      assert.ok(alice !== undefined && bob !== undefined && carol !== undefined);
      assert.equal(alice.account.id, bob.account.id);
      return { alice, bob, carol };
    };
    const grantTo = (name: 'alice' | 'bob' | 'carol') => {
      const { id: personId } = people()[name];
      const [granted] = ground.sandbox.oauth.grant({ vendor: 'intercom', personId });
      assert.ok(granted !== undefined);
      return { ...granted, credentials: { access_token: granted.accessToken } };
    };
    const accountOfPerson = (name: 'alice' | 'bob' | 'carol') => {
      const { id, account } = people()[name];
      return { id: account.id, name: account.name, principal: id };
    };
    const send = async (method: string, path: string, body?: object): Promise<TestAnswer> => {
      const token = await running.applicationToken();
      return running.send(method, path, { token, ...(body === undefined ? {} : { body }) });
    };
    const patch = (id: string, body: object) => send('PATCH', `${ITEM}/${id}`, body);
    const view = (id: string) => send('GET', `${ITEM}/${id}`);
    const search = async (id: string) =>
      running.execute(await running.applicationToken(), id, {
        entity: 'contacts',
        action: 'search',
        params: { query: {}, limit: 1_000 },
      });
    const copiedBy = async (name: 'alice' | 'bob' | 'carol') => {
      const { credentials, grantId } = grantTo(name);
      const id = await running.create(KIND, { credentials });
      assert.equal((await running.settled(id)).state, 'succeeded');
      await knownAccount(id);
      return { id, grantId };
    };
    const knownAccount = (id: string) =>
      poll(async () => (await rowOf(ground.store, id)).account ?? undefined);
    const forgetAccount = async (id: string) => {
      const sql = `update patchbay.connectors set account = null, revision = revision + 1 where id = $1`;
      await queryOnce(await ground.place.connection(), sql, [id]);
    };
    const assertIsCopyOf = async (id: string, credentials: Readonly<Record<string, string>>) => {
      const expected = await readUpstream({ ...accountOf(KIND, ground.sandbox), credentials });
      await assertCopies(ground.store, id, findKind(KIND), expected);
    };

    test('is learnt with the first sync, once, and shown with it', async () => {
      const { id } = await copiedBy('alice');
      const shown = await view(id);
      assert.deepEqual(at(shown, 'account'), accountOfPerson('alice'));
      assert.equal(at(shown, 'auth_method'), 'oauth');
      const asked = countOf(ground.sandbox, 'GET /me');
      await running.sync(id);
      await running.execute(await running.applicationToken(), id, {
        entity: 'tags',
        action: 'list',
      });
      assert.equal(countOf(ground.sandbox, 'GET /me'), asked);
    });

    test('is learnt when credentials are verified, or checked', async () => {
      const { credentials } = grantTo('bob');
      const body = { external_user_id: 'u', connector_type: KIND, name: 'n', credentials };
      const created = await send('POST', ITEM, { ...body, verify: true });
      assert.deepEqual(at(created, 'account'), accountOfPerson('bob'));
      const id = await running.create(KIND, { credentials });
      await running.settled(id);
      await knownAccount(id);
      await forgetAccount(id);
      running.clock.advance(5_000);
      assert.equal((await send('POST', `${ITEM}/${id}/check`)).status, 200);
      assert.deepEqual(at(await view(id), 'account'), accountOfPerson('bob'));
    });

    test('other credentials of the same person change neither the copy nor its epoch', async () => {
      const { id, grantId } = await copiedBy('alice');
      const earlier = await rowOf(ground.store, id);
      const made = await running.entity(id, 'contacts');
      const { last } = await ground.store.syncs.runs(id);
      const { credentials } = grantTo('alice');
      const seen: string[] = [];
      proxy.tamper = ({ url }, answer) => {
        seen.push(url.pathname);
        return answer();
      };
      const answer = await patch(id, { credentials });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(
        seen.map((path) => path.split('/').at(-1)),
        ['me'],
      );
      const row = await rowOf(ground.store, id);
      assert.equal(row.credentialsEpoch, earlier.credentialsEpoch);
      assert.notEqual(row.sealedCredentials, earlier.sealedCredentials);
      assert.equal((await search(id)).status, 200);
      const runs = await ground.store.syncs.runs(id);
      assert.deepEqual([runs.current, runs.last?.id], [undefined, last?.id]);
      assert.ok(ground.sandbox.oauth.revoke(grantId));
      assert.equal((await running.sync(id)).state, 'succeeded');
      const { lastFullAt, definitionHash } = await running.entity(id, 'contacts');
      assert.deepEqual([lastFullAt, definitionHash], [made.lastFullAt, made.definitionHash]);
      await assertIsCopyOf(id, credentials);
    });

    test('a sync goes on with other credentials of the same person', async () => {
      const go = Promise.withResolvers<void>();
      const { credentials, grantId } = grantTo('alice');
      const { id: person } = people().alice;
      let held = 0;
      proxy.tamper = async ({ url, authorization }, answer) => {
        const isHeld =
          url.searchParams.has('starting_after') &&
          authorization.endsWith(credentials.access_token);
        if (!isHeld) return answer();
        held += 1;
        await go.promise;
        return answer();
      };
      const id = await running.create(KIND, { credentials });
      await poll(() => Promise.resolve(held > 0 ? true : undefined));
      const { current } = await ground.store.syncs.runs(id);
      assert.equal((await knownAccount(id)).principal, person);
      const others = grantTo('alice').credentials;
      assert.equal((await patch(id, { credentials: others })).status, 200);
      ground.sandbox.oauth.revoke(grantId);
      go.resolve();
      const run = await running.settled(id);
      assert.deepEqual([run.id, run.state], [current?.id, 'succeeded']);
      assert.equal(await running.status(id), 'active');
      await assertIsCopyOf(id, others);
    });

    for (const other of ['bob', 'carol'] as const)
      test(`${other} cannot take over what was Alice's without saying so`, async () => {
        const { id } = await copiedBy('alice');
        const earlier = await rowOf(ground.store, id);
        const answer = await patch(id, { credentials: grantTo(other).credentials, name: 'Mine' });
        assertProblem(answer, 'account_mismatch');
        assert.equal(answer.status, 409);
        assert.deepEqual(at(answer, 'details.present'), accountOfPerson('alice'));
        assert.deepEqual(at(answer, 'details.given'), accountOfPerson(other));
        assert.deepEqual(await rowOf(ground.store, id), earlier);
        assert.equal((await search(id)).status, 200);
      });

    test('what replaces an account hides its copy at once, deletes it, and reads its own', async () => {
      const { id } = await copiedBy('alice');
      const { credentials } = grantTo('carol');
      const go = Promise.withResolvers<void>();
      proxy.tamper = async ({ url }, answer) => {
        if (!url.pathname.endsWith('/me')) await go.promise;
        return answer();
      };
      const answer = await patch(id, { credentials, replace_account: true });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(at(answer, 'account'), accountOfPerson('carol'));
      assert.equal(at(answer, 'last_synced_at'), null);
      assertProblem(await search(id), 'search_not_ready');
      await poll(async () =>
        (await running.copy(id, KIND, 'contacts')).size === 0 ? true : undefined,
      );
      go.resolve();
      const run = await running.settled(id);
      assert.deepEqual([run.cause, run.state], ['credentials', 'succeeded']);
      await assertIsCopyOf(id, credentials);
      assert.equal((await search(id)).status, 200);
    });

    for (const [what, code] of [
      ['replaced', 'search_not_ready'],
      ['deleted', 'connector_not_found'],
    ] as const)
      test(`a search that is under way does not take what is left of a copy that is ${what} for all of it`, async () => {
        const { id } = await copiedBy('alice');
        const go = Promise.withResolvers<void>();
        const asked = Promise.withResolvers<void>();
        beforeSearch = () => {
          asked.resolve();
          return go.promise;
        };
        // Nothing is read for the new account meanwhile.
        const read = Promise.withResolvers<void>();
        proxy.tamper = async ({ url }, answer) => {
          if (!url.pathname.endsWith('/me')) await read.promise;
          return answer();
        };
        const searched = search(id);
        await asked.promise;
        if (what === 'deleted') assert.equal((await send('DELETE', `${ITEM}/${id}`)).status, 202);
        else {
          const { credentials } = grantTo('carol');
          assert.equal((await patch(id, { credentials, replace_account: true })).status, 200);
        }
        await poll(async () =>
          (await running.copy(id, KIND, 'contacts')).size === 0 ? true : undefined,
        );
        beforeSearch = goOn;
        go.resolve();
        assertProblem(await searched, code);
        read.resolve();
      });

    test('no page that was read with the old credentials lands in the copy of the new', async () => {
      const go = Promise.withResolvers<void>();
      const alice = grantTo('alice').credentials;
      let held = 0;
      proxy.tamper = async ({ url, authorization }, answer) => {
        const page = await answer();
        if (url.pathname.endsWith('/contacts') && authorization.endsWith(alice.access_token)) {
          held += 1;
          if (held === 2) await go.promise;
        }
        return page;
      };
      const id = await running.create(KIND, { credentials: alice });
      await poll(() => Promise.resolve(held === 2 ? true : undefined));
      const { credentials } = grantTo('carol');
      assert.equal((await patch(id, { credentials, replace_account: true })).status, 200);
      go.resolve();
      assert.equal((await running.settled(id)).state, 'succeeded');
      await assertIsCopyOf(id, credentials);
    });

    test('where it was never learnt, the old credentials are asked first', async () => {
      const { id } = await copiedBy('alice');
      await forgetAccount(id);
      const { credentials } = grantTo('alice');
      assert.equal((await patch(id, { credentials })).status, 200);
      assert.deepEqual((await rowOf(ground.store, id)).account, accountOfPerson('alice'));
      await forgetAccount(id);
      assertProblem(
        await patch(id, { credentials: grantTo('bob').credentials }),
        'account_mismatch',
      );
      assert.deepEqual((await rowOf(ground.store, id)).account, accountOfPerson('alice'));
    });

    test('where they are dead by then, the new ones count as somebody else’s', async () => {
      const { id, grantId } = await copiedBy('alice');
      await forgetAccount(id);
      ground.sandbox.oauth.revoke(grantId);
      const { credentials } = grantTo('alice');
      const refused = await patch(id, { credentials });
      assertProblem(refused, 'account_mismatch');
      assert.equal(at(refused, 'details.present'), null);
      assert.equal((await patch(id, { credentials, replace_account: true })).status, 200);
      assert.equal((await running.settled(id)).state, 'succeeded');
      await assertIsCopyOf(id, credentials);
    });

    test('saying that an account may be replaced replaces none that is the same', async () => {
      const { id } = await copiedBy('alice');
      const { credentials } = grantTo('alice');
      assert.equal((await patch(id, { credentials, replace_account: true })).status, 200);
      assert.equal((await search(id)).status, 200);
      assert.equal((await rowOf(ground.store, id)).credentialsEpoch, 1);
    });

    test('credentials that do not work replace nothing', async () => {
      const { id } = await copiedBy('alice');
      const earlier = await rowOf(ground.store, id);
      for (const more of [{}, { replace_account: true }]) {
        const answer = await patch(id, { credentials: { access_token: 'invalid' }, ...more });
        assertProblem(answer, 'credentials_rejected');
      }
      assert.deepEqual(await rowOf(ground.store, id), earlier);
    });

    test('dead credentials of the same person are mended without reading anew', async () => {
      const { id, grantId } = await copiedBy('alice');
      const made = await running.entity(id, 'contacts');
      ground.sandbox.oauth.revoke(grantId);
      assert.equal((await running.sync(id)).state, 'failed');
      assert.equal(await running.status(id), 'reauth_required');
      assert.equal((await patch(id, { credentials: grantTo('alice').credentials })).status, 200);
      assert.equal((await running.settled(id)).state, 'succeeded');
      assert.equal(await running.status(id), 'active');
      assert.deepEqual((await running.entity(id, 'contacts')).lastFullAt, made.lastFullAt);
    });

    test('an account is replaced with credentials only', async () => {
      const { id } = await copiedBy('alice');
      const answer = await patch(id, { replace_account: true });
      assertProblem(answer, 'invalid_request');
      assert.equal(at(answer, 'errors.0.field'), 'replace_account');
    });
  },
);
