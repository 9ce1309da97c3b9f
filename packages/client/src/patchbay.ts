import {
  ConnectorError,
  quote,
  type KindAlias,
  type KindName,
  type KindNamed,
  type Kinds,
} from '@patchbay/connectors/definitions';
import { DeletedExternalUser, Job, Stats, type Connector } from '@patchbay/connectors/wire';
import { ApplicationLogin, type ScopedTokenOptions } from './application-login.ts';
import { checkOptionsOfCall, type RequestOptions } from './call-options.ts';
import { ConnectSessions } from './connect-sessions.ts';
import { Connectors } from './connectors.ts';
import { GivenTokens } from './given-tokens.ts';
import { GLOBALS } from './globals.ts';
import type { HostedConnector, UntypedConnector } from './hosted-connector.ts';
import { checkIdempotencyKey } from './idempotency-key.ts';
import { isUuid } from './is-uuid.ts';
import { jsonText } from './json-text.ts';
import { resolveOptions, type PatchbayOptions } from './patchbay-options.ts';
import { ServiceClient } from './service-client.ts';
import { invalidInput, needsApplication } from './service-errors.ts';
import type { StatsQuery } from './stats-query.ts';
import { Tokens } from './tokens.ts';
import { withQuery } from './with-query.ts';

/** Options of looking a connector up. */
export interface ConnectorOptions<
  N extends KindName | KindAlias = KindName | KindAlias,
> extends RequestOptions {
  /** The kind that the connector must be of, by its name or alias; types the result. */
  readonly kind?: N;
}

/** Options of calling a route by its path. */
export interface RouteOptions extends RequestOptions {
  /** Goes out as JSON. */
  readonly body?: unknown;
  /** Where the route takes one: with it, what is asked for happens once, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** That a `POST` only reads, as lists and searches do: like a `GET` it is repeated on any trouble on the way. */
  readonly isRead?: boolean;
  /** Told of the headers of the answer that is returned, `Server-Timing` among them. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

/** A token that opens the connectors of one external user, for a while. */
export interface ScopedToken {
  readonly token: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** At most so many connectors are listed in the error where a kind has several. */
const MAX_TOLD = 10;

/**
 * A Patchbay service, on behalf of one external user. Tokens are got when they are needed and
 * kept in memory; making one of these sends nothing.
 */
export class Patchbay {
  /** The connectors of the external user. */
  readonly connectors: Connectors;
  /** Sessions of the connect page, of any external user of the application. */
  readonly connectSessions: ConnectSessions;
  readonly #service: ServiceClient;
  /** `undefined` where the client was given tokens, as the next one. */
  readonly #login: ApplicationLogin | undefined;
  readonly #ofApplication: ServiceClient | undefined;
  /** `undefined` where only the token says it. */
  readonly #externalUserId: string | undefined;

  /**
   * @param options What is left out is read from the environment: `PATCHBAY_BASE_URL`,
   * `PATCHBAY_CLIENT_ID`, `PATCHBAY_CLIENT_SECRET`, `PATCHBAY_EXTERNAL_USER_ID`. In a browser
   * `token` is required.
   * @throws `invalid_config` for options that make no sense; tells no value of them.
   */
  constructor(options: PatchbayOptions = {}) {
    const { baseUrl, caller, clock, fetch, timeoutMs } = resolveOptions(options, GLOBALS);
    const place = { baseUrl, fetch, now: () => clock.now() };
    const isApplication = 'clientId' in caller;
    const source = isApplication
      ? new ApplicationLogin(place, clock, caller)
      : new GivenTokens(caller.getToken, clock);
    this.#login = source instanceof ApplicationLogin ? source : undefined;
    this.#externalUserId = isApplication ? caller.externalUserId : undefined;
    const serviceWith = (tokens: Tokens) => new ServiceClient({ place, clock, tokens, timeoutMs });
    this.#service = serviceWith(new Tokens(source, clock));
    const ofApplication = this.#login && serviceWith(this.#login.applicationTokens);
    this.#ofApplication = ofApplication;
    const externalUserId = this.#externalUserId;
    this.connectors = new Connectors({
      service: this.#service,
      ofApplication,
      clock,
      externalUserId,
    });
    this.connectSessions = new ConnectSessions(ofApplication, externalUserId);
  }

