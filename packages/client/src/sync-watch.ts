import {
  ConnectorError,
  isConnectorError,
  isJsonObject,
  wait,
  type Clock,
} from '@patchbay/connectors/definitions';
import { parseEvents } from './event-stream.ts';
import type { ServiceClient } from './service-client.ts';
import { errorOfProblem, unexpectedAnswer } from './service-errors.ts';
import type { SyncStatus, WatchOptions } from './sync-status.ts';

/** The service sends something at least every 15 s, if only a comment. */
const IDLE_TIMEOUT_MS = 45_000;
const RECONNECT_AFTER_MS = 1_000;
/** After so many connections in a row that brought no event, watching fails. */
const MAX_SILENT_CONNECTIONS = 5;

interface WatchParts {
  readonly service: ServiceClient;
  readonly clock: Clock;
  /** Of the events, without a query. */
  readonly path: string;
  readonly options: WatchOptions;
}

/** Every change of the status of a connector's syncs, until the run has ended. */
export async function* watchSync(parts: WatchParts): AsyncGenerator<SyncStatus, void, undefined> {
  const { service, clock, options } = parts;
  const signal = options.signal ?? new AbortController().signal;
  let { runId } = options;
  for (let silent = 0; silent < MAX_SILENT_CONNECTIONS;) {
    const bytes = await service.fetchEvents(callOf(parts, runId), IDLE_TIMEOUT_MS);
    let isSilent = true;
    try {
      for await (const event of parseEvents(bytes)) {
        isSilent = false;
        // A new connection goes on with the run that the first one began with.
        runId = event.lastId ?? runId;
        if (event.type === 'end') return;
        if (event.type === 'problem') throw errorOfProblem(objectIn(event.data, service));
        if (event.type === 'progress') yield statusIn(event.data, service);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isWorthAnother(error)) throw error;
    }
    silent = isSilent ? silent + 1 : 0;
    await wait(clock, RECONNECT_AFTER_MS, signal);
  }
  throw new ConnectorError(
    'not_ready',
    {},
    {
      message: `${service.baseUrl} began to tell of the sync ${MAX_SILENT_CONNECTIONS} times, and told nothing. A proxy may hold back its events; ask for the status instead.`,
    },
  );
}

function callOf({ path, options }: WatchParts, runId: string | undefined) {
  const query = runId === undefined ? '' : `?run_id=${encodeURIComponent(runId)}`;
  return {
    request: {
      method: 'GET' as const,
      path: path + query,
      headers: { accept: 'text/event-stream' },
    },
    options,
  };
}

/** Whether to connect anew: broken connections, restarts and expired tokens do not end a run. */
function isWorthAnother(error: unknown): boolean {
  if (!isConnectorError(error)) return false;
  switch (error.code) {
    case 'upstream_unavailable':
    case 'upstream_timeout':
    case 'not_ready':
    case 'token_expired':
    case 'unauthenticated':
      return true;
    default:
      return false;
  }
}

/** A status, as the service documents it. */
export function statusOf(value: unknown, service: ServiceClient): SyncStatus {
  if (isJsonObject(value) && Array.isArray(value['entities']))
    // It has the members that docs/wire.md#events lists.
    return value as unknown as SyncStatus;
  throw unexpectedAnswer(service.baseUrl, 'the status of a sync');
}

function statusIn(data: string, service: ServiceClient): SyncStatus {
  return statusOf(objectIn(data, service), service);
}

function objectIn(data: string, service: ServiceClient): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data);
    if (isJsonObject(value)) return value;
  } catch {
    // What is no JSON is refused below, like JSON that is no object.
  }
  throw unexpectedAnswer(service.baseUrl, 'an event of a sync');
}
