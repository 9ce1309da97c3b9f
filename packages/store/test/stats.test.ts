import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { StatCounts, StatRow } from '../src/contract/stats.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const NOTHING: StatCounts = {
  calls: 0,
  errors: 0,
  latency: [],
  upstreamRequests: 0,
  upstreamWaitMs: 0,
  records: 0,
};
const MINUTE_MS = 60_000;
const START = new Date('2026-11-22T10:00:00Z');

/** The beginning of a minute, counted from the start. */
function minute(number: number): Date {
  return new Date(START.getTime() + number * MINUTE_MS);
}

function row(subjectId: string, number: number, counts: Partial<StatCounts>): StatRow {
  return { ...NOTHING, ...counts, subjectId, minute: minute(number) };
}

for (const database of TEST_DATABASES)
  describe(`what is counted on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const seriesOf = (subjectId: string, stepSeconds = 60, [from, to] = [0, 60]) =>
      store.stats.series({
        subjectId,
        from: minute(from),
        to: minute(to),
        stepSeconds,
        latencyParts: 3,
      });

    test('adds up over processes and flushes', async () => {
      const id = randomUUID();
      const first = { calls: 3, errors: 1, latency: [2, 0, 1], upstreamRequests: 4 };
      const second = { calls: 1, latency: [0, 1, 0], upstreamWaitMs: 5, records: 7 };
      await store.stats.add([row(id, 0, first), row(id, 1, { records: 1 })]);
      await store.stats.add([row(id, 0, second), row(id, 1, { calls: 1, latency: [0, 0, 1] })]);
      await store.stats.add([row(id, 1, { records: 2 })]);
      await store.stats.add([]);
      assert.deepEqual(await seriesOf(id), [
        {
          at: minute(0),
          calls: 4,
          errors: 1,
          latency: [2, 1, 1],
          upstreamRequests: 4,
          upstreamWaitMs: 5,
          records: 7,
        },
        { ...NOTHING, at: minute(1), calls: 1, latency: [0, 0, 1], records: 3 },
      ]);
    });

    test('is told by steps, from the first instant to before the last, of one subject', async () => {
      const [id, other] = [randomUUID(), randomUUID()];
      const numbers = [0, 4, 5, 9, 10];
      await store.stats.add(numbers.map((number) => row(id, number, { records: 1 })));
      await store.stats.add([row(other, 0, { records: 100 })]);
      const told = await seriesOf(id, 300, [0, 10]);
      assert.deepEqual(
        told.map(({ at, records, latency }) => [at, records, latency]),
        [
          [minute(0), 2, [0, 0, 0]],
          [minute(5), 2, [0, 0, 0]],
        ],
      );
      assert.deepEqual(await seriesOf(randomUUID()), []);
      assert.deepEqual(await seriesOf('nobody'), []);
    });

    test('by many processes at once loses nothing, and locks nobody out', async () => {
      const ids = Array.from({ length: 20 }, () => randomUUID());
      const flush = (backwards: boolean) => {
        const rows = ids.map((id) => row(id, 0, { calls: 1, latency: [1, 0, 0] }));
        return store.stats.add(backwards ? rows.toReversed() : rows);
      };
      await Promise.all(Array.from({ length: 30 }, (_, index) => flush(index % 2 === 0)));
      for (const id of ids) {
        const [point] = await seriesOf(id);
        assert.deepEqual([point?.calls, point?.latency], [30, [30, 0, 0]]);
      }
    });

    test('goes after its time', async () => {
      const id = randomUUID();
      const now = Date.now() - (Date.now() % MINUTE_MS);
      const at = (minutesAgo: number) => new Date(now - minutesAgo * MINUTE_MS);
      const rows = [1, 5, 9].map((ago) => ({ ...row(id, 0, { calls: 1 }), minute: at(ago) }));
      await store.stats.add(rows);
      assert.ok((await store.stats.deleteOlderThan(4 * MINUTE_MS, 100)) >= 2);
      const query = { subjectId: id, from: at(20), to: at(0), stepSeconds: 60, latencyParts: 1 };
      const left = await store.stats.series(query);
      assert.deepEqual(
        left.map((point) => point.at),
        [at(1)],
      );
      assert.equal(await store.stats.deleteOlderThan(4 * MINUTE_MS, 100), 0);
    });
  });