  /**
   * The call surface of a connector: the external user's only one of a kind (by its name or alias),
   * or the one with an id. It is typed where the kind is a literal, given first or as
   * `options.kind`.
   *
   * @throws `connector_not_found`; `invalid_request` listing the ids where there are several of the
   * kind; `unknown_connector_type`.
   */
  connector<const N extends KindName | KindAlias>(
    kind: N,
    options?: RequestOptions,
  ): Promise<HostedConnector<Kinds[KindNamed<N>]>>;
  connector<const N extends KindName | KindAlias>(
    id: string,
    options: ConnectorOptions<N> & { readonly kind: N },
  ): Promise<HostedConnector<Kinds[KindNamed<N>]>>;
  connector(kindOrId: string, options?: RequestOptions): Promise<UntypedConnector>;
  async connector(kindOrId: string, options: ConnectorOptions = {}): Promise<unknown> {
    checkOptionsOfCall(options, { kind: true });
    // By callers without types: without a kind, the service would list those of all of them.
    if (typeof kindOrId !== 'string' || kindOrId === '')
      throw invalidInput('kindOrId', 'must be the name of a kind, or the id of a connector');
    const { kind: wanted, ...request } = options;
    const info = isUuid(kindOrId)
      ? await this.connectors.get(kindOrId, request)
      : await this.#onlyOne(kindOrId, request);
    // The definitions of all kinds come with it, which most pages of a browser need late or never.
    const { openSurface } = await import('./call-surface.ts');
    const { connectors } = this;
    return openSurface({ info, wanted, service: this.#service, connectors, options: request });
  }

  /**
   * Makes a scoped token for the external user, to hand on: to the page in a browser, an agent, a
   * shell. The client's own calls need none of it.
   *
   * @throws `forbidden` where the client has no credentials of an application, but given tokens.
   */
  async scopedToken(options?: ScopedTokenOptions): Promise<ScopedToken> {
    if (this.#login === undefined) throw needsApplication('Scoped tokens are made');
    const { value: token, lifeSeconds } = await this.#login.mint(options);
    return { token, expires_in: lifeSeconds };
  }

  /**
   * Revokes one token of the application: all processes of the service refuse it within a second. What
   * has ended, or is no token of the application, changes nothing.
   *
   * @param which The token, or its id: the claim `jti`, a UUID.
   * @throws `forbidden` where the client has no credentials of an application, but given tokens.
   */
  async revokeToken(
    which: { readonly token: string } | { readonly jti: string },
    options?: RequestOptions,
  ): Promise<void> {
    const request = { method: 'POST', path: '/v1/tokens/revoke', body: jsonText(which) } as const;
    await this.#asApplication('Tokens are revoked').fetchNothing({ request, options });
  }

  /**
   * Calls a route of the service for which there is no method here, with the token of this client; errors,
   * deadline and the renewal of tokens are those of every call.
   *
   * @param path From its slash on, query included.
   * @returns The parsed JSON of the answer, which nothing has checked; `undefined` where it has no body.
   * @throws `invalid_request` for a path that leads elsewhere, a body of a `GET`, or a key that no header can carry;
   * `write_outcome_unknown` where the connection of anything but a read broke and no `idempotencyKey` makes it safe
   * to send again.
   * @see docs/wire.md
   */
  async request(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    given: RouteOptions = {},
  ): Promise<unknown> {
    checkOptionsOfCall(given, { body: true, idempotencyKey: true, isRead: true, onHeaders: true });
    const { body, idempotencyKey, isRead = method === 'GET', onHeaders, ...options } = given;
    // The token goes to the base URL only, and what follows it could make another host of it.
    if (!/^\/(?!\/)/.test(path)) throw invalidInput('path', 'must begin with one slash');
    if (method === 'GET' && body !== undefined) throw invalidInput('body', 'goes with no GET');
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
    const write = {
      action: `${method} ${path.split('?', 1)[0]}`,
      howToFindOut: 'Read what the request changes.',
      idempotencyKey,
    };
    const call = {
      request: { method, path, body: body === undefined ? undefined : jsonText(body) },
      write: isRead ? undefined : write,
      options,
    };
    return this.#service.fetchValue(call, onHeaders);
  }

  /**
   * What happened over time, of all external users of the application, or of one connector.
   *
   * @throws `forbidden` where the client has no credentials of an application, but given tokens;
   * `connector_not_found`.
   */
  async stats(query: StatsQuery = {}, options?: RequestOptions): Promise<Stats> {
    const request = { method: 'GET', path: withQuery('/v1/stats', query) } as const;
    return this.#asApplication('Stats are read').fetchJson(Stats, { request, options });
  }

  /**
   * Deletes all connectors of an external user of the application, their credentials and copies; `job_id` names the
   * {@link job} that clears the copies. What an authorization server issued is revoked upstream, unless `revoke` is
   * false.
   *
   * @throws `forbidden` as {@link stats}; `external_user_not_found` where they have no connector.
   */
  async deleteExternalUser(
    externalUserId: string,
    given: RequestOptions & { readonly revoke?: boolean } = {},
  ): Promise<DeletedExternalUser> {
    checkOptionsOfCall(given, { revoke: true });
    const { revoke = true, ...options } = given;
    const user = encodeURIComponent(externalUserId);
    const path = `/v1/external-users/${user}${revoke ? '' : '?revoke=false'}`;
    return this.#asApplication('External users are deleted').fetchJson(DeletedExternalUser, {
      request: { method: 'DELETE', path },
      write: {
        action: 'deleteExternalUser',
        howToFindOut: 'Ask again: external_user_not_found says that nothing is left.',
      },
      options,
    });
  }

  /**
   * What became of a deletion, by the `job_id` that it answered.
   *
   * @throws `forbidden` as {@link stats}; `job_not_found`.
   */
  async job(id: string, options?: RequestOptions): Promise<Job> {
    const request = { method: 'GET', path: `/v1/jobs/${encodeURIComponent(id)}` } as const;
    return this.#asApplication('Jobs are read').fetchJson(Job, { request, options });
  }

  /** @throws `forbidden` where the client has no credentials of an application, but given tokens. */
  #asApplication(what: string): ServiceClient {
    if (this.#ofApplication !== undefined) return this.#ofApplication;
    throw needsApplication(what);
  }

  /** The only connector of a kind; of several, the caller has to say which one is meant. */
  async #onlyOne(kindName: string, options: RequestOptions): Promise<Connector> {
    const filter = { connector_type: kindName, limit: MAX_TOLD };
    const { data, next } = await this.connectors.list(filter, options);
    const [first, second] = data;
    if (first === undefined) throw noneOf(kindName, this.#externalUserId);
    if (second !== undefined) throw severalOf(kindName, data, next !== null);
    return first;
  }
}

function noneOf(kindName: string, externalUserId: string | undefined): ConnectorError {
  const user = externalUserId === undefined ? 'of the token' : quote(externalUserId);
  return new ConnectorError(
    'connector_not_found',
    { id: kindName },
    {
      message: `The external user ${user} has no connector of the kind ${quote(kindName)}: create one.`,
    },
  );
}

function severalOf(
  kindName: string,
  found: readonly Connector[],
  hasMore: boolean,
): ConnectorError {
  const told = found.map(({ id, name, status }) => `${id} (${quote(name)}, ${status})`).join(', ');
  const message = `names a kind of which there are several connectors; give one of their ids: ${told}${hasMore ? ', and more' : ''}`;
  const allowed = found.map(({ id }) => id).join(', ');
  return new ConnectorError(
    'invalid_request',
    { faults: [{ field: 'kindOrId', errorCode: 'conflict', message, allowed }] },
    { message: `${quote(kindName)} ${message}` },
  );
}
