import { ConnectorError, type Clock, type Warning } from '@patchbay/connectors';
import { Readiness } from '@patchbay/connectors/wire';
import type { Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { CallDeadline } from '../operations/call-deadline.ts';
import { lookForWorkers } from '../operations/no-worker.ts';
import type { Route } from './route.ts';
import { object } from './schemas.ts';

export interface SystemRouteParts {
  readonly store: Pick<Store, 'ping' | 'instances' | 'profile'>;
  readonly version: string;
  readonly role: Readiness['role'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isClosing: () => boolean;
  /** Whether everything that the start of the service promises has been done. */
  readonly isPrepared: () => boolean;
  /** What is wrong with the process, though it can work. */
  readonly warnings: () => readonly Warning[];
}

/** Whoever asks wants to know it now: supervisors give up after a few seconds. */
const READY_WITHIN_MS = 1_500;

const STATE = object({ status: { type: 'string' } });

/** Whether the service can work, and if not, why. */
export type ServiceState =
  | { readonly isReady: true; readonly readiness: Readiness }
  | { readonly isReady: false; readonly problem: string; readonly cause?: unknown };

/** Asks for the state of the service; an answer comes within 1.5 s. */
export function serviceState(parts: SystemRouteParts): () => Promise<ServiceState> {
  const { clock, logger, isClosing, isPrepared } = parts;
  const look = shared(() => lookAround(parts));
  return async () => {
    if (isClosing()) return { isReady: false, problem: 'The service is going down.' };
    if (!isPrepared()) return { isReady: false, problem: 'The service is starting.' };
    try {
      const readiness = await new CallDeadline(clock, READY_WITHIN_MS).within(look());
      return { isReady: true, readiness };
    } catch (err) {
      logger.warn({ err }, 'The database does not answer.');
      return { isReady: false, problem: 'The database does not answer.', cause: err };
    }
  };
}

/** Whether the process lives, and whether it can work. */
export function systemRoutes(state: () => Promise<ServiceState>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      reach: 'public',
      doc: { summary: 'The process lives', tag: 'System', answer: STATE },
      handle: () => ({ status: 200, body: { status: 'ok' } }),
    },
    {
      method: 'GET',
      path: '/readyz',
      reach: 'public',
      doc: { summary: 'The service can work', tag: 'System', answer: Readiness },
      handle: async () => {
        const found = await state();
        if (!found.isReady) throw notReady(found.problem, found.cause);
        return { status: 200, body: found.readiness };
      },
    },
  ];
}

const DATABASES = {
  'embedded PGlite': 'embedded',
  PostgreSQL: 'postgresql',
} as const satisfies Record<Store['profile']['name'], Readiness['database']>;

/** What can be told once the database has answered. */
async function lookAround(parts: SystemRouteParts): Promise<Readiness> {
  const { store, version, role } = parts;
  await store.ping();
  const { workers, warnings } = await lookForWorkers(store);
  return {
    status: 'ready',
    version,
    role,
    database: DATABASES[store.profile.name],
    workers,
    warnings: [...warnings, ...parts.warnings()],
  };
}

/** Those who ask while one is under way wait for that one. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= ask().finally(() => {
      underWay = undefined;
    }));
}

function notReady(message: string, cause?: unknown): ConnectorError<'not_ready'> {
  return new ConnectorError('not_ready', { retryAfterSeconds: 1 }, { message, cause });
}
