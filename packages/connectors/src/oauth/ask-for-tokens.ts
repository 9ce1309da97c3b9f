import type { Dispatcher } from 'undici';
import { valueAt } from '../execution/body-path.ts';
import type { Clock } from '../execution/clock.ts';
import { parseJson, retryAfterMsOf } from '../execution/judge.ts';
import { HEADER_SAFE, MAX_CREDENTIAL } from '../execution/credentials.ts';
import { Secret } from '../execution/secret.ts';
import {
  defaultDispatcher,
  send,
  TransportError,
  type TransportFailure,
  type UpstreamResponse,
} from '../execution/transport.ts';
import { asNumber } from '../scalars.ts';
import type { ConnectorKind, TokenEndpoint } from '../vocabulary/index.ts';
import { oauthBase, type OAuthSite } from './oauth-address.ts';

/** How an authorization server is reached. */
export interface OAuthUpstream extends OAuthSite {
  /** The one that the calls of connectors share, unless said. */
  readonly dispatcher?: Dispatcher | undefined;
  readonly clock: Clock;
}

/** Tokens as an authorization server gave them. */
export interface Tokens {
  readonly accessToken: string;
  /** Absent where the one that was sent stays good, or where there is none. */
  readonly refreshToken: string | undefined;
  /** Seconds from now; absent where the server says nothing of an end. */
  readonly expiresIn: number | undefined;
  /** The whole answer, which may say whose they are. */
  readonly body: unknown;
}

/** What came of asking for tokens. Reasons are for people and hold no secret. */
export type TokenAnswer =
  | { readonly outcome: 'issued'; readonly tokens: Tokens }
  /** The grant is dead for good, or the client is none. */
  | { readonly outcome: 'refused'; readonly what: 'grant' | 'client'; readonly reason: string }
  | FailedRequest;

/** Trouble that may pass. */
export interface FailedRequest {
  readonly outcome: 'failed';
  readonly reason: string;
  /** Tokens may have been issued all the same, in an answer that was lost. */
  readonly mayHaveHappened: boolean;
  /** What the server asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** In seconds: a server that means "never" may name an end that no date has, and one that is over at once would be asked with each call. */
const LONGEST_LIFE = 10 * 365 * 86_400;
const SHORTEST_LIFE = 1;

/** A token endpoint that takes longer is given up. */
export const TOKEN_TIMEOUT_MS = 10_000;

/** Form fields of token requests that must not be told. */
const SECRET_FIELDS = ['client_secret', 'code', 'code_verifier', 'refresh_token'];

/**
 * Asks the token endpoint of a kind once. Repeats nothing and throws nothing that the server or the
 * network did; `fields` has the grant and what it needs.
 *
 * @throws the signal's reason when it aborts.
 */
export async function askForTokens(
  upstream: OAuthUpstream,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const { kind, dispatcher, clock } = upstream;
  const endpoint = tokenEndpointOf(kind);
  const isForm = endpoint.body === 'form';
  const body = isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields);
  const contentType = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const secrets = new Secret(
    '',
    SECRET_FIELDS.flatMap((name) => fields[name] ?? []),
  );
  const timeout = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
  let hasBegun = false;
  try {
    const response = await send(
      dispatcher ?? defaultDispatcher(),
      { method: 'POST', path: '', body },
      {
        base: oauthBase(upstream, endpoint.address),
        headers: { accept: 'application/json', 'content-type': contentType },
        timeoutMs: TOKEN_TIMEOUT_MS,
        signal: AbortSignal.any([signal, timeout]),
        onBegun: () => {
          hasBegun = true;
        },
      },
    );
    return withoutSecrets(judge(kind, response, clock.now()), secrets);
  } catch (error) {
    const isLate = timeout.aborted && !signal.aborted;
    const failure = isLate ? lateFailure(hasBegun) : transportFailureOf(error);
    if (failure === undefined) throw error;
    return {
      outcome: 'failed',
      reason: `The token endpoint of ${kind.displayName} ${FAILURES[failure]}.`,
      mayHaveHappened: failure !== 'unreachable' && failure !== 'unsent',
    };
  }
}

