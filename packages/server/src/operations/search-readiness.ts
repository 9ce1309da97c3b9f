import {
  ConnectorError,
  isConnectorError,
  type Retry,
  type SearchCause,
} from '@patchbay/connectors';
import type { EntitySync } from '@patchbay/store';
import { explainConfigRequired } from './config-required.ts';
import type { LiveConnector } from './live-connector.ts';

/** What is told of a copy that cannot be searched yet. */
interface Unreadiness {
  readonly cause: SearchCause;
  readonly retry: Retry;
  /** When to ask again, in seconds. */
  readonly retryAfterSeconds?: number;
  readonly message: string;
  readonly patch?: string;
}

/** First pages take a second or two; whatever waits for a person or a schedule takes longer. */
const SOON_SECONDS = 2;
const LATER_SECONDS = 60;

/**
 * Lets a copy pass that has at least one committed page, whatever became of its connector since.
 *
 * @param countWorkers How many processes copy records; asked only where there is no page.
 * @throws `search_not_ready` with the cause, and the retry class that goes with it.
 * @see docs/errors.md#retry-of-search_not_ready
 */
export async function requireReady(
  live: LiveConnector,
  sync: EntitySync,
  countWorkers: () => Promise<number>,
): Promise<void> {
  if (sync.hasPage) return;
  const hasWorker = (await countWorkers()) > 0;
  const { cause, retry, message, ...rest } = whyNot(live, sync, hasWorker);
  const { problem } = sync;
  throw new ConnectorError(
    'search_not_ready',
    {
      entity: sync.entity,
      action: 'search',
      cause,
      ...(problem === null ? {} : { problem: { code: problem.code, message: problem.message } }),
      ...rest,
    },
    { message: `No ${sync.entity} of this connector can be searched yet: ${message}`, retry },
  );
}

/** What only a person can mend comes first: waiting would not help. */
function whyNot(
  live: LiveConnector,
  { state, isForbidden, problem }: EntitySync,
  hasWorker: boolean,
): Unreadiness {
  const { row } = live;
  if (isForbidden)
    return {
      cause: 'forbidden',
      retry: 'never',
      message: 'the credentials may not read them upstream.',
    };
  if (row.state === 'reauth_required')
    return {
      cause: 'reauth_required',
      retry: 'reauth',
      message: 'the upstream refused the credentials; PATCH new credentials, or let a check pass.',
    };
  const config = missingConfigOf(live);
  if (config !== undefined) return config;
  if (row.isPaused)
    return {
      cause: 'paused',
      retry: 'after',
      retryAfterSeconds: LATER_SECONDS,
      message: `their copying is paused; use list or get meanwhile, or resume it: PATCH /v1/integrations/connectors/${row.id} {"paused":false}`,
    };
  if (!hasWorker)
    return {
      cause: 'no_worker',
      retry: 'after',
      retryAfterSeconds: LATER_SECONDS,
      message:
        'no process copies records, since none with the role "all" or "worker" (PATCHBAY_ROLE) runs on the database of this service; GET /readyz says how many there are. Use list or get meanwhile.',
    };
  if (state === 'failed')
    return {
      cause: 'failed',
      retry: 'after',
      retryAfterSeconds: LATER_SECONDS,
      message: `reading them failed, and will be repeated. ${problem?.message ?? ''}`.trimEnd(),
    };
  const isReading = state === 'syncing';
  return {
    cause: isReading ? 'first_read' : 'not_started',
    retry: 'after',
    retryAfterSeconds: SOON_SECONDS,
    message: isReading
      ? 'their first page is being read; use list or get meanwhile.'
      : 'the first sync has not come to them; use list or get meanwhile.',
  };
}

function missingConfigOf({ engine, row }: LiveConnector): Unreadiness | undefined {
  try {
    engine.requireConfig();
    return undefined;
  } catch (error) {
    const explained = explainConfigRequired(error, row.id);
    if (!isConnectorError(explained, 'config_required')) throw explained;
    const { patch } = explained.details;
    return {
      cause: 'config_required',
      retry: 'never',
      message: explained.message,
      ...(patch === undefined ? {} : { patch }),
    };
  }
}
