import { ConnectorError, isConnectorError, isJsonObject } from '@patchbay/connectors/definitions';
import { isServiceAt } from './operator-service.ts';
import { parseJson, sendToService, type ServicePlace } from './service-request.ts';

/** What a service tells everybody of itself. What it does not tell is null: older ones tell less. */
export interface ServiceState {
  /** A Patchbay service answers there. */
  readonly reachable: boolean;
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly error: ConnectorError | undefined;
  readonly version: string | null;
  /** What the process that answered does. */
  readonly role: string | null;
  readonly database: string | null;
  /** Processes that copy records. */
  readonly workers: number | null;
  readonly warnings: readonly string[];
}

const WITHIN_MS = 5_000;

/** @see docs/wire.md#health */
export async function readServiceState({
  baseUrl,
  signal,
}: Pick<ServicePlace, 'baseUrl' | 'signal'>): Promise<ServiceState> {
  try {
    const place = { baseUrl, signal, timeoutMs: WITHIN_MS };
    const answer = parseJson(await sendToService({ method: 'GET', path: '/readyz' }, place));
    if (isJsonObject(answer) && answer['status'] === 'ready') return readyState(answer);
    const message = `${baseUrl} does not answer as a Patchbay service does.`;
    throw new ConnectorError('route_not_found', {}, { message });
  } catch (error) {
    if (!isConnectorError(error)) throw error;
    return { ...UNKNOWN, reachable: await isServiceAt(baseUrl, signal), ready: false, error };
  }
}

const UNKNOWN = { version: null, role: null, database: null, workers: null, warnings: [] };

function readyState(answer: Readonly<Record<string, unknown>>): ServiceState {
  const { version, role, database, workers, warnings } = answer;
  return {
    reachable: true,
    ready: true,
    error: undefined,
    version: textOrNull(version),
    role: textOrNull(role),
    database: textOrNull(database),
    workers: typeof workers === 'number' ? workers : null,
    warnings: Array.isArray(warnings) ? warnings.flatMap(messageOf) : [],
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function messageOf(warning: unknown): readonly string[] {
  const message = isJsonObject(warning) ? warning['message'] : undefined;
  return typeof message === 'string' ? [message] : [];
}
