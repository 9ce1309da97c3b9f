import { ConnectorError, type Clock } from '@patchbay/connectors';
import { isUuid, type Application } from '@patchbay/store';
import { countCodePoints } from '../code-points.ts';
import { FreshCache } from '../fresh-cache.ts';
import { newUuid } from '../uuid.ts';
import type { ApplicationAccess } from './access.ts';
import { hashClientSecret, matchingHash } from './client-secret.ts';
import { ensureOrganization, type ApplicationStore } from './create-application.ts';
import { FailedAttempts } from './failed-attempts.ts';

/** A client secret that its owner chose has at least this many characters. */
export const MIN_SECRET_CHARACTERS = 32;

/** What a revocation ends has ended within 5 s: noticing it is a part of that. */
const REFRESH_AFTER_MS = 1_000;
const MAX_AGE_MS = 3_000;
const MAX_CACHED = 10_000;

/** An application that has logged in, and the stored hash of the secret that it did so with. */
export interface Login {
  readonly application: Application;
  readonly secretHash: string;
}

interface ApplicationsOptions {
  readonly store: ApplicationStore;
  readonly clock: Clock;
  readonly onRefreshError: (error: unknown) => void;
}

/** The applications of the organizations: logging in, noticing revocation, making new ones. */
export class Applications {
  readonly #store: ApplicationsOptions['store'];
  readonly #clock: Clock;
  readonly #failed: FailedAttempts;
  readonly #known: FreshCache<Application>;

  constructor({ store, clock, onRefreshError }: ApplicationsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#failed = new FailedAttempts(clock);
    this.#known = new FreshCache({
      clock,
      maxEntries: MAX_CACHED,
      refreshAfterMs: REFRESH_AFTER_MS,
      maxAgeMs: MAX_AGE_MS,
      load: (id) => store.applications.findById(id),
      onRefreshError,
    });
  }

  /**
   * The application whose client id and secret these are.
   *
   * @param onKnown Called where there is an application of that client id, whatever the secret.
   * @throws `unauthenticated`; `rate_limited` after too many failures of the client id or address.
   */
  async logIn(
    clientId: string,
    clientSecret: string,
    { address, onKnown }: { readonly address: string; readonly onKnown?: () => void },
  ): Promise<Login> {
    const login = await this.#store.applications.findLogin(clientId);
    if (login !== undefined) onKnown?.();
    const secretHash = matchingHash(clientSecret, login?.secretHashes ?? []);
    if (login !== undefined && secretHash !== undefined)
      return { application: login.application, secretHash };
    this.#failed.note('failed logins', { clientId, address });
    throw new ConnectorError(
      'unauthenticated',
      {},
      { message: 'No application has that client_id and client_secret.' },
    );
  }

  /**
   * Lets a token's application pass; at once where it was looked up lately.
   *
   * @throws `unauthenticated` when it is revoked or gone.
   */
  requireLive(applicationId: string): void | Promise<void> {
    const known = this.#known.get(applicationId);
    if (!(known instanceof Promise)) return requireUnrevoked(known);
    return known.then(requireUnrevoked);
  }

  /**
   * What an application may do, for whoever acts in its place.
   *
   * @throws `application_not_found`, also for one that is revoked.
   */
  async accessOf(applicationId: string): Promise<ApplicationAccess> {
    const found = isUuid(applicationId)
      ? await this.#known.get(applicationId.toLowerCase())
      : undefined;
    if (found === undefined || isEnded(found))
      throw new ConnectorError('application_not_found', {});
    return { type: 'application', applicationId: found.id, organizationId: found.organizationId };
  }

  /** The rate limit of an application that was looked up lately; null where it has none of its own. */
  callsPerMinuteOf(applicationId: string): number | null | undefined {
    return this.#known.peek(applicationId)?.callsPerMinute;
  }

  /** Whether an application is revoked, or gone; at once where it was looked up lately. */
  isRevoked(applicationId: string): boolean | Promise<boolean> {
    const known = this.#known.get(applicationId);
    return known instanceof Promise ? known.then(isEnded) : isEnded(known);
  }

  /**
   * Makes sure that an application with these credentials exists; one that is revoked stays so. A secret
   * that it did not have takes the place of the one it was made with, or got by this way before.
   */
  async ensure(
    name: string,
    given: { readonly clientId: string; readonly clientSecret: string },
  ): Promise<Application> {
    if (countCodePoints(given.clientSecret) < MIN_SECRET_CHARACTERS)
      throw new RangeError(`a client secret has at least ${MIN_SECRET_CHARACTERS} characters`);
    const { clientId, clientSecret } = given;
    const login = await this.#store.applications.findLogin(clientId);
    if (login !== undefined && matchingHash(clientSecret, login.secretHashes) !== undefined)
      return login.application;
    const now = this.#clock.now();
    const application = await this.#store.applications.ensure(
      {
        id: newUuid(now),
        organizationId: await ensureOrganization(this.#store, this.#clock),
        clientId,
        name,
      },
      { id: newUuid(now), secretHash: hashClientSecret(clientSecret) },
    );
    this.#known.forget(application.id);
    return application;
  }

  /** All that are not revoked, oldest first. */
  async list(): Promise<readonly Application[]> {
    const applications = await this.#store.applications.list();
    return applications.filter(({ revokedAt }) => revokedAt === null);
  }

  async revoke(id: string): Promise<void> {
    await this.#store.applications.revoke(id);
    this.forget(id);
  }

  /** What memory has of an application is out of date. */
  forget(id: string): void {
    this.#known.forget(id);
  }
}

function isEnded(application: Application | undefined): boolean {
  return application === undefined || application.revokedAt !== null;
}

function requireUnrevoked(application: Application | undefined): void {
  if (!isEnded(application)) return;
  throw new ConnectorError(
    'unauthenticated',
    {},
    { message: 'The application of this token is revoked.' },
  );
}
