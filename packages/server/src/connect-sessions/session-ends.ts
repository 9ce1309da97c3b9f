import { isConnectorError, type Clock, type ConnectorKind } from '@patchbay/connectors';
import {
  completeReplicationConfig,
  findKind,
  type Account,
  type CheckedCredentials,
} from '@patchbay/connectors/engine';
import {
  isStoreError,
  isUniqueViolation,
  type ConnectSession,
  type GivenInSession,
  type Store,
} from '@patchbay/store';
import { accessOfPerson } from '../access/access.ts';
import { inPieces } from '../in-pieces.ts';
import type { Logger } from '../log.ts';
import type { Connectors } from '../operations/connectors.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import { openCredentials, sealCredentials } from '../vault/connector-credentials.ts';
import type { Vault } from '../vault/vault.ts';
import { forPage, sessionExpired, sessionNotFound, sessionUsed } from './session-errors.ts';

/** What sessions need to know of an application. */
export interface SessionApplication {
  readonly name: string;
  readonly organizationId: string;
}

export interface SessionEndsParts {
  readonly store: Pick<Store, 'connectSessions'>;
  readonly connectors: Pick<Connectors, 'establish' | 'reauthorize'>;
  readonly live: Pick<LiveConnectors, 'findNewest'>;
  /** `undefined` for one that is revoked or gone. */
  readonly application: (id: string) => Promise<SessionApplication | undefined>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Credentials that a person gave and the upstream took. */
export interface TriedCredentials {
  readonly kind: ConnectorKind;
  readonly config: Readonly<Record<string, unknown>>;
  readonly credentials: CheckedCredentials;
  readonly account: Account | null;
  /** They were not typed in, but issued to us by a person's consent. */
  readonly isConsented: boolean;
}

/** Whoever settles a session is done long before, or gone. */
const LEFT_AFTER_MS = 60_000;
const SETTLE_TIMEOUT_MS = 45_000;

/**
 * How sessions end: what was given is stored, sealed for its connector, before anything comes of it, and once
 * it may be used, a connector is made of it or given it. That can be begun again at any point, by any
 * process: the id of a new connector was promised, so it is made once, and credentials that a connector
 * has already change nothing.
 */
export class SessionEnds {
  readonly #parts: SessionEndsParts;

  constructor(parts: SessionEndsParts) {
    this.#parts = parts;
  }

  /**
   * Takes what was given, and uses it at once where nobody has to confirm it.
   *
   * @throws `connect_session_used`, `connect_session_expired`, where another was faster, or time; and as `settle`,
   * without a word of whose the connector is.
   */
  async give(session: ConnectSession, tried: TriedCredentials): Promise<ConnectSession> {
    const { store, vault, clock } = this.#parts;
    const { kind, config, credentials, account, isConsented } = tried;
    const sealing = { vault, clock, kind, connectorId: session.connectorId };
    const sealed = await sealCredentials(sealing, credentials);
    const { authMethod, sealedCredentials, tokenDigest = null } = sealed;
    const given = await store.connectSessions.give(session.id, {
      kind: kind.kind,
      name: kind.displayName,
      config,
      authMethod,
      sealedCredentials,
      tokenDigest,
      account,
      isConsented,
    });
    if (given === undefined) throw await this.#whyClosed(session.id);
    if (given.confirmedAt === null) return given;
    return this.settle(given).catch((error: unknown) => {
      throw forPage(error);
    });
  }

  /**
   * Makes the connector of what was given, or gives it to the one that there is. Where that is refused, the
   * session waits for another confirmation, or is open again.
   *
   * @param session One that is confirmed.
   * @throws `quota_exceeded`, `account_mismatch`, `connector_not_found`, what the upstream says;
   * `connect_session_not_found` where it has been deleted meanwhile.
   */
  async settle(session: ConnectSession): Promise<ConnectSession> {
    const { store } = this.#parts;
    const { id, given } = session;
    if (given === null) throw new Error(`nothing was given in session ${id}`);
    try {
      await this.#use(session, given);
    } catch (error) {
      if (isStoreError(error, 'begun_ended')) throw sessionNotFound();
      // What else goes wrong leaves it unknown how far that got: it is settled later.
      if (isConnectorError(error)) {
        const { code, message } = forPage(error);
        await store.connectSessions.reopen(id, { code, message });
      }
      throw error;
    }
    return (await store.connectSessions.succeed(id)) ?? session;
  }

  /**
   * The session as it is now, for whoever looks at it: what nobody may use any more is erased, and what
   * a process left half done is finished.
   */
  async tidy(session: ConnectSession): Promise<ConnectSession> {
    const { store, clock, logger } = this.#parts;
    const { id, given, confirmedAt } = session;
    if ((given?.sealedCredentials ?? null) === null) return session;
    if (confirmedAt === null) {
      if (session.isExpired) await inPieces((limit) => store.connectSessions.eraseExpired(limit));
      return session;
    }
    if (clock.now() - confirmedAt.getTime() < LEFT_AFTER_MS) return session;
    try {
      return await this.settle(session);
    } catch (err) {
      logger.warn({ err, session_id: id }, 'A connect session could not be settled.');
      return (await store.connectSessions.find(id)) ?? session;
    }
  }

  async #use(session: ConnectSession, given: GivenInSession): Promise<void> {
    const { connectors, live, application, vault, clock } = this.#parts;
    const { connectorId, applicationId, externalUserId, isReconnection } = session;
    const { authMethod, sealedCredentials, isConsented } = given;
    const owner = await application(applicationId);
    if (owner === undefined || sealedCredentials === null) throw sessionNotFound();
    const credentials = await openCredentials(vault, {
      id: connectorId,
      authMethod,
      sealedCredentials,
    });
    const begun = { of: 'session', id: session.id } as const;
    const signal = AbortSignal.timeout(SETTLE_TIMEOUT_MS);
    if (isReconnection) {
      const access = accessOfPerson(session, owner, connectorId);
      await connectors.reauthorize(access, connectorId, {
        credentials,
        isConsented,
        begun,
        signal,
      });
      return;
    }
    const kind = findKind(given.kind);
    const { name, config, account } = given;
    const replicationConfig = completeReplicationConfig(
      kind,
      session.replicationConfig,
      clock.now(),
    );
    const connector = { id: connectorId, applicationId, externalUserId, kind, name };
    const made = {
      ...connector,
      credentials,
      config,
      replicationConfig,
      account,
      isConsented,
      begun,
    };
    try {
      await connectors.establish({ ...made, mustVerify: false }, { signal });
    } catch (error) {
      // The id was promised to this session alone: whoever else settles it has made the connector.
      const isMade = isUniqueViolation(error) || (await live.findNewest(connectorId)) !== undefined;
      if (!isMade) throw error;
    }
  }

  async #whyClosed(id: string): Promise<Error> {
    const now = await this.#parts.store.connectSessions.find(id);
    if (now === undefined) return sessionNotFound();
    return now.status === 'open' ? sessionExpired() : sessionUsed();
  }
}
