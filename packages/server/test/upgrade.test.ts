import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { openStore, type Store } from '@patchbay/store';
import { TEST_DATABASES, type TestDatabase, type TestPlace } from '@patchbay/store/testing';
import { at } from './support/http-client.ts';
import { countOf, logIn, startServiceOn, type TestService } from './support/start-test-service.ts';

/** What `upgrade/make-old-database.ts` knew of the database when it had made it. */
interface Facts {
  readonly madeAt: string;
  readonly masterKey: string;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  readonly token: string;
  readonly scopedToken: string;
  readonly connectorId: string;
  readonly search: Readonly<Record<string, unknown>>;
  readonly found: { readonly hits: readonly object[] };
  readonly write: Readonly<Record<string, unknown>>;
  readonly written: unknown;
}

const SQL = gunzipSync(
  readFileSync(new URL('upgrade/version-0.1.sql.gz', import.meta.url)),
).toString();
const facts = JSON.parse(SQL.slice('-- '.length, SQL.indexOf('\n'))) as Facts;

/** Makes the database of a place what version 0.1 left, as if it had been made just now. */
async function fillAsOf01(place: TestPlace): Promise<void> {
  // The embedded database takes connections while a store has it open.
  const store = await openStore(place.options);
  const client = new Client(await place.connection());
  await client.connect();
  try {
    await client.query('drop schema patchbay cascade; drop schema if exists patchbay_jobs cascade');
    await client.query(SQL);
    await client.query('update patchbay.idempotency_keys set created_at = now()');
  } finally {
    await client.end();
    await store.close();
  }
}

for (const database of TEST_DATABASES) {
  describe(`a database of version 0.1 on ${database.name}`, { skip: database.skip }, () => {
    let old: OldDatabase;
    before(async () => {
      old = await OldDatabase.open(database);
    });
    after(() => old[Symbol.asyncDispose]());

    const execute = (
      body: Readonly<Record<string, unknown>>,
      headers?: Readonly<Record<string, string>>,
    ) => old.running.execute(facts.token, facts.connectorId, body, headers);

    test('keeps its tokens and the secrets of its applications', async () => {
      const { send } = old.running;
      const listed = await send('GET', '/v1/integrations/connectors', { token: facts.scopedToken });
      assert.deepEqual([listed.status, at(listed, 'data.0.name')], [200, 'Made by 0.1']);
      const path = `/v1/integrations/connectors/${facts.connectorId}`;
      const found = await send('GET', path, { token: await logIn(send, facts.client) });
      assert.deepEqual(
        [at(found, 'connector_type'), at(found, 'external_user_id'), at(found, 'disabled')],
        ['chat-workspace', 'user-1', false],
      );
    });

    test('keeps its copies, and finds in them what 0.1 found', async () => {
      const answer = await execute(facts.search);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(facts.found.hits.length > 5);
      assert.deepEqual(at(answer, 'result.hits'), facts.found.hits);
    });

    test('opens its credentials', async () => {
      const earlier = old.sandbox.requests().length;
      const answer = await execute({ entity: 'users', action: 'list', params: { limit: 1 } });
      assert.equal(answer.status, 200, answer.text);
      const sent = old.sandbox.requests().slice(earlier);
      assert.deepEqual(
        sent.map(({ method, authorization }) => [method, authorization]),
        [['users.list', 'Bearer']],
      );
    });

    test('keeps what was written with a key: it is not written again', async () => {
      const answer = await execute(facts.write, { 'idempotency-key': 'key-of-0.1' });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(at(answer, 'result'), facts.written);
      assert.equal(countOf(old.sandbox, 'chat.postMessage'), 0);
      const other = await execute(
        { ...facts.write, params: { channel: 'C1', text: 'another' } },
        { 'idempotency-key': 'key-of-0.1' },
      );
      assert.deepEqual([other.status, at(other, 'code')], [422, 'idempotency_key_reused']);
    });
  });
}

/** A service of this version on a database of 0.1, by the clock of when that was made. */
class OldDatabase implements AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly running: TestService;
  readonly #store: Store;
  readonly #place: TestPlace;

  private constructor(parts: {
    readonly sandbox: Sandbox;
    readonly running: TestService;
    readonly store: Store;
    readonly place: TestPlace;
  }) {
    this.sandbox = parts.sandbox;
    this.running = parts.running;
    this.#store = parts.store;
    this.#place = parts.place;
  }

  static async open(database: TestDatabase): Promise<OldDatabase> {
    const place = await database.make();
    await fillAsOf01(place);
    const store = await openStore(place.options);
    const sandbox = await startSandbox({ scale: 10 });
    const ground = { sandbox, store, dataFolder: '', [Symbol.asyncDispose]: async () => {} };
    const running = await startServiceOn(ground, {
      masterKey: Buffer.from(facts.masterKey, 'base64'),
    });
    running.clock.set(Date.parse(facts.madeAt) - Date.now());
    return new OldDatabase({ sandbox, running, store, place });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running.service.close();
    await this.#store.close();
    await this.sandbox.close();
    await this.#place.remove();
  }
}
