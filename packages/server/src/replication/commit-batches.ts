import { isConnectorError, type Clock } from '@patchbay/connectors';
import { joinedDrift, type CopyDrift } from '@patchbay/connectors/engine';
import { LARGE_PAGE_BYTES } from './large-pages.ts';
import { isTurnOver } from './stopped.ts';
import type { ReadStep } from './walk-lists.ts';

interface BatchedCommits {
  /** Begins to read; the signal aborts when a commit fails. */
  readonly open: (signal: AbortSignal) => AsyncGenerator<ReadStep, void, undefined>;
  /** Takes some steps joined to one. */
  readonly commit: (batch: ReadStep) => Promise<void>;
  /** The first page goes in at once, since a copy without one cannot be searched. */
  readonly isFirstUrgent: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** More at once are no faster, but take more memory; and a crash loses at most a batch. */
const MAX_RECORDS = 500;
const MAX_AGE_MS = 1_000;

/**
 * Commits what is read, in order, while it goes on reading: at most one batch is being committed and
 * one filled. What came before an error of the upstream, or the end of a turn, is committed before that
 * is thrown.
 */
export async function commitInBatches(options: BatchedCommits): Promise<void> {
  const { clock } = options;
  const failing = new AbortController();
  const steps = options.open(AbortSignal.any([options.signal, failing.signal]));
  let batch: ReadStep[] = [];
  let startedAt = 0;
  let isUrgent = options.isFirstUrgent;
  let committing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    await committing;
    failing.signal.throwIfAborted();
    if (batch.length === 0) return;
    const taken = batch;
    committing = options
      .commit(joined(taken))
      .catch((error: unknown) => failing.abort(error))
      .finally(() => taken.forEach(({ held }) => held?.release()));
    batch = [];
    isUrgent = false;
  };

  try {
    // Every turn waits for one step, or for the time when those that are here have to be committed.
    for (let next = pull(steps); ;) {
      const ageMs = clock.monotonic() - startedAt;
      const result =
        batch.length === 0 ? await next : await within(next, clock, MAX_AGE_MS - ageMs);
      if (result === undefined) {
        await flush();
        continue;
      }
      if (result.done === true) break;
      if (batch.length === 0) startedAt = clock.monotonic();
      batch.push(result.value);
      next = pull(steps);
      if (isUrgent || isFull(batch)) await flush();
    }
    await flush();
  } catch (error) {
    if (isConnectorError(error) || isTurnOver(error)) await flush();
    await committing;
    failing.signal.throwIfAborted();
    throw error;
  }
  await committing;
  failing.signal.throwIfAborted();
}

/** Asks for a step before anybody waits for it. */
function pull(
  steps: AsyncGenerator<ReadStep, void, undefined>,
): Promise<IteratorResult<ReadStep, void>> {
  const next = steps.next();
  // Whoever waits for it gets the error; until then it must not count as unhandled.
  next.catch(() => undefined);
  return next;
}

/** What a promise brings within some time; `undefined` when it takes longer. */
function within<T>(promise: Promise<T>, clock: Clock, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(0, ms), () => resolve(undefined));
    promise.finally(cancel).then(resolve, reject);
  });
}

function isFull(batch: readonly ReadStep[]): boolean {
  let records = 0;
  let bytes = 0;
  for (const each of batch) {
    records += each.records.length + each.deletedKeys.length;
    bytes += each.held?.sizeBytes ?? 0;
  }
  return records >= MAX_RECORDS || bytes >= LARGE_PAGE_BYTES;
}

/** Of a record that comes twice, or comes and is deleted, the last word counts. */
function joined(batch: readonly ReadStep[]): ReadStep {
  const last = batch.at(-1);
  if (last === undefined) throw new Error('a batch has at least one step');
  const records = new Map<string, ReadStep['records'][number]>();
  const deletedKeys = new Set<string>();
  let drift: CopyDrift | undefined;
  for (const step of batch) {
    drift = joinedDrift(drift, step.drift);
    for (const record of step.records) {
      records.set(record.key, record);
      deletedKeys.delete(record.key);
    }
    for (const key of step.deletedKeys) {
      records.delete(key);
      deletedKeys.add(key);
    }
  }
  return {
    records: [...records.values()],
    deletedKeys: [...deletedKeys],
    drift,
    pages: batch.reduce((sum, { pages }) => sum + pages, 0),
    askedAt: new Date(Math.min(...batch.map(({ askedAt }) => askedAt.getTime()))),
    position: last.position,
  };
}
