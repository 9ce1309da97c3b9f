import { ConnectorError, type Clock } from '@patchbay/connectors';
import type { Application, ConsoleSession, NewConsoleSession, Store } from '@patchbay/store';
import type { Applications } from '../access/applications.ts';
import { FailedAttempts } from '../access/failed-attempts.ts';
import { parseOperatorKey, type OperatorKey } from '../access/operator-key.ts';
import { forbidden } from '../access/reach.ts';
import type { Tokens } from '../access/tokens.ts';
import { hashOfSecret, isSecret, newSecret } from '../random-secret.ts';
import type { SignIn } from './sign-in-input.ts';
import type { StartLink } from './start-link.ts';

/** However much it is used, a session ends after this time. */
export const SESSION_SECONDS = 12 * 3_600;
/** A session that nobody uses for this time has ended. */
export const SESSION_IDLE_MS = 3_600_000;
/** The page asks for the next one by itself. */
const CONSOLE_TOKEN_SECONDS = 600;
/** Of an application, and of the operator. */
export const MAX_CONSOLE_SESSIONS = 100;

interface ConsoleSessionsParts {
  readonly store: Pick<Store, 'applications' | 'consoleSessions'>;
  readonly applications: Pick<Applications, 'logIn'>;
  readonly tokens: Pick<Tokens, 'issueApplicationToken' | 'issueOperatorToken'>;
  /** The operator's key, and what names it; without one, nobody signs in as the operator. */
  readonly operator: { readonly key: OperatorKey; readonly digest: string } | undefined;
  readonly link: StartLink;
  readonly clock: Clock;
}

/** Whose a session is, and when it ends at the latest. */
export type SignedIn = { readonly expiresAt: Date } & (
  | { readonly role: 'operator'; readonly application: null }
  | { readonly role: 'application'; readonly application: Application }
);

/** Where a request to sign in comes from. */
export interface SignInOrigin {
  readonly address: string;
  /** A browser on this machine has sent it, and nobody has passed it on. */
  readonly isDirect: boolean;
}

/** A token for the page to hold in memory. */
export interface ConsoleToken {
  readonly token: string;
  readonly expiresAt: Date;
  readonly role: SignedIn['role'];
  /** Null for one of the operator. */
  readonly applicationId: string | null;
}

/** People who are signed in to the web console, by a secret that their browser keeps. */
export class ConsoleSessions {
  readonly #parts: ConsoleSessionsParts;
  readonly #wrongLinks: FailedAttempts;

  constructor(parts: ConsoleSessionsParts) {
    this.#parts = parts;
    this.#wrongLinks = new FailedAttempts(parts.clock);
  }

  /**
   * Opens a session; one that the browser has had before ends.
   *
   * @param earlier The secret that the browser has kept, if any.
   * @returns The session, and the secret for the browser to keep.
   * @throws `unauthenticated`; `rate_limited` after too many failures; `forbidden` for a link from elsewhere.
   */
  async signIn(
    given: SignIn,
    origin: SignInOrigin,
    earlier: string | undefined,
  ): Promise<{ readonly session: SignedIn; readonly secret: string }> {
    const opener = await this.#judge(given, origin);
    try {
      return await this.#open(opener, earlier);
    } catch (error) {
      if (given.by === 'link') this.#parts.link.giveBack(given.secret);
      throw error;
    }
  }