function lateFailure(hasBegun: boolean): TransportFailure {
  return hasBegun ? 'timeout' : 'unsent';
}

/** Why no answer came; `undefined` for errors of other kinds. */
export function transportFailureOf(error: unknown): TransportFailure | undefined {
  return error instanceof TransportError ? error.failure : undefined;
}

/** What each failure of a request to an authorization server is, in words. */
export const FAILURES: Readonly<Record<TransportFailure, string>> = {
  unreachable: 'cannot be reached',
  unsent: 'has no free connection',
  timeout: 'did not answer in time',
  cut: 'broke the connection off',
  too_large: 'sent an answer that is too large',
};

/** @throws Error for a kind without an authorization server: its methods have no grants. */
function tokenEndpointOf({ kind, oauth }: ConnectorKind): TokenEndpoint {
  if (oauth === undefined) throw new Error(`${kind} has no authorization server`);
  return oauth.token;
}

function judge(kind: ConnectorKind, response: UpstreamResponse, nowMs: number): TokenAnswer {
  const { status } = response;
  const body = parseJson(response.body);
  const { error, errorMessage, deadGrants, wrongClients } = tokenEndpointOf(kind);
  const code = textAt(body, error);
  const isSuccess = status >= 200 && status < 300 && code === undefined;
  const tokens = isSuccess ? tokensIn(kind, body) : undefined;
  if (tokens !== undefined)
    return isUsable(tokens.accessToken) && isUsable(tokens.refreshToken ?? 'none')
      ? { outcome: 'issued', tokens }
      : {
          outcome: 'failed',
          reason: `${kind.displayName} gave a token that no header can hold`,
          mayHaveHappened: true,
        };
  const sentence = errorMessage === undefined ? undefined : textAt(body, errorMessage);
  const said = [code ?? `HTTP ${status}`, ...(sentence === undefined ? [] : [sentence])].join(': ');
  const reason = `${kind.displayName} gave no token: ${said}`;
  const isAmong = (codes: readonly string[]) => code !== undefined && codes.includes(code);
  if (isAmong(deadGrants)) return { outcome: 'refused', what: 'grant', reason };
  if (isAmong(wrongClients)) return { outcome: 'refused', what: 'client', reason };
  return {
    outcome: 'failed',
    reason,
    // A refusal with a code of its own gave nothing away; what else went wrong, nobody knows.
    mayHaveHappened: status >= 500 || (status < 400 && code === undefined),
    retryAfterMs: retryAfterMsOf(response, nowMs),
  };
}

function tokensIn(kind: ConnectorKind, body: unknown): Tokens | undefined {
  const { accessToken: places = ['access_token'] } = tokenEndpointOf(kind);
  const accessToken = places.map((path) => textAt(body, path)).find((each) => each !== undefined);
  if (accessToken === undefined) return undefined;
  const seconds = asNumber(valueAt(body, 'expires_in')) ?? Number.NaN;
  return {
    accessToken,
    refreshToken: textAt(body, 'refresh_token'),
    expiresIn: seconds > 0 ? Math.min(Math.max(seconds, SHORTEST_LIFE), LONGEST_LIFE) : undefined,
    body,
  };
}

/** As strict as `checkCredentials` is with what a person gives. */
function isUsable(token: string): boolean {
  return token.length <= MAX_CREDENTIAL && HEADER_SAFE.test(token);
}

/** Characters of what a server says that are told on. */
export const MAX_SAID = 300;

function textAt(body: unknown, path: string): string | undefined {
  const value = valueAt(body, path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function withoutSecrets(answer: TokenAnswer, secrets: Secret): TokenAnswer {
  if (answer.outcome === 'issued') return answer;
  return { ...answer, reason: secrets.redact(answer.reason).slice(0, MAX_SAID) };
}
