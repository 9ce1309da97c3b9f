/** The queues of the service. */
export type QueueName = 'sync-connector' | 'clear-connector';

/** A job under way. */
export interface Job {
  /** What the job is about, a connector id. At most one job of a queue and key waits or runs. */
  readonly key: string;
  /** Aborts when the worker stops, or when the job has been given to another worker. */
  readonly signal: AbortSignal;
}

/** Somebody who takes jobs; several in one process may do so, one after another or at once. */
export interface JobWorker {
  /** Takes no more jobs, aborts those under way, and waits for their handlers to return. */
  stop(): Promise<void>;
}

/**
 * Jobs that any process may take, kept in the database. A queue only says that there may be
 * something to do: whoever works looks into the tables what it is, so that a job which is lost, or
 * comes twice, does no harm.
 */
export interface JobQueue {
  /**
   * Asks for a job now. One of that key that waits serves both, and one that runs in this process is
   * followed by another. Where it runs in another process, nothing happens: handlers look into the
   * tables again before they return, and what they then miss is found by whoever looks regularly.
   */
  send(queue: QueueName, key: string): Promise<void>;
  /**
   * Works on jobs until the worker is stopped or the queue closed. A job whose handler rejects, or
   * returns after its signal has aborted, comes again: after a second, then at growing intervals up
   * to half a minute. So does, within a minute, that of a process that was killed.
   *
   * @param options.concurrency Jobs at once in this process.
   * @param options.pollMs Longest time until a job sent elsewhere is noticed; those sent by this process start at once.
   */
  work(
    queue: QueueName,
    options: { readonly concurrency: number; readonly pollMs: number },
    handler: (job: Job) => Promise<void>,
  ): Promise<JobWorker>;
  /** Aborts jobs under way, and waits a few seconds for their handlers to return. */
  close(): Promise<void>;
}
