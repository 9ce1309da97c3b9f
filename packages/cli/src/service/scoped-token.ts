import {
  ConnectorError,
  ERRORS,
  isJsonObject,
  type ErrorCode,
} from '@patchbay/connectors/definitions';
import type { Profile } from '../profile/profile-file.ts';

/** What a running service answers to `POST …/scoped-token`. */
export interface ScopedToken {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Asks a running service for a scoped token to print; for its own calls the client gets others.
 *
 * @throws ConnectorError what the service says; `not_ready` where none answers.
 * @see docs/wire.md#tokens
 */
export async function requestScopedToken(
  { baseUrl, clientId, clientSecret, externalUserId }: Profile,
  access: 'read' | 'write',
  signal: AbortSignal,
): Promise<ScopedToken> {
  const application = await post(baseUrl, {
    path: '/api/v1/account/applications/token',
    body: { client_id: clientId, client_secret: clientSecret },
    signal,
  });
  const { token, expires_in: expiresIn } = await post(baseUrl, {
    path: '/api/v1/account/applications/scoped-token',
    token: application['access_token'],
    body: { external_user_id: externalUserId, access },
    signal,
  });
  if (typeof token === 'string' && typeof expiresIn === 'number') return { token, expiresIn };
  throw notPatchbay(baseUrl);
}

interface Post {
  readonly path: string;
  readonly token?: unknown;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

async function post(baseUrl: string, { path, token, body, signal }: Post): Promise<JsonObject> {
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(typeof token === 'string' ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
    // Secrets go to the base URL only.
    redirect: 'manual',
    signal,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw unreachable(baseUrl, cause);
  });
  const answer: unknown = await response.json().catch(() => {
    signal.throwIfAborted();
    return undefined;
  });
  if (!isJsonObject(answer)) throw notPatchbay(baseUrl);
  if (response.ok) return answer;
  throw refusal(answer) ?? notPatchbay(baseUrl);
}

function refusal({ code, detail, retry }: JsonObject): ConnectorError | undefined {
  if (typeof code !== 'string' || !Object.hasOwn(ERRORS, code)) return undefined;
  // A key of the table, as just checked.
  const known = code as ErrorCode;
  return new ConnectorError(
    known,
    {},
    {
      ...(typeof detail === 'string' ? { message: detail } : {}),
      // Codes that may be repeated after a while say so here.
      ...(retry === 'after' ? { retry } : {}),
    },
  );
}

function unreachable(baseUrl: string, cause: unknown): ConnectorError {
  const message = `No service answers at ${baseUrl}.`;
  return new ConnectorError('not_ready', {}, { message, cause });
}

function notPatchbay(baseUrl: string): ConnectorError {
  const message = `What answers at ${baseUrl} is no Patchbay service.`;
  return new ConnectorError('route_not_found', {}, { message });
}
