import { ConnectorError, isConnectorError, type Clock } from '@patchbay/connectors';
import { findKind, type Account } from '@patchbay/connectors/engine';
import type { ConnectPageSession, ConnectProgress } from '@patchbay/connectors/wire';
import type { ConnectSession, Store } from '@patchbay/store';
import { accessOfPerson } from '../access/access.ts';
import { FailedAttempts } from '../access/failed-attempts.ts';
import type { Consents } from '../consent/consents.ts';
import type { Accounts } from '../operations/accounts.ts';
import type { GivenCredentials } from '../operations/given-credentials.ts';
import type { LiveConnector } from '../operations/live-connector.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import type { SyncRuns } from '../operations/sync-runs.ts';
import type { SessionApplication, SessionEnds } from './session-ends.ts';
import {
  forPage,
  ofNobodyKnown,
  sessionExpired,
  sessionNotFound,
  sessionTaken,
  sessionUsed,
  tooManyAttempts,
} from './session-errors.ts';
import {
  checkConsentEntry,
  checkEntry,
  type CheckedEntry,
  type EntryRules,
} from './session-input.ts';
import { hasHash, hashOfSecret, isSecret, newSecret } from '../random-secret.ts';
import { viewForPage, viewProgress } from './session-view.ts';

type Json = Readonly<Record<string, unknown>>;

export interface PageSessionsParts {
  readonly store: Pick<Store, 'connectSessions'>;
  readonly ends: SessionEnds;
  readonly live: Pick<LiveConnectors, 'requireNewest'>;
  readonly given: Pick<GivenCredentials, 'try' | 'requireSecretOfApp'>;
  readonly accounts: Pick<Accounts, 'judge'>;
  readonly syncRuns: Pick<SyncRuns, 'view'>;
  readonly consents: Pick<Consents, 'isPossible' | 'begin'>;
  /** `undefined` for one that is revoked or gone. */
  readonly application: (id: string) => Promise<SessionApplication | undefined>;
  readonly clock: Clock;
}

/** What a page sends to open a link. */
export interface Opening {
  /** That of the link. */
  readonly secret: string;
  /** Random, and the page's own: whoever sends both again was not told what became of them, and gets its cookie again. */
  readonly attempt: string | undefined;
}

/** A session in the browser that is bound to it. */
export interface BoundSession {
  readonly session: ConnectSession;
  readonly application: SessionApplication;
}

/** How often a person can try: more would be guessing. */
export const MAX_ATTEMPTS = 30;

/**
 * Connect sessions as a person goes through them on the page: the link opens one in one browser, which holds the
 * only secret from then on.
 *
 * @see docs/decisions/2026-11-22-a-link-connects-nothing-by-itself.md
 */
export class PageSessions {
  readonly #parts: PageSessionsParts;
  readonly #wrongLinks: FailedAttempts;

  constructor(parts: PageSessionsParts) {
    this.#parts = parts;
    this.#wrongLinks = new FailedAttempts(parts.clock);
  }

