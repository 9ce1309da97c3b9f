import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { ConnectionPool } from '../src/connection-pool.ts';
import { openStore } from '../src/index.ts';
import type { Job, JobQueue } from '../src/contract/jobs.ts';
import { openJobs, type JobTiming } from '../src/jobs/open-jobs.ts';
import type { StoreLogger } from '../src/store-options.ts';
import { openTestStore, queryOnce, type TestStore } from './support/open-test-store.ts';
import { startProcess } from './support/start-store-process.ts';
import {
  SERVER,
  TEST_DATABASES,
  type TestDatabase,
  type TestPlace,
} from './support/test-databases.ts';
import { until } from './support/until.ts';

const QUEUE = 'sync-connector';
const OFTEN = { concurrency: 4, pollMs: 20 } as const;
/** Only what this process sends can be noticed in time. */
const NEVER = { concurrency: 4, pollMs: 600_000 } as const;

/** Nobody has kept the jobs under way for an hour. */
const LOSE = `update patchbay_jobs.job set heartbeat_on = now() - interval '1 hour'
  where state = 'active'`;
/** As after the database's clock was an hour ahead for a while. */
const FROM_THE_FUTURE = `update patchbay_jobs.job set start_after = now() + interval '1 hour'`;
/** Jobs that failed wait a second or two before they come again. */
const HURRY = `update patchbay_jobs.job set start_after = now() where state = 'retry'`;

