import type { CheckedCredentials } from '../execution/credentials.ts';
import type { ConnectorKind, Grant } from '../vocabulary/index.ts';
import {
  askForTokens,
  type FailedRequest,
  type OAuthUpstream,
  type Tokens,
} from './ask-for-tokens.ts';

/** The app that credentials were issued to. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** How credentials are renewed without a person. */
export type RenewalGrant = Exclude<Grant, 'authorization_code'>;

/** What came of a renewal. */
export type RenewalOutcome =
  | { readonly outcome: 'renewed'; readonly credentials: CheckedCredentials }
  /** Only a person can help: the grant is dead, or the client of the credentials' own is none. */
  | { readonly outcome: 'refused'; readonly what: 'grant' | 'client'; readonly reason: string }
  | FailedRequest;

/** Credentials whose renewal is asked for, and the app they belong to where they do not say it. */
export interface Renewable {
  readonly credentials: CheckedCredentials;
  readonly client?: OAuthClient | undefined;
}

/** The grant that can renew credentials; `undefined` where a person has to. */
export function renewalGrantOf(
  kind: ConnectorKind,
  renewable: Renewable,
): RenewalGrant | undefined {
  const { method, values } = renewable.credentials;
  const grants = kind.auth[method]?.grants ?? [];
  if (clientOf(renewable) === undefined) return undefined;
  if (grants.includes('client_credentials')) return 'client_credentials';
  return grants.includes('refresh_token') && values['refresh_token'] !== undefined
    ? 'refresh_token'
    : undefined;
}

/**
 * Asks once for new tokens in place of those that credentials have.
 *
 * @throws the signal's reason when it aborts.
 */
export async function renew(
  upstream: OAuthUpstream,
  renewable: Renewable,
  signal: AbortSignal,
): Promise<RenewalOutcome> {
  const { credentials } = renewable;
  const answer = await askForTokens(upstream, renewalFields(upstream.kind, renewable), signal);
  if (answer.outcome === 'failed') return answer;
  if (answer.outcome === 'refused') {
    const { what, reason } = answer;
    // An app that is not the credentials' own is for its operator to mend.
    return what === 'grant' || isOwnClient(renewable)
      ? { outcome: 'refused', what, reason }
      : { outcome: 'failed', reason, mayHaveHappened: false };
  }
  const issued = withTokens(credentials, answer.tokens, upstream.clock.now());
  return { outcome: 'renewed', credentials: issued };
}

function renewalFields(kind: ConnectorKind, renewable: Renewable): Record<string, string> {
  const { values } = renewable.credentials;
  const grant = renewalGrantOf(kind, renewable);
  const client = clientOf(renewable);
  if (grant === undefined || client === undefined)
    throw new Error(`these credentials of ${kind.kind} cannot be renewed`);
  const scopes = kind.oauth?.consent.scopes;
  return {
    grant_type: grant,
    client_id: client.clientId,
    client_secret: client.clientSecret,
    ...(grant === 'refresh_token'
      ? { refresh_token: values['refresh_token'] ?? '' }
      : { scope: scopes?.default.join(scopes.separator) ?? '' }),
  };
}

/**
 * What credentials were issued to is what may renew them: an app of another id never may. That of the same id
 * may have another secret by now.
 */
function clientOf({ credentials, client }: Renewable): OAuthClient | undefined {
  const { client_id: clientId, client_secret: clientSecret } = credentials.values;
  if (clientId === undefined || clientId === client?.clientId) return client;
  return clientSecret === undefined ? undefined : { clientId, clientSecret };
}

/** Whether the client is known by the credentials alone. */
function isOwnClient(renewable: Renewable): boolean {
  return clientOf(renewable) !== renewable.client;
}

/**
 * The client id of the app that is to be looked up before credentials are renewed; `undefined` where
 * there is nothing to renew, or they do not say whose they are.
 */
export function appIdOf(
  kind: ConnectorKind,
  { method, values }: CheckedCredentials,
): string | undefined {
  const isRenewed = kind.auth[method]?.grants?.includes('refresh_token') === true;
  return isRenewed && values['refresh_token'] !== undefined ? values['client_id'] : undefined;
}

/** Whether credentials can be renewed without a person, by themselves or with the app that they name. */
export function isRenewable(kind: ConnectorKind, credentials: CheckedCredentials): boolean {
  return (
    renewalGrantOf(kind, { credentials }) !== undefined || appIdOf(kind, credentials) !== undefined
  );
}

/** Credentials with other tokens in them. */
export function withTokens(
  { method, values }: CheckedCredentials,
  { accessToken, refreshToken, expiresIn }: Tokens,
  nowMs: number,
): CheckedCredentials {
  const { expires_at: _, ...kept } = values;
  return {
    method,
    values: {
      ...kept,
      access_token: accessToken,
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(expiresIn === undefined
        ? {}
        : { expires_at: new Date(nowMs + expiresIn * 1000).toISOString() }),
    },
  };
}

/** Before its end, a token is renewed by a fifth of its life, and at most by so much. */
const MAX_AHEAD_MS = 5 * 60_000;
/** Connectors that were made in one minute need not be renewed in one. */
const JITTER = 0.5;

/** When an access token ends, and from when on it is renewed, in milliseconds since 1970. */
export interface TokenLife {
  readonly endsAt: number;
  readonly dueAt: number;
}

/**
 * The life of the access token in credentials that were given or issued now.
 *
 * @param random A number from 0 to 1, for the jitter.
 * @returns `undefined` where nothing is known of its end.
 */
export function tokenLifeOf(
  kind: ConnectorKind,
  { method, values }: CheckedCredentials,
  { nowMs, random }: { readonly nowMs: number; readonly random: number },
): TokenLife | undefined {
  const use = kind.auth[method]?.use;
  // Nothing has been issued yet.
  if (use?.scheme === 'bearer' && values[use.token] === undefined)
    return { endsAt: nowMs, dueAt: nowMs };
  const { expires_at: expiresAt } = values;
  if (expiresAt === undefined) return undefined;
  const endsAt = Date.parse(expiresAt);
  const aheadMs = Math.min(MAX_AHEAD_MS, Math.max(0, endsAt - nowMs) / 5);
  return { endsAt, dueAt: endsAt - aheadMs * (1 - JITTER * random) };
}
