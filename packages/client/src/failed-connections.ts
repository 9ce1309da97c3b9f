import { GLOBALS } from './globals.ts';

/** What is said on a channel of `node:diagnostics_channel`. */
interface DiagnosticsChannel {
  subscribe(name: string, listen: (message: unknown) => void): void;
}

const failed = new WeakSet();
let isListening = false;

/**
 * Begins to note the errors with which Node's `fetch` makes no connection, once for all: whoever sends
 * calls it before. Elsewhere than in Node nobody tells of them.
 *
 * Their codes would not do, those of TLS above all: a server may ask for another handshake, and fail it,
 * when it has had the request. Which error came of connecting only undici knows, below `fetch`.
 *
 * @see https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
 */
export function noteFailedConnections(): void {
  if (isListening) return;
  isListening = true;
  // The module of that name has the function. Where `process` is missing or imitated, there is none.
  const channels = GLOBALS.process?.getBuiltinModule?.('diagnostics_channel') as
    DiagnosticsChannel | undefined;
  channels?.subscribe('undici:client:connectError', (message) => {
    const error = isObject(message) && 'error' in message ? message.error : undefined;
    if (isObject(error)) failed.add(error);
  });
}

/** Whether the error is the one with which a connection did not come about: nothing was sent on it. */
export function isFailedConnection(error: object): boolean {
  return failed.has(error);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