for (const database of TEST_DATABASES) {
  describe(`jobs on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    test('need nothing in the database until there is one', async () => {
      await using fresh = await openTestStore(database);
      assert.equal(await hasJobTables(fresh), false);
      await fresh.jobs.close();
      assert.equal(await hasJobTables(fresh), false);
    });

    test('start at once when sent by the same process', async () => {
      const started = Promise.withResolvers<string>();
      const worker = await store.jobs.work(QUEUE, NEVER, ({ key }) => {
        started.resolve(key);
        return Promise.resolve();
      });
      await store.jobs.send(QUEUE, 'at-once');
      assert.equal(await started.promise, 'at-once');
      await untilDone(store);
      await worker.stop();
    });

    test('are of their queue', async () => {
      const keys: string[] = [];
      const worker = await store.jobs.work('clear-connector', NEVER, ({ key }) => {
        keys.push(key);
        return Promise.resolve();
      });
      await store.jobs.send(QUEUE, 'elsewhere');
      await store.jobs.send('clear-connector', 'here');
      await until(() => keys.length > 0);
      await worker.stop();
      assert.deepEqual(keys, ['here']);
      assert.deepEqual(await collect(store), ['elsewhere']);
    });

    test('of one key wait once, however often they are asked for', async () => {
      for (let index = 0; index < 5; index += 1) await store.jobs.send(QUEUE, 'same');
      await store.jobs.send(QUEUE, 'last');
      assert.deepEqual(await collect(store), ['same', 'last']);
    });

    test('that are due in an hour, by a clock that was wrong, are due when asked for', async () => {
      await store.jobs.send(QUEUE, 'ahead');
      await store.query(FROM_THE_FUTURE);
      await store.jobs.send(QUEUE, 'ahead');
      assert.deepEqual(await collect(store), ['ahead']);
    });

    test('follow the one of their key that runs here', async () => {
      const runs: PromiseWithResolvers<void>[] = [];
      const worker = await store.jobs.work(QUEUE, NEVER, async () => {
        const run = Promise.withResolvers<void>();
        runs.push(run);
        await run.promise;
      });
      await store.jobs.send(QUEUE, 'again');
      await until(() => runs.length === 1);
      await store.jobs.send(QUEUE, 'again');
      await store.jobs.send(QUEUE, 'again');
      runs[0]?.resolve();
      await until(() => runs.length === 2);
      runs[1]?.resolve();
      await untilDone(store);
      await worker.stop();
      assert.equal(runs.length, 2);
    });

    test('run one at a time for each key, and after every request', async () => {
      const asked = new Map<string, number>();
      const seen = new Map<string, number>();
      const running = new Set<string>();
      let most = 0;
      let overlaps = 0;
      const handler = async ({ key }: Job): Promise<void> => {
        overlaps += running.has(key) ? 1 : 0;
        running.add(key);
        most = Math.max(most, running.size);
        const count = asked.get(key) ?? 0;
        await store.ping();
        seen.set(key, count);
        running.delete(key);
      };
      const workers = [
        await store.jobs.work(QUEUE, NEVER, handler),
        await store.jobs.work(QUEUE, NEVER, handler),
      ];
      const requests = Array.from({ length: 500 }, (_, index) => `key-${Math.floor(index / 20)}`);
      await Promise.all(
        requests.map(async (key) => {
          asked.set(key, (asked.get(key) ?? 0) + 1);
          await store.jobs.send(QUEUE, key);
        }),
      );
      await until(() => [...asked].every(([key, count]) => seen.get(key) === count));
      await untilDone(store);
      await Promise.all(workers.map((worker) => worker.stop()));
      assert.equal(overlaps, 0);
      assert.ok(most > 1 && most <= 2 * NEVER.concurrency, `${most} at once`);
    });

    test('that fail come again, and say why in the log only', async () => {
      await using queue = await openQueue(store);
      let attempts = 0;
      const done = Promise.withResolvers<void>();
      await queue.jobs.work(QUEUE, OFTEN, () => {
        attempts += 1;
        if (attempts === 1) throw new Error('the secret reason');
        done.resolve();
        return Promise.resolve();
      });
      await queue.jobs.send(QUEUE, 'failing');
      await until(async () => (await countJobs(store, `state = 'retry'`)) === 1);
      assert.equal(await countJobs(store, `output::text like '%secret%'`), 0);
      assert.ok(queue.warnings.includes('A job failed.'));
      await store.query(HURRY);
      await done.promise;
      await untilDone(store);
    });

    test('are aborted by a worker that stops, and go to the next one', async () => {
      const started = Promise.withResolvers<AbortSignal>();
      const ended: string[] = [];
      const worker = await store.jobs.work(QUEUE, NEVER, async ({ signal }) => {
        started.resolve(signal);
        await once(signal, 'abort');
        await store.ping();
        ended.push('handler');
      });
      await store.jobs.send(QUEUE, 'stopped');
      const signal = await started.promise;
      assert.equal(signal.aborted, false);
      await worker.stop();
      ended.push('worker');
      assert.deepEqual(ended, ['handler', 'worker']);
      await store.query(HURRY);
      assert.deepEqual(await collect(store), ['stopped']);
    });

    test('end within bounds when the queue closes, and none can follow', async () => {
      await using queue = await openQueue(store, { closeWithinMs: 50 });
      const started = Promise.withResolvers<AbortSignal>();
      await queue.jobs.work(QUEUE, NEVER, async ({ signal }) => {
        started.resolve(signal);
        await Promise.withResolvers<void>().promise;
      });
      await queue.jobs.send(QUEUE, 'closed');
      const signal = await started.promise;
      await queue.jobs.close();
      assert.equal(signal.aborted, true);
      assert.ok(queue.warnings.some((warning) => warning.startsWith('Some jobs were still')));
      await assert.rejects(queue.jobs.send(QUEUE, 'late'), /closed/);
      await assert.rejects(
        queue.jobs.work(QUEUE, NEVER, () => Promise.resolve()),
        /closed/,
      );
      await store.query('delete from patchbay_jobs.job');
    });

    test('are taken from a worker that does not keep them', async () => {
      await using queue = await openQueue(store, { beatMs: 600_000, superviseSeconds: 1 });
      const runs: PromiseWithResolvers<void>[] = [];
      await queue.jobs.work(QUEUE, OFTEN, async () => {
        const run = Promise.withResolvers<void>();
        runs.push(run);
        if (runs.length === 1) await run.promise;
      });
      await queue.jobs.send(QUEUE, 'lost');
      await until(() => runs.length === 1);
      await store.query(LOSE);
      await until(async () => {
        await store.query(HURRY);
        return runs.length === 2;
      });
      runs[0]?.resolve();
      await untilDone(store);
    });

    test('tell their handler when they have been given to another worker', async () => {
      await using queue = await openQueue(store, { beatMs: 20 });
      const signals: AbortSignal[] = [];
      await queue.jobs.work(QUEUE, OFTEN, async ({ signal }) => {
        signals.push(signal);
        if (signals.length === 1) await once(signal, 'abort');
      });
      await queue.jobs.send(QUEUE, 'taken');
      await until(() => signals.length === 1);
      await store.query(
        `update patchbay_jobs.job set state = 'retry', start_after = now() where state = 'active'`,
      );
      await until(() => signals.length === 2);
      await untilDone(store);
      assert.match(String(signals[0]?.reason), /another worker/);
      assert.equal(signals[1]?.aborted, false);
    });

    test('that are done do not stay for long', async () => {
      await using queue = await openQueue(store, { superviseSeconds: 1 });
      await queue.jobs.send(QUEUE, 'old');
      assert.deepEqual(await collect(store), ['old']);
      await store.query(
        `update patchbay_jobs.job set completed_on = now() - interval '2 minutes'
          where state = 'completed'`,
      );
      await store.query('update patchbay_jobs.queue set maintain_on = null');
      await until(async () => (await countJobs(store, `state = 'completed'`)) === 0);
    });

    test('of a process that was killed come back', async () => {
      await using place = await makePlace(database);
      {
        await using sender = await openStore(place.options);
        await sender.jobs.send(QUEUE, 'held');
      }
      const killed = startProcess('jobs-process.ts', place.options, 'hold');
      assert.equal(await killed.nextLine(), 'held');
      await killed.kill();

      await using next = await openStore(place.options);
      const connection = await place.connection();
      const query = (sql: string) => queryOnce(connection, sql);
      await using queue = await openQueue({ ...next, connection }, { superviseSeconds: 1 });
      const keys: string[] = [];
      await queue.jobs.work(QUEUE, OFTEN, ({ key }) => {
        keys.push(key);
        return Promise.resolve();
      });
      if (!next.profile.isExclusive) {
        await query(LOSE);
        await until(async () => {
          await query(HURRY);
          return keys.length > 0;
        });
      }
      await until(() => keys.length > 0);
      assert.deepEqual(keys, ['held']);
    });
  });
}

describe('jobs of several processes on one PostgreSQL', { skip: SERVER.skip }, () => {
  test('can be sent by all of them at once, also the first ones', async () => {
    await using place = await makePlace(SERVER);
    await using store = await openStore(place.options);
    const processes = ['a', 'b', 'c'].map((prefix) =>
      startProcess('jobs-process.ts', place.options, 'send', prefix, '50'),
    );
    const lines = await Promise.all(processes.map((process) => process.nextLine()));
    assert.deepEqual(lines, ['sent', 'sent', 'sent']);
    const keys: string[] = [];
    const worker = await store.jobs.work(QUEUE, OFTEN, ({ key }) => {
      keys.push(key);
      return Promise.resolve();
    });
    await until(() => keys.length >= 150);
    await worker.stop();
    assert.equal(keys.length, 150);
    assert.equal(new Set(keys).size, 150);
    await Promise.all(processes.map((process) => process.finish()));
  });

  test('go on after the database has ended every connection', async () => {
    await using store = await openTestStore(SERVER);
    await using queue = await openQueue(store);
    const keys: string[] = [];
    await queue.jobs.work(QUEUE, OFTEN, ({ key }) => {
      keys.push(key);
      return Promise.resolve();
    });
    await queue.jobs.send(QUEUE, 'before');
    await until(() => keys.includes('before'));
    await store.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await until(async () => {
      await queue.jobs.send(QUEUE, 'after').catch(() => undefined);
      return keys.includes('after');
    });
  });
});

/** A queue of its own on the database of a store, with what it warned of. */
async function openQueue(
  store: Pick<TestStore, 'connection' | 'profile'>,
  timing: Partial<JobTiming> = {},
): Promise<AsyncDisposable & { readonly jobs: JobQueue; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const logger: StoreLogger = {
    info: () => undefined,
    warn: (_details, message) => warnings.push(message),
  };
  const { connection, profile } = store;
  const pool = new ConnectionPool({ connection, description: 'the test database', logger });
  const jobs = openJobs({
    pool,
    profile,
    logger,
    timing: { beatMs: 5_000, superviseSeconds: 10, closeWithinMs: 5_000, ...timing },
  });
  return {
    jobs,
    warnings,
    [Symbol.asyncDispose]: async () => {
      await jobs.close();
      await pool.end();
    },
  };
}

/** Does the jobs that wait, one after the other; returns their keys. */
async function collect(store: TestStore): Promise<readonly string[]> {
  const collected: string[] = [];
  const options = { ...OFTEN, concurrency: 1 };
  const worker = await store.jobs.work(QUEUE, options, ({ key }) => {
    collected.push(key);
    return Promise.resolve();
  });
  await untilDone(store);
  await worker.stop();
  return collected;
}

/** Nothing of the queue waits or runs. */
async function untilDone(store: TestStore): Promise<void> {
  await until(
    async () =>
      (await countJobs(store, `name = '${QUEUE}' and state in ('created', 'retry', 'active')`)) ===
      0,
  );
}

async function countJobs(store: TestStore, condition: string): Promise<number> {
  const rows = await store.query(
    `select count(*)::int as count from patchbay_jobs.job where ${condition}`,
  );
  return Number(rows[0]?.['count']);
}

async function hasJobTables(store: TestStore): Promise<boolean> {
  const [row] = await store.query(`select to_regclass('patchbay_jobs.job') is not null as has`);
  return row?.['has'] === true;
}

async function makePlace(database: TestDatabase): Promise<TestPlace & AsyncDisposable> {
  const place = await database.make();
  return { ...place, [Symbol.asyncDispose]: () => place.remove() };
}
