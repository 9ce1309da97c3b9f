import { type Clock, ConnectorError } from '@patchbay/connectors';
import { allKinds, findKind } from '@patchbay/connectors/engine';
import { isStoreError, type ConnectSession, type Store } from '@patchbay/store';
import type { Access, TenantAccess } from '../access/access.ts';
import type { AllowedUrls } from '../access/allowed-urls.ts';
import type { Quotas } from '../admission/quotas.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import { pageFrom } from '../operations/list-query.ts';
import { newUuid } from '../uuid.ts';
import {
  otherBrowser,
  otherExternalUser,
  sessionExpired,
  sessionNotFound,
  sessionStillOpen,
  tooManySessions,
} from './session-errors.ts';
import type { SessionApplication, SessionEnds } from './session-ends.ts';
import { checkNewSession, type CheckedSession } from './session-input.ts';
import type { SessionQuery } from './session-query.ts';
import { hashOfSecret, newSecret } from '../random-secret.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ConnectSessionsParts {
  readonly store: Pick<Store, 'connectSessions'>;
  readonly live: Pick<LiveConnectors, 'requireNewest'>;
  readonly ends: SessionEnds;
  /** `undefined` for one that is revoked or gone. */
  readonly application: (id: string) => Promise<(SessionApplication & AllowedUrls) | undefined>;
  /** Where browsers reach the service; `undefined` where nobody has said so. */
  readonly publicUrl: () => string | undefined;
  readonly isLoopbackService: () => boolean;
  readonly quotas: Quotas;
  readonly clock: Clock;
}

/** A session that was made; the link is known only now. */
export interface MadeSession {
  readonly session: ConnectSession;
  readonly connectUrl: string;
}

/** Some sessions, newest first. */
export interface SessionPage {
  readonly sessions: readonly ConnectSession[];
  /** Cursor of the next page, or null. */
  readonly next: string | null;
}

/** How long a link is good. */
const SESSION_LIFE_MS = 1_800_000;
/** The page of a session, and what became of it, can be looked at for so long after its end. */
export const SESSIONS_KEPT_MS = 24 * 3_600_000;

/** Who came back with a session. */
export interface Confirmation {
  readonly externalUserId: string;
  /**
   * What the browser that came back was told. The id is random and told to the browser that connected
   * and to the application alone, so whoever says it comes from there. Not asked for unless given.
   */
  readonly connectorId?: string;
}

/** Connect sessions as their application makes, watches and confirms them. */
export class ConnectSessions {
  readonly #parts: ConnectSessionsParts;

  constructor(parts: ConnectSessionsParts) {
    this.#parts = parts;
  }

