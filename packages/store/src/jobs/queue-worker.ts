import type { Job as BossJob, PgBoss } from 'pg-boss';
import type { StoreLogger } from '../store-options.ts';
import type { Job, JobWorker, QueueName } from '../contract/jobs.ts';
import type { JobData } from './start-boss.ts';

interface QueueWorkerParts {
  readonly boss: PgBoss;
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly pollMs: number;
  readonly beatMs: number;
  readonly handler: (job: Job) => Promise<void>;
  /** Sends a job of this queue again. */
  readonly send: (key: string) => Promise<void>;
  readonly logger: StoreLogger;
}

interface RunningJob {
  readonly controller: AbortController;
  /** Somebody asked for another job of this key meanwhile. */
  isAskedFor: boolean;
}

/**
 * Takes jobs of one queue. Not pg-boss's own workers, since each of those polls for itself and one
 * job at a time, and waits for the next poll after a short job.
 */
export class QueueWorker implements JobWorker {
  readonly #parts: QueueWorkerParts;
  readonly #running = new Map<string, RunningJob>();
  readonly #ends = new Set<Promise<void>>();
  #taking: Promise<void> | undefined;
  #isStopped = false;
  #isWoken = false;
  #wakeUp: () => void = () => undefined;

  constructor(parts: QueueWorkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#taking ??= this.#takeJobs();
  }

  /** Looks for jobs now instead of at the next poll. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }

  /** Whether a job of this key runs here; another one then follows it. */
  asksAgain(key: string): boolean {
    const running = this.#running.get(key);
    if (running === undefined) return false;
    running.isAskedFor = true;
    return true;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wake();
    for (const { controller } of this.#running.values()) controller.abort(stopped());
    await this.#taking;
    await Promise.all(this.#ends);
  }

  async #takeJobs(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false;
      const free = this.#parts.concurrency - this.#ends.size;
      const jobs = free === 0 ? [] : await this.#fetch(free);
      for (const job of jobs) this.#begin(job);
      if (free === 0 || jobs.length < free) await this.#untilWoken();
    }
  }

  async #fetch(batchSize: number): Promise<readonly BossJob<JobData>[]> {
    const { boss, queue, logger } = this.#parts;
    try {
      return await boss.fetch<JobData>(queue, { batchSize });
    } catch (error) {
      logger.warn({ err: error, queue }, 'Jobs could not be looked for.');
      return [];
    }
  }

  async #untilWoken(): Promise<void> {
    if (this.#isWoken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#parts.pollMs);
    this.#wakeUp = resolve;
    await promise;
    clearTimeout(timer);
  }

  #begin(job: BossJob<JobData>): void {
    const running = { controller: new AbortController(), isAskedFor: false };
    // Stopped while the job was on its way here.
    if (this.#isStopped) running.controller.abort(stopped());
    this.#running.set(job.data.key, running);
    const end = this.#run(job, running).finally(() => {
      this.#ends.delete(end);
      this.wake();
    });
    this.#ends.add(end);
  }

  async #run(job: BossJob<JobData>, running: RunningJob): Promise<void> {
    const { key } = job.data;
    const isDone = await this.#handle(job, running.controller);
    await this.#settle(job, isDone);
    // A job that was lost may have come again before its handler returned.
    if (this.#running.get(key) === running) this.#running.delete(key);
    if (isDone && running.isAskedFor) await this.#sendAgain(key);
  }

  /** Runs the handler; returns whether the job is done with. */
  async #handle(job: BossJob<JobData>, controller: AbortController): Promise<boolean> {
    const { handler, beatMs, queue, logger } = this.#parts;
    const { key } = job.data;
    const { signal } = controller;
    const isAborted = (): boolean => signal.aborted;
    if (isAborted()) return false;
    const timer = setInterval(() => void this.#beat(job, controller), beatMs);
    // A handler that does not heed its signal loses the job in time.
    signal.addEventListener('abort', () => {
      clearInterval(timer);
    });
    try {
      await handler({ key, signal });
      return !isAborted();
    } catch (error) {
      if (!isAborted()) logger.warn({ err: error, queue, key }, 'A job failed.');
      return false;
    } finally {
      clearInterval(timer);
    }
  }

  /** Shows that the job is still worked on; aborts it where it has been given to somebody else. */
  async #beat(job: BossJob<JobData>, controller: AbortController): Promise<void> {
    const { boss, queue, logger } = this.#parts;
    try {
      if (isTouched(await boss.touch(queue, job), job.id)) return;
      controller.abort(new Error('the job has been given to another worker'));
    } catch (error) {
      logger.warn({ err: error, queue, key: job.data.key }, 'A job could not be kept.');
    }
  }

  /** Where that fails, the job comes back once it has not been kept for a while. */
  async #settle(job: BossJob<JobData>, isDone: boolean): Promise<void> {
    const { boss, queue, logger } = this.#parts;
    try {
      await (isDone ? boss.complete(queue, job) : boss.fail(queue, job));
    } catch (error) {
      logger.warn({ err: error, queue, key: job.data.key }, 'The end of a job was not stored.');
    }
  }

  async #sendAgain(key: string): Promise<void> {
    const { send, queue, logger } = this.#parts;
    try {
      await send(key);
    } catch (error) {
      logger.warn({ err: error, queue, key }, 'A job could not be sent.');
    }
  }
}

/** pg-boss answers which jobs it touched, though its types do not say so. */
function isTouched(answer: object, id: string): boolean {
  if (!('settled' in answer) || !Array.isArray(answer.settled)) return true;
  return answer.settled.includes(id);
}

function stopped(): Error {
  return new Error('the worker stops');
}
