import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectorError, type Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import { commitInBatches } from './commit-batches.ts';
import { LARGE_PAGE_BYTES } from './large-pages.ts';
import { BEGINNING } from './read-position.ts';
import type { ReadStep } from './walk-lists.ts';

/** A page of so many records, the first of them `first`. */
function step(first: number, count: number, askedAt = new Date(first)): ReadStep {
  const records = Array.from({ length: count }, (_, index) => record(first + index));
  const position = { ...BEGINNING, list: first + count };
  return { records, deletedKeys: [], pages: 1, askedAt, position };
}

function record(number: number) {
  return { key: String(number), values: { number } };
}

async function* stepsOf(...steps: readonly (ReadStep | Error)[]) {
  for (const each of steps) {
    if (each instanceof Error) throw each;
    await Promise.resolve();
    yield each;
  }
}

interface Run {
  readonly batches: ReadStep[];
  readonly done: Promise<void>;
}

function run(
  open: (signal: AbortSignal) => AsyncGenerator<ReadStep, void, undefined>,
  options: {
    readonly isFirstUrgent?: boolean;
    readonly clock?: Clock;
    readonly signal?: AbortSignal;
    readonly commit?: (batch: ReadStep) => Promise<void>;
  } = {},
): Run {
  const batches: ReadStep[] = [];
  const {
    isFirstUrgent = false,
    clock = systemClock,
    signal = new AbortController().signal,
  } = options;
  const done = commitInBatches({
    open,
    isFirstUrgent,
    clock,
    signal,
    commit: async (batch) => {
      await options.commit?.(batch);
      batches.push(batch);
    },
  });
  return { batches, done };
}

describe('committing in batches', () => {
  test('small pages go in together, up to 500 records, in order', async () => {
    const pages = Array.from({ length: 13 }, (_, index) => step(index * 100, 100));
    const { batches, done } = run(() => stepsOf(...pages));
    await done;
    assert.deepEqual(
      batches.map(({ records, pages: count }) => [records.length, count]),
      [
        [500, 5],
        [500, 5],
        [300, 3],
      ],
    );
    const keys = batches.flatMap(({ records }) => records.map(({ key }) => Number(key)));
    assert.deepEqual(keys, [...keys.keys()]);
    assert.deepEqual(
      batches.map(({ position }) => position.list),
      [500, 1000, 1300],
    );
  });

  test('large pages go in by their bytes, and are released once they are committed', async () => {
    const events: string[] = [];
    const release = () => void events.push('released');
    const held = { sizeBytes: LARGE_PAGE_BYTES / 2, release };
    const large = (first: number): ReadStep => ({ ...step(first, 1), held });
    const { done } = run(() => stepsOf(large(0), large(1), large(2)), {
      commit: async ({ records }) => {
        await Promise.resolve();
        events.push(`${records.length} committed`);
      },
    });
    await done;
    assert.deepEqual(events, ['2 committed', 'released', 'released', '1 committed', 'released']);
  });

  test('where a copy has no page yet, the first one goes in at once', async () => {
    const { batches, done } = run(() => stepsOf(step(0, 5), step(5, 5), step(10, 5)), {
      isFirstUrgent: true,
    });
    await done;
    assert.deepEqual(
      batches.map(({ records }) => records.length),
      [5, 10],
    );
  });

  for (const [what, first, second] of [
    ['its first page', 1, 11],
    ['the one that was asked for first', 11, 1],
  ] as const)
    test(`a batch is as old as ${what}`, async () => {
      const steps = [step(1, 10, new Date(first)), step(11, 10, new Date(second))];
      const { batches, done } = run(() => stepsOf(...steps));
      await done;
      assert.deepEqual(
        batches.map(({ askedAt }) => askedAt),
        [new Date(1)],
      );
    });

  test('of a record that comes twice, or comes and goes, the last word counts', async () => {
    const again = { ...step(0, 1), records: [{ key: '0', values: { number: 'new' } }] };
    const gone = { ...step(3, 0), deletedKeys: ['1', '7'] };
    const back = { ...step(7, 1) };
    const { batches, done } = run(() => stepsOf(step(0, 2), again, gone, back));
    await done;
    assert.deepEqual(
      batches.map(({ records, deletedKeys }) => ({ records, deletedKeys })),
      [{ records: [{ key: '0', values: { number: 'new' } }, record(7)], deletedKeys: ['1'] }],
    );
  });

  test('the next page is asked for while a batch is being committed, and no more than one batch', async () => {
    const committing = Promise.withResolvers<void>();
    const asked: number[] = [];
    const secondFull = Promise.withResolvers<void>();
    const { batches, done } = run(
      async function* () {
        for (let page = 0; page < 15; page++) {
          asked.push(page);
          // The pages of the second batch, and the one after it, are asked for.
          if (page === 10) secondFull.resolve();
          await Promise.resolve();
          yield step(page * 100, 100);
        }
      },
      { commit: () => committing.promise },
    );
    await secondFull.promise;
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    assert.equal(asked.length, 11);
    assert.equal(batches.length, 0);
    committing.resolve();
    await done;
    assert.equal(batches.length, 3);
  });

  test('a page that takes long does not keep those before it waiting', async () => {
    const timer = Promise.withResolvers<() => void>();
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      after: (_, callback) => {
        timer.resolve(callback);
        return () => undefined;
      },
    };
    const slow = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const committed = Promise.withResolvers<void>();
    const { batches, done } = run(
      async function* () {
        yield step(0, 5);
        asked.resolve();
        await slow.promise;
        yield step(5, 5);
      },
      { clock, commit: () => Promise.resolve(committed.resolve()) },
    );
    await asked.promise;
    const onTimer = await timer.promise;
    onTimer();
    await committed.promise;
    slow.resolve();
    await done;
    assert.deepEqual(
      batches.map(({ records }) => records.length),
      [5, 5],
    );
  });

  test('what came before an error of the upstream is committed', async () => {
    const error = new ConnectorError('upstream_unavailable', {});
    const { batches, done } = run(() => stepsOf(step(0, 5), error));
    await assert.rejects(done, error);
    assert.equal(batches.length, 1);
  });

  test('a commit that fails ends the reading, and its error is thrown', async () => {
    const error = new Error('no database');
    const { done } = run(
      async function* (signal) {
        yield step(0, 1000);
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      },
      { commit: () => Promise.reject(error) },
    );
    await assert.rejects(done, error);
  });

  test('nothing is committed after the signal aborts', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    const { batches, done } = run(
      async function* (signal) {
        yield step(0, 5);
        controller.abort(reason);
        signal.throwIfAborted();
      },
      { signal: controller.signal },
    );
    await assert.rejects(done, reason);
    assert.equal(batches.length, 0);
  });
});
