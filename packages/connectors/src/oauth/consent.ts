import { createHash, randomBytes } from 'node:crypto';
import type { CheckedCredentials } from '../execution/credentials.ts';
import type { AuthMethod, Consent, ConnectorKind } from '../vocabulary/index.ts';
import {
  askForTokens,
  type FailedRequest,
  type OAuthUpstream,
  type Tokens,
} from './ask-for-tokens.ts';
import { oauthAddress, type OAuthSite } from './oauth-address.ts';
import { withTokens, type OAuthClient } from './renewal.ts';

/** An app that is registered with the vendor of a kind. */
export interface OAuthApp extends OAuthClient {
  /** What it asks for; the kind's usual scopes unless said. */
  readonly scopes?: readonly string[] | undefined;
}

/** Where a person is sent to be asked for consent. */
export interface AuthorizeRequest {
  readonly app: Pick<OAuthApp, 'clientId' | 'scopes'>;
  /** Where the vendor sends the person afterwards. */
  readonly redirectUri: string;
  /** Comes back unchanged. */
  readonly state: string;
  /** Made by `newCodeVerifier`; only where that made one. */
  readonly codeVerifier?: string | undefined;
}

/** A consent that has been given, as the vendor tells of it. */
export interface GivenConsent {
  readonly client: OAuthApp;
  readonly code: string;
  /** As it was in the request. */
  readonly redirectUri: string;
  readonly codeVerifier?: string | undefined;
}

/** What came of a code. */
export type RedeemOutcome =
  | { readonly outcome: 'redeemed'; readonly credentials: CheckedCredentials }
  /** The code is no good, or the app is not known or its secret wrong; the reason holds no secret. */
  | { readonly outcome: 'refused'; readonly what: 'grant' | 'client'; readonly reason: string }
  | FailedRequest;

/** The auth method of a kind whose credentials a person's consent gives; `undefined` for none. */
export function consentMethodOf({ auth, oauth }: ConnectorKind): string | undefined {
  if (oauth === undefined) return undefined;
  return Object.entries(auth).find(([, method]) => isByConsent(method))?.[0];
}

/** A PKCE verifier where the kind asks for PKCE; `undefined` where it would do an app harm. */
export function newCodeVerifier({ oauth }: ConnectorKind): string | undefined {
  return oauth?.consent.pkce === undefined ? undefined : randomBytes(32).toString('base64url');
}

/**
 * The address of the page on which a person is asked for consent.
 *
 * @throws Error for a kind without an authorization server.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1
 */
export function authorizeUrl(site: OAuthSite, request: AuthorizeRequest): string {
  const { consent } = serverOf(site.kind);
  const { app, redirectUri, state, codeVerifier } = request;
  const url = new URL(oauthAddress(site, consent.address));
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', app.clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  const scopes = scopesOf(consent, app);
  if (scopes !== undefined) url.searchParams.set('scope', scopes);
  url.searchParams.set('state', state);
  if (codeVerifier !== undefined && consent.pkce !== undefined) {
    url.searchParams.set('code_challenge', challengeOf(codeVerifier));
    url.searchParams.set('code_challenge_method', consent.pkce);
  }
  return url.href;
}

/**
 * Exchanges a code for credentials, once: a code is good for one request, and what a second one does
 * to the tokens of the first is the vendor's to say.
 *
 * Fields that name the app are filled in where the method has them; its secret only where the method
 * requires it. Credentials without it are renewed with the secret that the app has by then.
 *
 * @throws the signal's reason when it aborts.
 */
export async function redeemCode(
  upstream: OAuthUpstream,
  { client, code, redirectUri, codeVerifier }: GivenConsent,
  signal: AbortSignal,
): Promise<RedeemOutcome> {
  const { kind, clock } = upstream;
  const { consent } = serverOf(kind);
  const scope = consent.scopes?.isSaidWithCode === true ? scopesOf(consent, client) : undefined;
  const fields = {
    grant_type: 'authorization_code',
    client_id: client.clientId,
    client_secret: client.clientSecret,
    code,
    redirect_uri: redirectUri,
    ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
    ...(scope === undefined ? {} : { scope }),
  };
  const answer = await askForTokens(upstream, fields, signal);
  if (answer.outcome !== 'issued') return answer;
  const { tokens } = answer;
  const credentials = credentialsOf(kind, client, { tokens, nowMs: clock.now() });
  return { outcome: 'redeemed', credentials };
}

/** What an app asks a person for; `undefined` where requests name no scopes. */
function scopesOf({ scopes }: Consent, app: Pick<OAuthApp, 'scopes'>): string | undefined {
  return scopes && (app.scopes ?? scopes.default).join(scopes.separator);
}

function isByConsent({ grants }: AuthMethod): boolean {
  return grants?.includes('authorization_code') === true;
}

function serverOf({ kind, oauth }: ConnectorKind) {
  if (oauth === undefined) throw new Error(`${kind} has no authorization server`);
  return oauth;
}

/** @see https://www.rfc-editor.org/rfc/rfc7636#section-4.2 */
function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}

/** What a token endpoint issued, in the fields that the method has. */
function credentialsOf(
  kind: ConnectorKind,
  client: OAuthClient,
  { tokens, nowMs }: { readonly tokens: Tokens; readonly nowMs: number },
): CheckedCredentials {
  const method = consentMethodOf(kind);
  const fields = kind.auth[method ?? '']?.fields;
  if (method === undefined || fields === undefined)
    throw new Error(`no credentials of ${kind.kind} come by consent`);
  const values = {
    ...(fields['client_id'] === undefined ? {} : { client_id: client.clientId }),
    ...(fields['client_secret']?.isRequired === true ? { client_secret: client.clientSecret } : {}),
  };
  const issued = withTokens({ method, values }, tokens, nowMs);
  const known = Object.entries(issued.values).filter(([name]) => fields[name] !== undefined);
  return { method, values: Object.fromEntries(known) };
}
