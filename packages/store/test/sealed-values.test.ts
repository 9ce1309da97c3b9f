import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { SealedValue } from '../src/contract/sealed-values.ts';
import { SEALED_COLUMNS } from '../src/statements/sealed-values.ts';
import { fillStore } from './support/fill-store.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addConnector, sampleIntent } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);

for (const database of TEST_DATABASES)
  describe(`sealed values on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const oldOnes = async () => {
      const all = await store.sealedValues.listUnlike(NEW, { limit: 1_000 });
      return all.filter(({ sealed }) => sealed.startsWith(OLD));
    };
    const countOf = async (head: string) =>
      (await store.sealedValues.count()).find((each) => each.head === head)?.count ?? 0;
    const resealAll = async (values: readonly SealedValue[]) => {
      for (const each of values)
        assert.equal(await store.sealedValues.reseal(each, NEW + each.sealed.slice(32)), true);
    };

    test('every column that is called sealed_… is known, with its primary key', async () => {
      const columns = await store.query(
        `select c.table_name::text as table, c.column_name::text as column, (
           select array_agg(k.column_name::text order by k.ordinal_position)
           from information_schema.table_constraints t
           join information_schema.key_column_usage k using (constraint_schema, constraint_name)
           where t.table_schema = 'patchbay' and t.table_name = c.table_name
             and t.constraint_type = 'PRIMARY KEY'
         ) as key
         from information_schema.columns c
         where c.table_schema = 'patchbay' and c.column_name like 'sealed\\_%' order by 1`,
      );
      const known = SEALED_COLUMNS.filter(({ table }) => table !== 'settings')
        .map(({ table, column, key }) => ({ table, column, key: [...key] }))
        .toSorted((a, b) => (a.table < b.table ? -1 : 1));
      assert.deepEqual(columns, known);
    });

    test('values of every table are listed by page, counted, and resealed', async () => {
      await fillStore(store);
      for (let count = 0; count < 3; count++)
        await addConnector(store, { sealedCredentials: `${OLD}.connector-${count}` });
      const intent = sampleIntent({ scope: 's', key: 'k' });
      await store.creations.begin(intent);
      await store.creations.finish(intent, { status: 201, body: `${OLD}.answer` });
      await store.signingKeys.create({ id: randomUUID(), sealedKey: `${OLD}.key` });
      await store.settings.ensure('vault_check', `${OLD}.check`);
      await store.settings.ensure('nobodys_secret', `${OLD}.other`);
      const found = await oldOnes();
      assert.deepEqual(found.map(({ sealed }) => sealed.slice(33)).toSorted(), [
        'answer',
        'check',
        'connector-0',
        'connector-1',
        'connector-2',
        'key',
      ]);
      assert.equal(await countOf(OLD), found.length);

      const paged: SealedValue[] = [];
      for (;;) {
        const last = paged.at(-1);
        const page = await store.sealedValues.listUnlike(NEW, { limit: 1, after: last });
        if (page.length === 0) break;
        paged.push(...page);
      }
      const whole = await store.sealedValues.listUnlike(NEW, { limit: 1_000 });
      assert.deepEqual(paged, whole);
      await resealAll(found);
      assert.equal(await countOf(OLD), 0);
      assert.equal(await countOf(NEW), found.length);
      assert.equal(await store.settings.get('nobodys_secret'), `${OLD}.other`);
    });

    test('what changed since it was read stays as it is', async () => {
      const { id, revision } = await addConnector(store, { sealedCredentials: `${OLD}.1` });
      const [value] = await oldOnes();
      assert.ok(value);
      await store.connectors.update(id, { sealedCredentials: `${OLD}.2` });
      assert.equal(await store.sealedValues.reseal(value, `${NEW}.1`), false);
      const [newest] = await oldOnes();
      assert.ok(newest);
      assert.equal(await store.sealedValues.reseal(newest, `${NEW}.2`), true);
      const row = await store.connectors.find(id);
      assert.equal(row?.sealedCredentials, `${NEW}.2`);
      assert.equal(row.revision, revision + 2, 'memory takes over what counts higher');
    });

    test('whatever moment a text is resealed at, no renewal that was granted is lost', async () => {
      const times = { renewAt: new Date(0), tokenEndsAt: new Date(0), tokenDigest: null };
      let granted = 0;
      for (let round = 0; round < 40; round++) {
        const row = await addConnector(store, { sealedCredentials: `${OLD}.race`, ...times });
        const { id, credentialsEpoch, sealedCredentials } = row;
        const renewal = {
          connectorId: id,
          credentialsEpoch,
          sealedCredentials,
          owner: randomUUID(),
        };
        const value = { table: 'connectors', key: [id], sealed: sealedCredentials };
        const renew = async () => {
          const { turn } = await store.renewals.begin(renewal, 60_000);
          if (turn !== 'granted') return;
          granted++;
          const issued = { ...times, sealedCredentials: `issued ${round}` };
          assert.equal(await store.renewals.finish(renewal, issued), true);
          assert.equal((await store.connectors.find(id))?.sealedCredentials, `issued ${round}`);
        };
        const reseal = () => store.sealedValues.reseal(value, `${NEW}.race`);
        await Promise.all(round % 2 === 0 ? [renew(), reseal()] : [reseal(), renew()]);
      }
      assert.ok(granted > 0);
    });

    test('a renewal under way ends as it would have, resealed or not', async () => {
      const times = { renewAt: new Date(0), tokenEndsAt: new Date(0), tokenDigest: null };
      const begin = async () => {
        const row = await addConnector(store, { sealedCredentials: `${OLD}.1`, ...times });
        const { id, credentialsEpoch, sealedCredentials } = row;
        const owner = randomUUID();
        const renewal = { connectorId: id, credentialsEpoch, sealedCredentials, owner };
        assert.partialDeepStrictEqual(await store.renewals.begin(renewal, 60_000), {
          turn: 'granted',
        });
        await resealAll(await oldOnes());
        return { id, renewal };
      };
      const finished = await begin();
      const issued = { ...times, sealedCredentials: 'issued' };
      const stranger = { ...finished.renewal, owner: randomUUID() };
      assert.equal(await store.renewals.finish(stranger, issued), false);
      assert.equal(await store.renewals.finish(finished.renewal, issued), true);
      assert.equal((await store.connectors.find(finished.id))?.sealedCredentials, 'issued');

      const failed = await begin();
      await store.renewals.fail(failed.renewal, { pauseMs: 0, isCertain: true });
      const again = { ...failed.renewal, sealedCredentials: `${NEW}.1`, owner: randomUUID() };
      assert.deepEqual(await store.renewals.begin(again, 60_000), {
        turn: 'granted',
        unanswered: 0,
        failures: 1,
      });
    });
  });
