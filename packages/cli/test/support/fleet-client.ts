import assert from 'node:assert/strict';
import { FLEET_CLIENT } from './fleet.ts';

type Json = Readonly<Record<string, unknown>>;

export interface FleetAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly body: Json;
}

export interface FleetRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty for none. */
  readonly token?: string;
}

export const CONNECTORS = '/v1/integrations/connectors';

/** Sends one request; whatever is answered is an answer. */
export async function send(
  url: string,
  { method, body, headers, token }: FleetRequest = {},
): Promise<FleetAnswer> {
  const answer = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  // Answers of this service are JSON objects.
  const parsed = isJson ? (JSON.parse(text) as Json) : {};
  return { status: answer.status, text, headers: answer.headers, body: parsed };
}

/** The token of the fleet's application. */
export async function logIn(base: string): Promise<string> {
  const { body } = await send(`${base}/api/v1/account/applications/token`, { body: FLEET_CLIENT });
  return String(body['access_token']);
}

/** Makes a connector of the sandbox's Slack; its id. */
export async function createSlack(
  base: string,
  token: string,
  apiToken = 'xoxb-test',
): Promise<string> {
  const { status, text, body } = await send(base + CONNECTORS, {
    token,
    body: {
      external_user_id: 'user-1',
      connector_type: 'chat-workspace',
      name: 'Team chat',
      credentials: { api_token: apiToken },
      replication_config: {
        start_date: '2026-01-01T00:00:00Z',
        lookback_window: 0,
        join_channels: false,
      },
    },
  });
  assert.equal(status, 201, text);
  return String(body['id']);
}

/** What the body of an execute has, and its connector. */
export interface FleetCall {
  readonly connectorId: string;
  readonly token: string;
  readonly call: Json;
  readonly key?: string;
}

export function execute(
  base: string,
  { connectorId, token, call, key }: FleetCall,
): Promise<FleetAnswer> {
  return send(`${base}/api/v1/connectors/sources/${connectorId}/execute`, {
    token,
    body: call,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });
}

/** The value at a path of members. */
export function memberAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined,
    value,
  );
}
