import { OAuthRefusal } from './oauth-refusal.ts';
import type { OAuthParams } from './oauth-params.ts';

/** How long the tokens of an app live. */
export interface TokenLife {
  /** Undefined: for good. */
  readonly accessSeconds: number | undefined;
  /** How long a refresh token lives that is not used; `none` where no refresh token is issued. */
  readonly refreshSeconds: number | 'unlimited' | 'none';
}

/** An app that is registered with a simulated vendor. */
export interface OAuthClient {
  readonly id: string;
  /** Undefined for a public app, which proves itself by PKCE instead. */
  readonly secret: string | undefined;
  readonly name: string;
  readonly life: TokenLife;
}

/**
 * The app that asks a token endpoint, by HTTP Basic or by parameters.
 *
 * @throws OAuthRefusal `unknown_client` or `wrong_secret`.
 */
export function authenticateClient(
  clients: readonly OAuthClient[],
  params: OAuthParams,
  authorization: string | undefined,
): OAuthClient {
  const [id, secret] = basicCredentials(authorization) ?? [
    params['client_id'],
    params['client_secret'],
  ];
  const client = clients.find((one) => one.id === id);
  if (client === undefined) throw new OAuthRefusal('unknown_client');
  if (client.secret !== undefined && client.secret !== secret) {
    throw new OAuthRefusal('wrong_secret');
  }
  return client;
}

/**
 * Says whether consent may lead back to an address: one that the sandbox was told of, or one on
 * this machine, with any port and path.
 */
export function isRedirectAllowed(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname, hash } = new URL(uri);
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return isLocal && (protocol === 'http:' || protocol === 'https:') && hash === '';
}

function basicCredentials(authorization: string | undefined): [string, string] | undefined {
  const encoded = /^Basic +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon === -1 ? undefined : [decoded.slice(0, colon), decoded.slice(colon + 1)];
}
