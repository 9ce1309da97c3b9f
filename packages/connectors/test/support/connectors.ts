import assert from 'node:assert/strict';
import {
  createConnector,
  isConnectorError,
  type CallOptions,
  type Connector,
  type ConnectorError,
  type ConnectorOptions,
  type Kinds,
} from '@patchbay/connectors';

export type ChatWorkspace = Connector<Kinds['chat-workspace']>;
type Options = ConnectorOptions<Kinds['chat-workspace']>;

/** What no upstream knows, and no scanner takes for a token. */
export const CREDENTIALS = { api_token: 'opens-the-sandbox' } as const;

/** A connector whose base URL is a simulated upstream; it draws no jitter and keeps no budget. */
export function connectorFor(baseUrl: string, options: Partial<Options> = {}): ChatWorkspace {
  return createConnector('chat-workspace', {
    credentials: CREDENTIALS,
    baseUrl,
    upstreamLimits: 'reactive',
    random: () => 0,
    ...options,
  });
}

/** The error that a call must fail with. */
export async function errorOf(call: Promise<unknown>): Promise<ConnectorError> {
  const error: unknown = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason,
  );
  if (!isConnectorError(error)) throw error;
  return error;
}

/** `execute` by names that only the table of a test knows. */
export function untyped(
  connector: ChatWorkspace,
): (
  entity: string,
  action: string,
  params?: unknown,
  options?: CallOptions,
) => Promise<Readonly<Record<string, unknown>>> {
  // Proven: `execute` checks its arguments itself; its types only repeat the definition.
  return connector.execute as never;
}

/** Everything that a walk gives. */
export async function collect<T>(walk: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of walk) all.push(one);
  return all;
}
