import { isJsonObject } from './body-shaping.ts';
import type { AuthorizationServer } from './oauth/authorization-server.ts';
import type { GrantReport } from './oauth/grant-book.ts';
import type { IssuedTokens, Person } from './oauth/grant.ts';
import { textsOf } from './oauth/oauth-params.ts';
import type { OAuthParams } from './oauth/oauth-params.ts';

/** The simulated services that have an authorization server. */
export type OAuthVendor = 'intercom' | 'slack' | 'zendeskChat' | 'zendeskSupport';

/** An authorization server, as a client has to know it. */
export interface OAuthServerInfo {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clients: readonly OAuthClientInfo[];
  /** Who can consent: several persons, and where the vendor has one address for all, accounts. */
  readonly people: readonly Person[];
}

/** An app that is registered from the start. */
export interface OAuthClientInfo {
  readonly clientId: string;
  /** Null for a public app. */
  readonly clientSecret: string | null;
  readonly name: string;
}

/** Tokens that are wanted without a browser. */
export interface GrantRequest {
  readonly vendor: OAuthVendor;
  /** The first app by default. */
  readonly clientId?: string;
  /** The first person by default. */
  readonly personId?: string;
  /** Parameters of the authorize page; its scopes are the vendor's usual ones by default. */
  readonly asked?: OAuthParams;
}

/** Tokens that were issued without a browser. */
export interface GrantedTokens {
  readonly grantId: string;
  readonly accessToken: string;
  /** Null for a token that is for good. */
  readonly expiresInSeconds: number | null;
  readonly refreshToken: string | null;
}

/** The authorization servers of a sandbox, seen from outside. */
export interface SandboxOAuth {
  readonly servers: Readonly<Record<OAuthVendor, OAuthServerInfo>>;
  /**
   * Issues tokens as if that person had consented.
   *
   * @throws RangeError for a vendor, an app or a person that does not exist.
   */
  grant(request: GrantRequest): readonly GrantedTokens[];
  /** Every consent so far, with what became of its renewals. */
  grants(): readonly GrantReport[];
  /** Ends all tokens of a consent, as a person does who removes the app; false if unknown. */
  revoke(grantId: string): boolean;
}

/** One authorization server, and where it is. */
export interface OAuthMount {
  readonly server: AuthorizationServer;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** What `grant` asks for unless told otherwise. */
  readonly usualParams: OAuthParams;
}

/** Builds the view of the authorization servers that a sandbox gives. */
export function sandboxOAuth(mounts: Readonly<Record<OAuthVendor, OAuthMount>>): SandboxOAuth {
  const books = Object.values(mounts).map(({ server }) => server.book);
  return {
    // Made when it is asked for: it names people, who are made then.
    get servers() {
      return {
        intercom: infoOf(mounts.intercom),
        slack: infoOf(mounts.slack),
        zendeskChat: infoOf(mounts.zendeskChat),
        zendeskSupport: infoOf(mounts.zendeskSupport),
      };
    },
    grant: ({ vendor, clientId, personId, asked }) => {
      const { server, usualParams } = mounts[vendor];
      const [firstClient] = server.clients;
      const [firstPerson] = server.people;
      const client = clientId === undefined ? firstClient : byId(server.clients, clientId);
      const person = personId === undefined ? firstPerson : byId(server.people, personId);
      if (client === undefined) throw new RangeError(`${vendor} has no app ${String(clientId)}`);
      if (person === undefined) throw new RangeError(`${vendor} has no ${String(personId)}`);
      const consent = { client, person, asked: { ...usualParams, ...asked } };
      return server.grant(consent).map(grantedTokens);
    },
    grants: () => books.flatMap((book) => book.report()),
    revoke: (grantId) => books.some((book) => book.revoke(grantId)),
  };
}

/**
 * Checks a request for tokens given as JSON over HTTP.
 *
 * @throws RangeError naming what is wrong.
 */
export function parseGrantRequest(value: unknown, oauth: SandboxOAuth): GrantRequest {
  const vendors = Object.keys(oauth.servers);
  const { vendor, clientId, personId, asked } = isJsonObject(value) ? value : {};
  if (!isVendor(vendor, vendors))
    throw new RangeError(`vendor: must be one of ${vendors.join(', ')}`);
  return {
    vendor,
    ...textsOf({ clientId, personId }),
    asked: isJsonObject(asked) ? textsOf(asked) : {},
  };
}

function isVendor(vendor: unknown, vendors: readonly string[]): vendor is OAuthVendor {
  return typeof vendor === 'string' && vendors.includes(vendor);
}

function infoOf({ server, authorizeUrl, tokenUrl }: OAuthMount): OAuthServerInfo {
  return {
    authorizeUrl,
    tokenUrl,
    clients: server.clients.map(({ id, secret, name }) => ({
      clientId: id,
      clientSecret: secret ?? null,
      name,
    })),
    people: server.people,
  };
}

function grantedTokens(issued: IssuedTokens): GrantedTokens {
  return {
    grantId: issued.grant.id,
    accessToken: issued.accessToken,
    expiresInSeconds: issued.expiresInSeconds ?? null,
    refreshToken: issued.refreshToken ?? null,
  };
}

function byId<Item extends { readonly id: string }>(
  items: readonly Item[],
  id: string,
): Item | undefined {
  return items.find((item) => item.id === id);
}
