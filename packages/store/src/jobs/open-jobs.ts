import type { PgBoss } from 'pg-boss';
import type { ConnectionPool } from '../connection-pool.ts';
import type { StoreLogger } from '../store-options.ts';
import type { DatabaseProfile } from '../contract/store.ts';
import type { Job, JobQueue, JobWorker, QueueName } from '../contract/jobs.ts';
import { QueueWorker } from './queue-worker.ts';
import { sendJob, startBoss } from './start-boss.ts';

interface JobsParts {
  readonly pool: ConnectionPool;
  readonly profile: DatabaseProfile;
  readonly logger: StoreLogger;
  /** Shorter in tests only. */
  readonly timing?: JobTiming;
}

export interface JobTiming {
  /** How often a worker shows that it is still at a job. */
  readonly beatMs: number;
  /** How often lost jobs are looked for. */
  readonly superviseSeconds: number;
  /** Handlers that do not return within this time after the abort of their signal are left behind, and so is the queue itself. */
  readonly closeWithinMs: number;
}

/** So that a job whose worker was killed comes back within about half a minute. */
const TIMING: JobTiming = { beatMs: 5_000, superviseSeconds: 10, closeWithinMs: 500 };

/** The job queue in a database. Nothing is made there before the first job is sent or looked for. */
export function openJobs(parts: JobsParts): JobQueue {
  return new BossQueue(parts);
}

class BossQueue implements JobQueue {
  readonly #parts: JobsParts;
  readonly #timing: JobTiming;
  readonly #workers = new Map<QueueWorker, QueueName>();
  #boss: Promise<PgBoss> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: JobsParts) {
    this.#parts = parts;
    this.#timing = parts.timing ?? TIMING;
  }

  async send(queue: QueueName, key: string): Promise<void> {
    const workers = this.#workersOf(queue);
    if (workers.some((worker) => worker.asksAgain(key))) return;
    const boss = await this.#start();
    await sendJob({ boss, pool: this.#parts.pool }, queue, key);
    for (const worker of workers) worker.wake();
  }

  async work(
    queue: QueueName,
    options: { readonly concurrency: number; readonly pollMs: number },
    handler: (job: Job) => Promise<void>,
  ): Promise<JobWorker> {
    const worker = new QueueWorker({
      ...options,
      boss: await this.#start(),
      queue,
      handler,
      beatMs: this.#timing.beatMs,
      send: (key) => this.send(queue, key),
      logger: this.#parts.logger,
    });
    this.#workers.set(worker, queue);
    worker.start();
    return {
      stop: async () => {
        await worker.stop();
        this.#workers.delete(worker);
      },
    };
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  #workersOf(queue: QueueName): readonly QueueWorker[] {
    return [...this.#workers].filter(([, name]) => name === queue).map(([worker]) => worker);
  }

  async #start(): Promise<PgBoss> {
    this.#requireOpen();
    this.#boss ??= this.#startBoss();
    const boss = await this.#boss;
    this.#requireOpen();
    return boss;
  }

  /** One that failed is forgotten, so that the next call tries again. */
  async #startBoss(): Promise<PgBoss> {
    try {
      return await startBoss({ ...this.#parts, superviseSeconds: this.#timing.superviseSeconds });
    } catch (error) {
      this.#boss = undefined;
      throw error;
    }
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new Error('the job queue is closed');
  }

  async #close(): Promise<void> {
    const { logger } = this.#parts;
    if (!(await this.#isInTime([...this.#workers.keys()].map((worker) => worker.stop())))) {
      logger.warn({}, 'Some jobs were still running when the job queue closed.');
    }
    // Whoever wanted it has been told that it did not start.
    const boss = await this.#boss?.catch(() => undefined);
    if (boss === undefined) return;
    if (!(await this.#isInTime([boss.stop({ close: false, graceful: false })]))) {
      logger.warn({}, 'The job queue was still busy when it closed.');
    }
  }

  async #isInTime(ends: readonly Promise<void>[]): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(resolve, this.#timing.closeWithinMs, 'late');
    const outcome = await Promise.race([Promise.all(ends), late]);
    clearTimeout(timer);
    return outcome !== 'late';
  }
}