  /**
   * Opens the session of a link: the first browser is bound to it, and may open it again.
   *
   * @param from.browserSecret What the browser has kept for a session of that id.
   * @param from.onBound Told what the browser has to keep, where it has just been bound, or was by the same attempt;
   * whatever goes wrong after that.
   * @throws `connect_session_not_found`, `connect_session_taken`, `connect_session_expired`; `rate_limited` after too
   * many links from one address that were none.
   */
  async open(
    { secret, attempt }: Opening,
    from: {
      readonly address: string;
      readonly browserSecret: (sessionId: string) => string | undefined;
      readonly onBound: (sessionId: string, browserSecret: string) => void;
    },
  ): Promise<BoundSession> {
    const newBrowser = attempt === undefined ? newSecret() : hashOfSecret(`${secret} ${attempt}`);
    const found = isSecret(secret)
      ? await this.#parts.store.connectSessions.bind(hashOfSecret(secret), hashOfSecret(newBrowser))
      : undefined;
    const isBound = found !== undefined && hasHash(newBrowser, found.browserHash);
    if (isBound) from.onBound(found.id, newBrowser);
    const application = found && (await this.#parts.application(found.applicationId));
    if (found === undefined || application === undefined) {
      this.#wrongLinks.note('links that were none', from);
      throw sessionNotFound();
    }
    const session = await this.#parts.ends.tidy(found);
    if (found.browserHash === null) throw sessionExpired();
    if (!isBound && !hasHash(from.browserSecret(found.id), found.browserHash)) throw sessionTaken();
    return { session, application };
  }

  /**
   * The session of that id, for the browser that is bound to it.
   *
   * @throws `connect_session_not_found`, whatever is wrong.
   */
  async require(id: string, browserSecret: string | undefined): Promise<BoundSession> {
    const { store, ends } = this.#parts;
    const found = browserSecret === undefined ? undefined : await store.connectSessions.find(id);
    if (found === undefined || !hasHash(browserSecret, found.browserHash)) throw sessionNotFound();
    const application = await this.#parts.application(found.applicationId);
    if (application === undefined) throw sessionNotFound();
    return { session: await ends.tidy(found), application };
  }

  /** What the page shows of it. */
  async view({ session, application }: BoundSession): Promise<ConnectPageSession> {
    const { consents } = this.#parts;
    const { applicationId, shownStatus: status } = session;
    const kinds = await Promise.all(
      session.kinds.map(async (name) => {
        const kind = findKind(name);
        // Afterwards nobody is asked any more, and pages look often.
        const hasConsent =
          status === 'open' && (await consents.isPossible({ applicationId, kind }));
        return { kind, hasConsent };
      }),
    );
    const progress = status === 'succeeded' ? await this.#progress(session, application) : null;
    return viewForPage(session, { applicationName: application.name, kinds, progress });
  }

  /**
   * Tries credentials upstream, and takes them where they work.
   *
   * @throws as `checkEntry`; `connect_session_used`, `connect_session_expired`; `quota_exceeded` after too many
   * attempts; what the upstream says, `account_mismatch`; as `SessionEnds.give`.
   */
  async submit(bound: BoundSession, body: Json, signal: AbortSignal): Promise<BoundSession> {
    const { session } = bound;
    requireOpen(session);
    const entry = checkEntry(body, rulesOf(session));
    await this.#countAttempt(session);
    const { applicationId } = session;
    const { kind, credentials } = entry;
    await this.#parts.given.requireSecretOfApp(kind, { applicationId, credentials });
    try {
      const account = await this.#try(bound, entry, signal);
      return {
        ...bound,
        session: await this.#parts.ends.give(session, { ...entry, account, isConsented: false }),
      };
    } catch (error) {
      if (isConnectorError(error) && !signal.aborted)
        await this.#parts.store.connectSessions.noteProblem(session.id, problemOf(error));
      throw error;
    }
  }

  /**
   * Where the person goes to consent, and the cookie that the browser takes along.
   *
   * @throws as `checkEntry`; `oauth_not_configured`; `connect_session_used`, `connect_session_expired`;
   * `connector_not_found` where the one that is to be reconnected has gone; `quota_exceeded` after too many attempts.
   */
  async consent(
    { session, application }: BoundSession,
    body: Json,
  ): Promise<{ readonly authorizeUrl: string; readonly cookie: string }> {
    requireOpen(session);
    const { kind, config: entered } = checkConsentEntry(body, rulesOf(session));
    await this.#countAttempt(session);
    const config = session.isReconnection
      ? (await this.#known(session, application)).row.config
      : entered;
    const { id, applicationId, externalUserId } = session;
    const purpose = { for: 'session', sessionId: id } as const;
    const owner = { applicationId, externalUserId };
    const begun = await this.#parts.consents.begin({ ...owner, kind, config, purpose });
    // What went wrong before would look like the outcome of this one.
    await this.#parts.store.connectSessions.noteProblem(id, null);
    return begun;
  }

  /**
   * Takes credentials that a person has consented to, once they work.
   *
   * @throws as `submit`; whoever asked tells the session by `decline`.
   */
  async receive(
    sessionId: string,
    given: Pick<CheckedEntry, 'kind' | 'config' | 'credentials'>,
  ): Promise<void> {
    const { store, ends } = this.#parts;
    const session = await store.connectSessions.find(sessionId);
    const application = session && (await this.#parts.application(session.applicationId));
    if (session === undefined || application === undefined) throw sessionNotFound();
    requireOpen(session);
    const signal = AbortSignal.timeout(TRY_TIMEOUT_MS);
    const account = await this.#try({ session, application }, given, signal);
    await ends.give(session, { ...given, account, isConsented: true });
  }

  /** Notes why nobody consented. */
  async decline(
    sessionId: string,
    { code, message }: { readonly code: string; readonly message: string },
  ): Promise<void> {
    await this.#parts.store.connectSessions.noteProblem(sessionId, { code, message });
  }

  async #countAttempt({ id }: ConnectSession): Promise<void> {
    if (await this.#parts.store.connectSessions.countAttempt(id, MAX_ATTEMPTS)) return;
    throw tooManyAttempts(MAX_ATTEMPTS);
  }

  async #try(
    { session, application }: BoundSession,
    entry: Pick<CheckedEntry, 'kind' | 'config' | 'credentials'>,
    signal: AbortSignal,
  ): Promise<Account | null> {
    const { accounts } = this.#parts;
    const { kind, credentials } = entry;
    if (!session.isReconnection) return await this.#tryNew(entry, signal);
    const known = await this.#known(session, application);
    const { config } = known.row;
    const tried = await this.#parts.given.try(kind, { credentials, config }, { signal });
    const judged = await accounts
      .judge(known, { credentials, config, mayReplace: false }, { signal })
      .catch((error: unknown) => {
        throw forPage(error);
      });
    // Its id, which a confirmation is asked for, is no secret: the account alone tells that they are not somebody else's.
    if (judged.isAnother) throw ofNobodyKnown(tried);
    return judged.account;
  }

  /** The connector that there is. */
  async #known(session: ConnectSession, application: SessionApplication): Promise<LiveConnector> {
    const { connectorId } = session;
    const access = accessOfPerson(session, application, connectorId);
    return this.#parts.live.requireNewest(access, connectorId);
  }

  async #tryNew(
    { kind, config, credentials }: Pick<CheckedEntry, 'kind' | 'config' | 'credentials'>,
    signal: AbortSignal,
  ): Promise<Account | null> {
    try {
      return await this.#parts.given.try(kind, { credentials, config }, { signal });
    } catch (error) {
      throw isConnectorError(error, 'config_required') ? configMissing(error) : error;
    }
  }

