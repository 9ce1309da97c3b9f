import type { FastifyInstance } from 'fastify';
import { flushLog, type Logger } from '../log.ts';
import type { ActiveCalls } from '../operations/active-calls.ts';

/** With what comes after it, a shutdown takes less than the 10 s that most supervisors grant. */
export const SHUTDOWN_GRACE_MS = 5_500;
/** What an aborted call still needs to store and send its answer. */
const ABORT_GRACE_MS = 750;
/** To sign off, and to write out the log. */
export const FAREWELL_MS = 500;

/** Something that a shutdown waits for, and how long. */
export interface Ending {
  /** What the service would close without. */
  readonly what: string;
  /** As long as calls have, unless said. */
  readonly withinMs?: number;
  readonly end: () => Promise<unknown> | undefined;
}

interface ShutdownPlan {
  readonly app: FastifyInstance;
  readonly activeCalls: ActiveCalls;
  readonly logger: Logger;
  /** How long calls under way are waited for before they are aborted. */
  readonly graceMs: number;
  /** All begin at once, with the end of the calls. */
  readonly work: readonly Ending[];
  /** What must see the end of those: one after another. */
  readonly farewells: readonly Ending[];
}

/** Ends a service in a bounded time; what does not end, or fails to, is left behind, and said so. */
export async function shutDown(plan: ShutdownPlan): Promise<void> {
  const { logger, graceMs, work, farewells } = plan;
  const longestMs = graceMs + ABORT_GRACE_MS + FAREWELL_MS;
  const finish = async ({ what, withinMs = longestMs, end }: Ending) => {
    const without = `The service closed without ${what}.`;
    try {
      const ended = end();
      if (ended !== undefined && !(await endsWithin(withinMs, ended))) logger.warn({}, without);
    } catch (err) {
      logger.warn({ err }, without);
    }
  };
  const calls: Ending = { what: 'the end of some calls', end: () => endCalls(plan) };
  await Promise.all([calls, ...work].map(finish));
  for (const farewell of farewells) await finish(farewell);
  await endsWithin(FAREWELL_MS, flushLog(logger));
}

async function endCalls({ app, activeCalls, graceMs }: ShutdownPlan): Promise<void> {
  const abort = setTimeout(() => activeCalls.abortAll(), graceMs);
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs + ABORT_GRACE_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(abort);
    clearTimeout(cut);
  }
}

/** Whether it ends in time; what does not is left alone. */
async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
