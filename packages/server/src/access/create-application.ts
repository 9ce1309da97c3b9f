import type { Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import type { Store } from '@patchbay/store';
import { newUuid } from '../uuid.ts';
import { hashClientSecret, newClientSecret } from './client-secret.ts';

/** An application as its owner needs it to log in. The secret is nowhere else. */
export interface ApplicationCredentials {
  readonly applicationId: string;
  readonly organizationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What making an application needs of the store. */
export type ApplicationStore = Pick<Store, 'applications' | 'organizations' | 'settings'>;

/** Puts the credentials of an application where its owner finds them. */
export type KeepCredentials = (
  credentials: Pick<ApplicationCredentials, 'clientId' | 'clientSecret'>,
) => void | Promise<void>;

interface CreationOptions {
  readonly clock?: Clock;
}

interface FirstOptions extends CreationOptions {
  /** Called before the application is made: where it fails, none is, and no secret is lost. */
  readonly keep?: KeepCredentials | undefined;
}

/**
 * Makes an application with a new secret, in the oldest organization or a first one. Needs no
 * running service.
 */
export async function createApplication(
  store: ApplicationStore,
  name: string,
  { clock = systemClock }: CreationOptions = {},
): Promise<ApplicationCredentials> {
  const { application, secret, credentials } = await draft(store, name, clock);
  await store.applications.create(application, secret);
  return credentials;
}

/** The same, unless there is one: `undefined` then. Of processes that start at once, one makes it. */
export async function createFirstApplication(
  store: ApplicationStore,
  name: string,
  { clock = systemClock, keep }: FirstOptions = {},
): Promise<ApplicationCredentials | undefined> {
  const { application, secret, credentials } = await draft(store, name, clock);
  const { clientId, clientSecret } = credentials;
  const made = await store.applications.createFirst(application, secret, () =>
    keep?.({ clientId, clientSecret }),
  );
  return made && credentials;
}

async function draft(store: ApplicationStore, name: string, clock: Clock) {
  const organizationId = await ensureOrganization(store, clock);
  const id = newUuid(clock.now());
  const clientId = newUuid(clock.now());
  const clientSecret = newClientSecret();
  return {
    application: { id, organizationId, clientId, name },
    secret: { id: newUuid(clock.now()), secretHash: hashClientSecret(clientSecret) },
    credentials: { applicationId: id, organizationId, clientId, clientSecret },
  };
}

/** The id of the oldest organization; a first one is made where there is none. */
export async function ensureOrganization(store: ApplicationStore, clock: Clock): Promise<string> {
  const [oldest] = await store.organizations.list();
  if (oldest !== undefined) return oldest.id;
  // Processes that start at once agree on the id, and creating it twice is creating it once.
  const id = await store.settings.ensure('first_organization_id', newUuid(clock.now()));
  await store.organizations.create({ id, name: 'Default organization' });
  return id;
}
