import { ConnectorError, type Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { CallDeadline } from '../operations/call-deadline.ts';
import type { Route } from './route.ts';
import { object } from './schemas.ts';

export interface SystemRouteParts {
  readonly store: Pick<Store, 'ping'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isClosing: () => boolean;
  /** Whether everything that the start of the service promises has been done. */
  readonly isPrepared: () => boolean;
}

/** Whoever asks wants to know it now: supervisors give up after a few seconds. */
const READY_WITHIN_MS = 1_500;

const STATE = object({ status: { type: 'string' } });

/** Whether the process lives, and whether it can work. */
export function systemRoutes(parts: SystemRouteParts): readonly Route[] {
  const { store, clock, logger, isClosing, isPrepared } = parts;
  const ping = shared(() => store.ping());
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
      doc: { summary: 'The service can work', tag: 'System', answer: STATE },
      handle: async () => {
        if (isClosing()) throw notReady('The service is going down.');
        if (!isPrepared()) throw notReady('The service is starting.');
        try {
          await new CallDeadline(clock, READY_WITHIN_MS).within(ping());
        } catch (err) {
          logger.warn({ err }, 'The database does not answer.');
          throw notReady('The database does not answer.', err);
        }
        return { status: 200, body: { status: 'ready' } };
      },
    },
  ];
}

/** Those who ask while one is under way wait for that one. */
function shared(ask: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  return () =>
    (underWay ??= ask().finally(() => {
      underWay = undefined;
    }));
}

function notReady(message: string, cause?: unknown): ConnectorError<'not_ready'> {
  return new ConnectorError('not_ready', { retryAfterSeconds: 1 }, { message, cause });
}