  async #open(
    opener: NewConsoleSession,
    earlier: string | undefined,
  ): Promise<{ readonly session: SignedIn; readonly secret: string }> {
    const secret = newSecret();
    const opened = await this.#parts.store.consoleSessions.open(hashOfSecret(secret), opener, {
      livesMs: SESSION_SECONDS * 1_000,
      most: MAX_CONSOLE_SESSIONS,
    });
    // A secret of the application that was right a moment ago has been deleted since.
    if (opened === undefined) throw unauthenticated('The client_secret has been deleted.');
    await this.signOut(earlier);
    return { session: await this.#signedIn(opened), secret };
  }

  /**
   * The session of a browser's secret, which counts as used from then on.
   *
   * @throws `unauthenticated`.
   */
  async require(secret: string | undefined): Promise<SignedIn> {
    const isLike = secret !== undefined && isSecret(secret);
    const { consoleSessions } = this.#parts.store;
    const found = isLike
      ? await consoleSessions.use(hashOfSecret(secret), SESSION_IDLE_MS)
      : undefined;
    if (found === undefined) throw notSignedIn();
    return await this.#signedIn(found);
  }

  /** Ends the session of a browser's secret; where there is none, nothing happens. */
  async signOut(secret: string | undefined): Promise<void> {
    if (secret === undefined || !isSecret(secret)) return;
    await this.#parts.store.consoleSessions.end(hashOfSecret(secret));
  }

  /**
   * A short token: of the application, or, in a session of the operator that names none, of the operator.
   *
   * @throws `application_not_found`, in a session of an application also for any other.
   */
  async token(session: SignedIn, applicationId: string | undefined): Promise<ConsoleToken> {
    const { tokens, clock } = this.#parts;
    const now = clock.now();
    const leftSeconds = Math.floor((session.expiresAt.getTime() - now) / 1_000);
    const seconds = Math.max(1, Math.min(CONSOLE_TOKEN_SECONDS, leftSeconds));
    const expiresAt = new Date(now + seconds * 1_000);
    const application = await this.#applicationFor(session, applicationId);
    if (application === null) {
      const token = await tokens.issueOperatorToken(seconds);
      return { token, expiresAt, role: 'operator', applicationId: null };
    }
    const { id, organizationId } = application;
    const owner = { applicationId: id, organizationId };
    const token = await tokens.issueApplicationToken(owner, seconds);
    return { token, expiresAt, role: 'application', applicationId: id };
  }

  async #judge(given: SignIn, origin: SignInOrigin): Promise<NewConsoleSession> {
    const { applications } = this.#parts;
    switch (given.by) {
      case 'link':
        return this.#judgeLink(given.secret, origin);
      case 'operatorKey':
        return this.#judgeKey(given.key, origin.address);
      case 'client': {
        const { clientId, clientSecret } = given;
        const login = await applications.logIn(clientId, clientSecret, origin);
        return { applicationId: login.application.id, clientSecretHash: login.secretHash };
      }
    }
  }

  #judgeLink(secret: string, { address, isDirect }: SignInOrigin): NewConsoleSession {
    const { digest: operatorKeyDigest } = this.#requireOperator();
    if (!isDirect) throw forbidden(LINK_FROM_ELSEWHERE);
    if (this.#parts.link.take(secret)) return { operatorKeyDigest };
    this.#wrongLinks.note('links that were none', { address });
    throw unauthenticated(WRONG_LINK);
  }

  #judgeKey(given: string, address: string): NewConsoleSession {
    const { key, digest: operatorKeyDigest } = this.#requireOperator();
    key.verify(parseOperatorKey(given) ?? '', address, "That is not the operator's key.");
    return { operatorKeyDigest };
  }

  #requireOperator(): ConsoleSessionsParts['operator'] & object {
    const { operator } = this.#parts;
    if (operator === undefined) throw unauthenticated(NO_OPERATOR);
    return operator;
  }

  /** @throws `unauthenticated` where the application or the key is not what it was. */
  async #signedIn(session: ConsoleSession): Promise<SignedIn> {
    const { store, operator } = this.#parts;
    const { expiresAt } = session;
    if ('operatorKeyDigest' in session) {
      if (session.operatorKeyDigest !== operator?.digest) throw notSignedIn();
      return { role: 'operator', application: null, expiresAt };
    }
    const application = await store.applications.findById(session.applicationId);
    if (application?.revokedAt !== null) throw notSignedIn();
    return { role: 'application', application, expiresAt };
  }

  /** Null for the operator. */
  async #applicationFor(
    { role, application: own }: SignedIn,
    id: string | undefined,
  ): Promise<Application | null> {
    if (id === undefined || id === own?.id) return own;
    const found =
      role === 'operator' ? await this.#parts.store.applications.findById(id) : undefined;
    if (found?.revokedAt === null) return found;
    const message = `No application within reach has the id ${JSON.stringify(id)}, or it is revoked.`;
    throw new ConnectorError('application_not_found', {}, { message });
  }
}

const WRONG_LINK =
  "The link has been used, or is too old, or is of an earlier start. The next start prints another; or sign in with the operator's key.";
const LINK_FROM_ELSEWHERE =
  "The link of a start signs in from the machine of the service alone, without a proxy between. Sign in with the operator's key.";
const NO_OPERATOR =
  "The service has no operator's key (PATCHBAY_OPERATOR_KEY), so nobody signs in as the operator.";

function notSignedIn(): ConnectorError<'unauthenticated'> {
  return unauthenticated('Nobody is signed in to the console here; sign in at /console.');
}

function unauthenticated(message: string): ConnectorError<'unauthenticated'> {
  return new ConnectorError('unauthenticated', {}, { message });
}
