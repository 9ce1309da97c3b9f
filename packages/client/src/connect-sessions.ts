import { quote, type KindAlias, type KindName } from '@patchbay/connectors/definitions';
import {
  ConnectSession as ConnectSessionAnswer,
  ConnectSessionPage as ConnectSessionPageAnswer,
  type Account,
  NewConnectSession as NewConnectSessionAnswer,
} from '@patchbay/connectors/wire';
import { checkOptionsOfCall, type RequestOptions } from './call-options.ts';
import { checkIdempotencyKey, newIdempotencyKey } from './idempotency-key.ts';
import { isUuid } from './is-uuid.ts';
import { jsonText } from './json-text.ts';
import type { ServiceClient } from './service-client.ts';
import { invalidInput, needsApplication } from './service-errors.ts';
import { withQuery } from './with-query.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a person is to connect, and how the page looks. */
export interface NewConnectSession {
  /** The user who is signed in to your application, and will own the connector; the client's unless said. */
  readonly externalUserId?: string;
  /** What the page calls that user. */
  readonly userLabel?: string;
  /** The kinds that the person may choose from, by name or alias; all unless said. */
  readonly connectorTypes?: readonly (KindName | KindAlias | (string & {}))[];
  /** A connector that is given credentials anew. */
  readonly connectorId?: string;
  readonly replicationConfig?: JsonObject | null;
  readonly config?: JsonObject;
  /** Where the page leads back to; on the application's list. */
  readonly returnUrl?: string;
  /** Of the page that opens the pop-up, and is told what came of it; on the application's list. */
  readonly origin?: string;
  /** `false`: what the person connects works without `confirm`, whoever that person is. */
  readonly confirm?: boolean;
  readonly branding?: {
    readonly name?: string;
    /** Its origin is on the application's list. */
    readonly logoUrl?: string;
    /** Six hex digits. */
    readonly accent?: string;
  };
}

/** A connect session that was made. */
export interface CreatedConnectSession {
  readonly id: string;
  /** For `openConnect`, or a redirect; opens in one browser. */
  readonly connectUrl: string;
  /** As in `2026-01-01T00:30:00.000Z`. */
  readonly expiresAt: string;
}

/** How far a connect session is. */
export interface ConnectSession {
  readonly id: string;
  /** `unconfirmed`: what the person gave waits for `confirm`. */
  readonly status: ConnectSessionAnswer['status'];
  readonly externalUserId: string;
  /** `null` until the person has chosen among several. */
  readonly connectorType: string | null;
  /** The connector that was made or given other credentials, or will be. */
  readonly connectorId: string | null;
  /** Whose credentials were given, where the vendor says so. */
  readonly account: Account | null;
  /** What the last attempt ended with; its message is for people. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly expiresAt: string;
}

/** A connect session in a list. */
export interface ListedConnectSession extends ConnectSession {
  /** What the page calls the person it was made for. */
  readonly userLabel: string | null;
  readonly createdAt: string;
}

/** Some connect sessions, newest first. */
export interface ConnectSessionPage {
  readonly data: readonly ListedConnectSession[];
  /** Cursor of the next page, or `null`. */
  readonly next: string | null;
}

/** Which connect sessions to list. */
export interface ListSessionsOptions extends RequestOptions {
  readonly status?: ConnectSession['status'];
  /** Sessions a page; 1,000 by default. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** Who confirms a connect session. */
export interface Confirmation {
  /** The user of **this** request to your backend, by its own sign-in. */
  readonly externalUserId: string;
  /**
   * What that browser says that it was told at the end, by `openConnect` or in the return address. Only
   * the browser that connected has been told it, so that a link which somebody passed on connects
   * nothing for them. Hand over what came, whatever it is: the service compares.
   */
  readonly connectorId: string;
}

/** Options of making a connect session. */
export interface NewConnectSessionOptions extends RequestOptions {
  /** One session is made per key and 24 hours; each call has a key of its own unless said. */
  readonly idempotencyKey?: string;
}

const COLLECTION = '/v1/connect-sessions';

/**
 * Sessions of the connect page, in which a person connects an account of theirs. They are the
 * application's, for any of its external users, and a backend's to make: a client that was given
 * scoped tokens gets `forbidden` from every call.
 */
export class ConnectSessions {
  readonly #service: ServiceClient | undefined;
  readonly #externalUserId: string | undefined;

  /** @param service Calls with the application's own tokens; `undefined` where there are none. */
  constructor(service: ServiceClient | undefined, externalUserId: string | undefined) {
    this.#service = service;
    this.#externalUserId = externalUserId;
  }