  /**
   * Makes a session for one external user.
   *
   * @throws as `checkNewSession`; `connector_not_found` also for a connector of another external user;
   * `quota_exceeded`; `not_ready` where nobody has said where browsers reach the service.
   */
  async create(access: TenantAccess, body: Json): Promise<MadeSession> {
    const { isLoopbackService, clock } = this.#parts;
    const publicUrl = this.#parts.publicUrl();
    if (publicUrl === undefined) throw noPublicUrl();
    const application = await this.#parts.application(access.applicationId);
    if (application === undefined) throw sessionNotFound();
    const rules = { application, isLoopbackService: isLoopbackService(), nowMs: clock.now() };
    const checked = checkNewSession(body, rules);
    const target = await this.#targetOf(access, checked);
    const secret = newSecret();
    const connectUrl = `${publicUrl}/connect#${secret}`;
    const { kinds: _, connectorId: __, ...rest } = checked;
    const session = await this.#store(
      {
        ...rest,
        ...target,
        branding: checked.branding === null ? null : { ...checked.branding },
        id: newUuid(clock.now()),
        applicationId: access.applicationId,
      },
      hashOfSecret(secret),
    );
    return { session, connectUrl };
  }

  /** @throws `connect_session_not_found` also for one of another application. */
  async read(access: Access, id: string): Promise<ConnectSession> {
    return this.#parts.ends.tidy(await this.#find(access, id));
  }

  /**
   * The sessions of an application, and for the operator of all applications; none of another one's. They are as
   * they stand there: one that a process left half done is finished when it is read by itself.
   */
  async list(access: Access, query: SessionQuery): Promise<SessionPage> {
    const own = access.type === 'operator' ? undefined : access.applicationId;
    const { applicationId = own, status, limit, after } = query;
    if (own !== undefined && applicationId !== own) return { sessions: [], next: null };
    const rows = await this.#parts.store.connectSessions.list(
      {
        ...(applicationId === undefined ? {} : { applicationId }),
        ...(status === undefined ? {} : { shownStatus: status }),
      },
      { limit: limit + 1, ...(after === undefined ? {} : { after }) },
    );
    const { page: sessions, next } = pageFrom(rows, limit, (row) => row);
    return { sessions, next };
  }

  /**
   * Says which external user came back with the session: what was given in it is used, if it was made for
   * that one. Once it has succeeded, the same is answered again.
   *
   * @throws `external_user_mismatch` and, where the connector is not that of the session, `forbidden`, and nothing is changed; `connect_session_open`, `connect_session_expired`; as
   * `SessionEnds.settle`.
   */
  async confirm(
    access: Access,
    id: string,
    { externalUserId, connectorId }: Confirmation,
  ): Promise<ConnectSession> {
    const { store, ends } = this.#parts;
    const session = await this.#find(access, id);
    if (session.externalUserId !== externalUserId) throw otherExternalUser();
    // Not asked of the database again: what it has by then is for the next call, which compares.
    if (session.status === 'open') throw whyOpen(session);
    if (connectorId !== undefined && session.connectorId !== connectorId.toLowerCase())
      throw otherBrowser();
    if (session.status === 'succeeded') return session;
    const confirmed = await store.connectSessions.confirm(session.id);
    if (confirmed !== undefined) return ends.settle(confirmed);
    const now = await this.#find(access, id);
    if (now.status === 'succeeded') return now;
    throw whyOpen(now);
  }

  async #find(access: Access, id: string): Promise<ConnectSession> {
    const session = await this.#parts.store.connectSessions.find(id);
    const isWithinReach =
      access.type === 'operator' || session?.applicationId === access.applicationId;
    if (session === undefined || !isWithinReach) throw sessionNotFound();
    return session;
  }

  /** What is to be connected: a new connector, or one that there is. */
  async #targetOf(
    access: TenantAccess,
    { connectorId, kinds, externalUserId }: CheckedSession,
  ): Promise<Pick<ConnectSession, 'kinds' | 'connectorId' | 'isReconnection'>> {
    const { live, clock } = this.#parts;
    if (connectorId === undefined)
      return {
        kinds: (kinds ?? allKinds()).map(({ kind }) => kind),
        connectorId: newUuid(clock.now()),
        isReconnection: false,
      };
    const own = { ...access, type: 'scoped', externalUserId, access: 'write' } as const;
    const { row } = await live.requireNewest({ ...own, connectorIds: undefined }, connectorId);
    if (kinds !== undefined && !kinds.includes(findKind(row.kind))) throw otherKind(row.kind);
    return { kinds: [row.kind], connectorId: row.id, isReconnection: true };
  }

  async #store(
    session: Parameters<Store['connectSessions']['create']>[0],
    secretHash: string,
  ): Promise<ConnectSession> {
    const { store, quotas } = this.#parts;
    const { connectSessionsPerUser, connectSessionsPerApplication } = quotas;
    const most = {
      perExternalUser: connectSessionsPerUser,
      perApplication: connectSessionsPerApplication,
    };
    try {
      const options = { secretHash, livesMs: SESSION_LIFE_MS, most };
      return await store.connectSessions.create(session, options);
    } catch (error) {
      if (isStoreError(error, 'external_user_full'))
        throw tooManySessions('external_user', connectSessionsPerUser);
      if (isStoreError(error, 'application_full'))
        throw tooManySessions('application', connectSessionsPerApplication);
      throw error;
    }
  }
}

function whyOpen({ isExpired }: ConnectSession): ConnectorError {
  return isExpired ? sessionExpired() : sessionStillOpen();
}

function otherKind(kind: string): ConnectorError<'invalid_request'> {
  const field = 'connector_types';
  const message = `must hold ${kind}, which the connector is of`;
  const fault = { field, errorCode: 'conflict', message } as const;
  return new ConnectorError(
    'invalid_request',
    { faults: [fault] },
    { message: `The request is wrong: ${field} ${message}.` },
  );
}

function noPublicUrl(): ConnectorError<'not_ready'> {
  const message =
    'Nobody has said where browsers reach the service, so there can be no link: its operator has to set PATCHBAY_PUBLIC_URL.';
  return new ConnectorError('not_ready', {}, { message, retry: 'never' });
}
