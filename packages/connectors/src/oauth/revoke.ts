import { valueAt } from '../execution/body-path.ts';
import { fillBaseUrl, missingConfig } from '../execution/check-settings.ts';
import { authorizationOf, type CheckedCredentials } from '../execution/credentials.ts';
import { parseJson, retryAfterMsOf, upstreamErrorIn } from '../execution/judge.ts';
import type { Secret } from '../execution/secret.ts';
import {
  baseOf,
  defaultDispatcher,
  send,
  type UpstreamBase,
  type UpstreamResponse,
} from '../execution/transport.ts';
import type { ConnectorKind, RequestLine, Revocation, TokenLookup } from '../vocabulary/index.ts';
import {
  FAILURES,
  MAX_SAID,
  TOKEN_TIMEOUT_MS,
  transportFailureOf,
  type OAuthUpstream,
} from './ask-for-tokens.ts';

/** What came of asking for a revocation. Reasons are for people and hold no secret. */
export type RevocationOutcome =
  | { readonly outcome: 'revoked' }
  /** The upstream takes the token for none of its own: it has expired, or was revoked already. */
  | { readonly outcome: 'dead'; readonly reason: string }
  /** It lives on, and asking again would not change that. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Trouble that may pass. */
  | {
      readonly outcome: 'failed';
      readonly reason: string;
      /** What the upstream asked for, in milliseconds. */
      readonly retryAfterMs?: number | undefined;
    };

/** Where a request goes, and what signs it. */
interface Signed {
  readonly upstream: OAuthUpstream;
  readonly base: UpstreamBase;
  readonly authorization: Secret;
  readonly signal: AbortSignal;
}

/** A request that went well, or what came of it instead. */
type Step =
  { readonly outcome: 'done'; readonly body: unknown } | Exclude<RevocationOutcome, Revoked>;
type Revoked = { readonly outcome: 'revoked' };

/**
 * Whether credentials are to be revoked when nobody needs them any more.
 *
 * @param isConsented A person's consent gave them to us; nobody typed them in.
 */
export function isRevocable(
  kind: ConnectorKind,
  method: string,
  { isConsented }: { readonly isConsented: boolean },
): boolean {
  const { revoked } = kind.auth[method] ?? {};
  return revoked === 'all' || (revoked === 'consented' && isConsented);
}

/**
 * Asks the upstream once to revoke the access token of credentials. Repeats nothing, and throws nothing
 * that the upstream or the network did.
 *
 * @throws the signal's reason when it aborts.
 */
export async function revoke(
  upstream: OAuthUpstream,
  credentials: CheckedCredentials,
  signal: AbortSignal,
): Promise<RevocationOutcome> {
  const { kind, config, baseUrl = kind.baseUrl } = upstream;
  const revocation = revocationOf(kind);
  const token = accessTokenOf(kind, credentials);
  if (token === undefined) return { outcome: 'dead', reason: 'There is no access token.' };
  if (missingConfig(kind, baseUrl, config).length > 0)
    return { outcome: 'refused', reason: `Nothing says where ${kind.displayName} is.` };
  const authorization = authorizationOf(kind, credentials);
  const base = baseOf(fillBaseUrl(kind, baseUrl, config));
  const signed = { upstream, base, authorization, signal };
  const outcome = await revokeSigned(signed, revocation, token);
  if (outcome.outcome === 'revoked') return outcome;
  return { ...outcome, reason: authorization.redact(outcome.reason).slice(0, MAX_SAID) };
}

/** @throws Error for a kind without one: none of its methods are revoked. */
export function revocationOf({ kind, oauth }: ConnectorKind): Revocation {
  if (oauth?.revocation === undefined) throw new Error(`${kind} has no way to revoke tokens`);
  return oauth.revocation;
}

/**
 * The token that goes out as it is; none of what signs in another way, and of a client that gets its tokens by itself
 * until one is issued.
 */
export function accessTokenOf(
  kind: ConnectorKind,
  { method, values }: CheckedCredentials,
): string | undefined {
  const use = kind.auth[method]?.use;
  const token = use?.scheme === 'bearer' ? values[use.token] : undefined;
  return token === '' ? undefined : token;
}

