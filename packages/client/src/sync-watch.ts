import {
  ConnectorError,
  isConnectorError,
  wait,
  type Clock,
  type ErrorCode,
} from '@patchbay/connectors/definitions';
import {
  errorOfProblem,
  Problem,
  SyncStatus,
  type Schema,
  type Wire,
} from '@patchbay/connectors/wire';
import { checkOptionsOfCall } from './call-options.ts';
import { parseEvents, type ServerEvent } from './event-stream.ts';
import type { ServiceClient } from './service-client.ts';
import { requireShape } from './service-errors.ts';
import type { WatchOptions } from './sync-status.ts';

/** The service sends something at least every 15 s, if only a comment. */
const IDLE_TIMEOUT_MS = 45_000;
const RECONNECT_AFTER_MS = 1_000;
/** After so many connections in a row that brought no news, watching fails. */
const MAX_SILENT_CONNECTIONS = 5;

/** Broken connections, restarts and expired tokens do not end a run: it is worth to connect anew. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'upstream_unavailable',
  'upstream_timeout',
  'not_ready',
  'token_expired',
  'unauthenticated',
]);

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
  checkOptionsOfCall(options, { runId: true });
  const signal = options.signal ?? new AbortController().signal;
  let { runId } = options;
  // Before the first connection it is as if there had been none for ever.
  let lostAt: number | undefined = -Infinity;
  for (let silent = 0; ;) {
    let trouble: unknown;
    silent++;
    try {
      const bytes = await service.fetchEvents(callOf(parts, runId), IDLE_TIMEOUT_MS);
      lostAt = undefined;
      for await (const event of parseEvents(bytes)) {
        // A new connection goes on with the run that the first one began with.
        runId ??= event.lastId;
        if (event.type === 'end') return;
        if (event.type === 'problem') throw errorOfProblem(dataOf(Problem, event, service.baseUrl));
        silent = 0;
        if (event.type === 'progress') yield dataOf(SyncStatus, event, service.baseUrl);
      }
    } catch (error) {
      signal.throwIfAborted();
      lostAt ??= clock.monotonic();
      const isAwayForLong = clock.monotonic() - lostAt >= (options.timeoutMs ?? Infinity);
      if (isAwayForLong || !isConnectorError(error) || !PASSING.has(error.code)) throw error;
      trouble = error;
    }
    if (silent === MAX_SILENT_CONNECTIONS) throw trouble ?? toldNothing(service.baseUrl);
    await wait(clock, RECONNECT_AFTER_MS, signal);
  }
}

function toldNothing(baseUrl: string): ConnectorError {
  const message = `${baseUrl} told nothing of the sync, ${MAX_SILENT_CONNECTIONS} times: a proxy may hold its events back.`;
  return new ConnectorError('not_ready', {}, { message });
}

function callOf({ path, options }: WatchParts, runId: string | undefined) {
  const query = runId === undefined ? '' : `?run_id=${encodeURIComponent(runId)}`;
  return {
    request: {
      method: 'GET' as const,
      path: path + query,
      headers: { accept: 'text/event-stream' },
    },
    options: { signal: options.signal, timeoutMs: options.timeoutMs },
  };
}

/** The data of an event, of the shape that the service documents. */
function dataOf<S extends Schema>(schema: S, { data }: ServerEvent, baseUrl: string): Wire<S> {
  return requireShape(schema, parse(data), { baseUrl, what: 'an event of a sync' });
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
