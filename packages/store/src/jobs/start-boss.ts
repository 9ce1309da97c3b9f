import type { PgBoss } from 'pg-boss';
import type { ConnectionPool } from '../connection-pool.ts';
import type { StoreLogger } from '../store-options.ts';
import type { DatabaseProfile } from '../contract/store.ts';
import type { QueueName } from '../contract/jobs.ts';

interface BossParts {
  readonly pool: ConnectionPool;
  readonly profile: DatabaseProfile;
  readonly logger: StoreLogger;
  /** How often lost jobs are looked for. */
  readonly superviseSeconds: number;
}

/** What pg-boss keeps of a job. */
export interface JobData {
  readonly key: string;
}

const SCHEMA = 'patchbay_jobs';

const QUEUES: readonly QueueName[] = ['sync-connector', 'clear-connector'];

const LONGEST_RETRY_SECONDS = 30;

const QUEUE_OPTIONS = {
  // A job that its worker has not kept for so long is given to another one.
  heartbeatSeconds: 20,
  // As long as pg-boss allows: the heartbeat says earlier when a worker is gone.
  expireInSeconds: 86_400,
  // For ever, practically: nobody may be left to send a job that was given up.
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: LONGEST_RETRY_SECONDS,
  deleteAfterSeconds: 60,
} as const;

/**
 * A job that waits for longer than any is made to was sent, or failed, while the database's clock was
 * ahead: nothing of its key would run until that time comes.
 */
const MAKE_DUE = `
  update ${SCHEMA}.job set start_after = now()
  where name = $1 and singleton_key = $2 and state < 'active'
    and start_after > now() + ${2 * LONGEST_RETRY_SECONDS} * interval '1 second'
`;

/** We use no dependencies between jobs, yet pg-boss looks for them. */
const FLOW_SECONDS = 3_600;

/**
 * Starts pg-boss on connections of ours, in a schema of its own, which the first process makes;
 * several may start at once. It looks after its tables until stopped.
 */
export async function startBoss(parts: BossParts): Promise<PgBoss> {
  // Loaded here, since many a program that opens the store has no jobs.
  const { PgBoss } = await import('pg-boss');
  const { pool, profile, logger, superviseSeconds } = parts;
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.execute(text, values) },
    schema: SCHEMA,
    backend: profile.sharesOneSession ? 'pglite' : 'postgres',
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    maintenanceIntervalSeconds: 60,
    flowIntervalSeconds: FLOW_SECONDS,
    // On the embedded database, which vacuums by itself, these would only warn.
    reindex: !profile.sharesOneSession,
    monitorVacuum: !profile.sharesOneSession,
  });
  boss.on('error', (error) => {
    logger.warn({ err: error }, 'The job queue met an error.');
  });
  boss.on('warning', ({ message }) => {
    logger.warn({ warning: message }, 'The job queue gave a warning.');
  });
  try {
    await boss.start();
    for (const queue of QUEUES) await ensureQueue(boss, queue);
    if (profile.isExclusive)
      for (const queue of QUEUES) await sendOrphansAgain({ boss, pool }, queue);
    return boss;
  } catch (error) {
    await boss.stop({ close: false, graceful: false });
    throw error;
  }
}

/** What jobs are sent with. */
export interface JobSender {
  readonly boss: PgBoss;
  readonly pool: ConnectionPool;
}

/** Does nothing where a job of that key waits or runs. */
export async function sendJob(sender: JobSender, queue: QueueName, key: string): Promise<void> {
  const data: JobData = { key };
  const id = await sender.boss.send(queue, data, { singletonKey: key });
  if (id === null) await sender.pool.execute(MAKE_DUE, [queue, key]);
}

async function ensureQueue(boss: PgBoss, queue: QueueName): Promise<void> {
  // One job of a key, waiting or running. The policies that let one wait behind one that runs
  // would, at that job's turn, hold up all the others.
  await boss.createQueue(queue, { policy: 'exclusive', ...QUEUE_OPTIONS });
  await boss.updateQueue(queue, QUEUE_OPTIONS);
}

/** Nobody else can be at work on a database that this process has for itself. */
async function sendOrphansAgain(sender: JobSender, queue: QueueName): Promise<void> {
  const { boss } = sender;
  const jobs = await boss.findJobs<JobData>(queue);
  for (const job of jobs.filter(({ state }) => state === 'active')) {
    await boss.deleteJob(queue, job.id);
    await sendJob(sender, queue, job.data.key);
  }
}