async function revokeSigned(
  signed: Signed,
  { lookup, request, confirmedBy }: Revocation,
  token: string,
): Promise<RevocationOutcome> {
  const { kind } = signed.upstream;
  let line = request;
  if (lookup !== undefined) {
    const found = await ask(signed, lookup.request);
    if (found.outcome !== 'done') return found;
    const id = idIn(found.body, lookup, token);
    if (id === undefined)
      return { outcome: 'refused', reason: `${kind.displayName} does not tell the token's id.` };
    // The id fits into a path, so what it is put into stays a request line.
    line = request.replace('{id}', id) as RequestLine;
  }
  const asked = await ask(signed, line);
  if (asked.outcome !== 'done') return asked;
  if (confirmedBy !== undefined && valueAt(asked.body, confirmedBy) !== true)
    return { outcome: 'refused', reason: `${kind.displayName} does not say that it is revoked.` };
  return { outcome: 'revoked' };
}

async function ask(signed: Signed, line: RequestLine): Promise<Step> {
  const { upstream, base, authorization, signal } = signed;
  const { kind, dispatcher, clock } = upstream;
  const [method = '', path = ''] = line.split(' ');
  const timeout = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
  try {
    const response = await send(
      dispatcher ?? defaultDispatcher(),
      // A request line begins with a method.
      { method: method as 'GET' | 'POST' | 'DELETE', path, body: undefined },
      {
        base,
        headers: {
          ...kind.headers,
          accept: 'application/json',
          authorization: authorization.reveal(),
        },
        timeoutMs: TOKEN_TIMEOUT_MS,
        signal: AbortSignal.any([signal, timeout]),
      },
    );
    return judge(kind, response, clock.now());
  } catch (error) {
    const isLate = timeout.aborted && !signal.aborted;
    const failure = isLate ? 'timeout' : transportFailureOf(error);
    if (failure === undefined) throw error;
    return { outcome: 'failed', reason: `${kind.displayName} ${FAILURES[failure]}.` };
  }
}

/** What an answer means for a token that is to go, by the error codes of the kind. */
function judge(kind: ConnectorKind, response: UpstreamResponse, nowMs: number): Step {
  const { status } = response;
  const body = parseJson(response.body);
  const { succeededWhen } = kind.errors;
  const isSuccess = status >= 200 && status < 300;
  const said = upstreamErrorIn(kind, body);
  if (
    isSuccess &&
    (succeededWhen === undefined || valueAt(body, succeededWhen.path) === succeededWhen.equals)
  )
    return { outcome: 'done', body };
  const reason = `${kind.displayName} did not revoke the token: ${said?.code ?? `HTTP ${status}`}.`;
  if (status === 401 || said?.meaning === 'credentials_rejected')
    return { outcome: 'dead', reason };
  const mayPass =
    status === 408 ||
    status === 429 ||
    status >= 500 ||
    said?.meaning === 'upstream_rate_limited' ||
    said?.meaning === 'upstream_unavailable' ||
    // A page, or a way on, where an answer of the API should be.
    (status < 400 && said === undefined);
  return mayPass
    ? { outcome: 'failed', reason, retryAfterMs: retryAfterMsOf(response, nowMs) }
    : { outcome: 'refused', reason };
}

function idIn(body: unknown, lookup: TokenLookup, token: string): string | undefined {
  if (lookup.by === 'signature') return idAt(body, lookup.id);
  const records = valueAt(body, lookup.records);
  if (!Array.isArray(records)) return undefined;
  return idAt(
    records.find((record) => valueAt(record, lookup.token) === token),
    lookup.id,
  );
}

/** An id that can stand in a path as it is. */
function idAt(record: unknown, path: string): string | undefined {
  const value = valueAt(record, path);
  const id = typeof value === 'number' ? String(value) : value;
  return typeof id === 'string' && /^[\w-]+$/.test(id) ? id : undefined;
}