  async #progress(
    session: ConnectSession,
    application: SessionApplication,
  ): Promise<ConnectProgress | null> {
    try {
      const { connectorId } = session;
      const access = accessOfPerson(session, application, connectorId);
      return viewProgress(await this.#parts.syncRuns.view(access, connectorId));
    } catch (error) {
      // It has been deleted since.
      if (isConnectorError(error, 'connector_not_found')) return null;
      throw error;
    }
  }
}

const TRY_TIMEOUT_MS = 45_000;

function requireOpen(session: ConnectSession): void {
  if (session.shownStatus === 'expired') throw sessionExpired();
  if (session.status !== 'open') throw sessionUsed();
}

function rulesOf({ kinds, config, isReconnection }: ConnectSession): EntryRules {
  return { kinds: kinds.map((name) => findKind(name)), config, isReconnection };
}

function problemOf({ code, message }: ConnectorError) {
  return { code, message };
}

/** In a form, what is missing is a fault at its field. */
function configMissing({
  details,
}: ConnectorError<'config_required'>): ConnectorError<'invalid_config'> {
  const faults = details.missing.map((name) => ({
    field: `config.${name}`,
    errorCode: 'missing' as const,
    message: 'is required',
  }));
  const names = faults.map(({ field }) => field).join(', ');
  return new ConnectorError(
    'invalid_config',
    { faults },
    { message: `The config is wrong: ${names} is required` },
  );
}