  /**
   * Makes a session, and the address of its page, good for 30 minutes.
   *
   * @throws `invalid_request` with every fault, such as a return URL or an origin that is not on the
   * application's lists.
   */
  async create(
    session: NewConnectSession = {},
    options: NewConnectSessionOptions = {},
  ): Promise<CreatedConnectSession> {
    checkOptionsOfCall(options, { idempotencyKey: true });
    const { idempotencyKey = newIdempotencyKey(), ...request } = options;
    checkIdempotencyKey(idempotencyKey);
    // Whoever says `undefined` has nobody signed in; that is an error, not the client's user.
    const isSaid = 'externalUserId' in session;
    const body = bodyOf(session, isSaid ? session.externalUserId : this.#externalUserId);
    const made = await this.#reached().fetchJson(NewConnectSessionAnswer, {
      request: { method: 'POST', path: COLLECTION, body: jsonText(body) },
      write: {
        action: 'connectSessions.create',
        howToFindOut: 'A session that nobody opens ends by itself.',
        idempotencyKey,
      },
      options: request,
    });
    return { id: made.id, connectUrl: made.connect_url, expiresAt: made.expires_at };
  }

  /** How far a session is: for the `poll` of `openConnect`. */
  async get(id: string, options?: RequestOptions): Promise<ConnectSession> {
    const answer = await this.#reached().fetchJson(ConnectSessionAnswer, {
      request: { method: 'GET', path: itemPath(id) },
      options,
    });
    return viewOf(answer);
  }

  /** The sessions of the application, of all its external users, newest first; each for a day after its end. */
  async list(given: ListSessionsOptions = {}): Promise<ConnectSessionPage> {
    checkOptionsOfCall(given, { status: true, limit: true, cursor: true });
    const { status, limit, cursor, ...options } = given;
    const path = withQuery(COLLECTION, { status, limit, cursor });
    const { data, next } = await this.#reached().fetchJson(ConnectSessionPageAnswer, {
      request: { method: 'GET', path },
      options,
    });
    return {
      data: data.map((listed) => ({
        ...viewOf(listed),
        userLabel: listed.user_label,
        createdAt: listed.created_at,
      })),
      next,
    };
  }

  /**
   * Says that who has connected is the user who is signed in to your application: what was connected
   * works from here on. Confirming again changes nothing, so it is repeated like a read.
   *
   * @throws `external_user_mismatch` where the session is another user's; `forbidden` where
   * `connectorId` is not that of the session; `connect_session_open` before anything was given.
   * @see docs/connect.md#confirm
   */
  async confirm(id: string, by: Confirmation, options?: RequestOptions): Promise<ConnectSession> {
    const { externalUserId, connectorId } = by;
    // JavaScript may hand over none, which would not be compared.
    const told = typeof connectorId === 'string' ? connectorId : '';
    const body = jsonText({ external_user_id: externalUserId, connector_id: told });
    const answer = await this.#reached().fetchJson(ConnectSessionAnswer, {
      request: { method: 'POST', path: `${itemPath(id)}/confirm`, body },
      options,
    });
    return viewOf(answer);
  }

  #reached(): ServiceClient {
    if (this.#service !== undefined) return this.#service;
    throw needsApplication('Connect sessions are made');
  }
}

function bodyOf(session: NewConnectSession, externalUserId: string | undefined): JsonObject {
  const { branding, ...rest } = session;
  return {
    external_user_id: externalUserId,
    user_label: rest.userLabel,
    connector_types: rest.connectorTypes,
    connector_id: rest.connectorId,
    replication_config: rest.replicationConfig,
    config: rest.config,
    return_url: rest.returnUrl,
    origin: rest.origin,
    confirm: rest.confirm,
    branding: branding && {
      name: branding.name,
      logo_url: branding.logoUrl,
      accent: branding.accent,
    },
  };
}

function viewOf(answer: ConnectSessionAnswer): ConnectSession {
  return {
    id: answer.id,
    status: answer.status,
    externalUserId: answer.external_user_id,
    connectorType: answer.connector_type,
    connectorId: answer.connector_id,
    account: answer.account,
    error: answer.error,
    expiresAt: answer.expires_at,
  };
}

/** Anything but an id would lead to another route, or out of the collection. */
function itemPath(id: unknown): string {
  if (typeof id === 'string' && isUuid(id)) return `${COLLECTION}/${id}`;
  throw invalidInput('id', `must be the id of a connect session, got ${quote(id)}`);
}
