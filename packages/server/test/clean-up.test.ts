import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { openTestStore, type TestStore } from '@patchbay/store/testing';
import { CleanUp } from '../src/service/clean-up.ts';

const ROWS = 9_000;
/** So many pieces that others, who connect for each look, come between some of them on a busy machine, too. */
const MANY_ROWS = 30_000;

describe('the clean-up of every hour', () => {
  let store: TestStore;
  before(async () => {
    store = await openTestStore();
  });
  after(() => store.close());
  afterEach(() => store.query('truncate patchbay.stats, patchbay.consents'));

  const addOldStats = (rows = ROWS) =>
    store.query(`insert into patchbay.stats
      select gen_random_uuid(), now() - interval '90 days', 0, 0, null, 0, 0, 0
      from generate_series(1, ${rows})`);

  const countStats = async () => {
    const [row] = await store.query('select count(*)::int as n from patchbay.stats');
    return Number(row?.['n']);
  };

  test('gives way to others, however much there is to delete', async () => {
    await addOldStats(MANY_ROWS);
    const cleanUp = new CleanUp({ store, onRefreshError: assert.ifError });
    const cleaned = cleanUp.begin();
    const counts = new Set<number>();
    for (let count = MANY_ROWS; count > 0; count = await countStats()) counts.add(count);
    await cleaned;
    assert.ok(counts.size > 2, `others saw ${[...counts].join(', ')} rows left`);
    await cleanUp.stop();
  });

  test('goes on with the rest where something fails', async () => {
    await addOldStats();
    const errors: unknown[] = [];
    const failing = new Error('no');
    const revokedTokens = { ...store.revokedTokens, deleteExpired: () => Promise.reject(failing) };
    const cleanUp = new CleanUp({
      store: { ...store, revokedTokens },
      onRefreshError: (error) => errors.push(error),
    });
    await cleanUp.begin();
    assert.deepEqual(errors, [failing]);
    assert.equal(await countStats(), 0);
    await cleanUp.stop();
  });

  test('ends between two pieces when the service does', async () => {
    await addOldStats();
    const cleanUp = new CleanUp({ store, onRefreshError: assert.ifError });
    const cleaned = cleanUp.begin();
    await cleanUp.stop();
    await cleaned;
    assert.equal(await countStats(), ROWS);
  });
});
