import { ConnectorError, type Clock } from '@patchbay/connectors';
import type {
  Application as ApplicationOnWire,
  ListedApplication,
  NewApplication as NewOnWire,
  NewApplicationSecret,
} from '@patchbay/connectors/wire';
import {
  isStoreError,
  isUuid,
  type Application,
  type NewSecret,
  type Store,
} from '@patchbay/store';
import type { Access } from '../access/access.ts';
import { hashClientSecret, MAX_SECRETS, newClientSecret } from '../access/client-secret.ts';
import { ensureOrganization } from '../access/create-application.ts';
import { forbidden } from '../access/reach.ts';
import { newUuid } from '../uuid.ts';
import { checkApplicationChange, checkNewApplication } from './application-input.ts';
import { viewApplication, viewListedApplication, viewSecret } from './application-view.ts';
import { pageFrom, type PageQuery } from './list-query.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ApplicationDeskParts {
  readonly store: Pick<Store, 'applications' | 'organizations' | 'settings'>;
  /** Told of every application that is another one now, or gone. */
  readonly forget: (applicationId: string) => void;
  /** Sees to it that the connectors of a deleted application go. */
  readonly clear: () => void;
  readonly clock: Clock;
}

/** What the operator does with applications, and an application with itself. */
export class ApplicationDesk {
  readonly #parts: ApplicationDeskParts;

  constructor(parts: ApplicationDeskParts) {
    this.#parts = parts;
  }

  async list({ limit, after }: PageQuery): Promise<{
    readonly data: readonly ListedApplication[];
    readonly next: string | null;
  }> {
    const rows = await this.#parts.store.applications.list({
      limit: limit + 1,
      ...(after === undefined ? {} : { after }),
    });
    const { page, next } = pageFrom(rows, limit, (row) => row);
    return { data: page.map(viewListedApplication), next };
  }

  /** @throws as `checkNewApplication`. */
  async create(body: Json): Promise<NewOnWire> {
    const { store, clock } = this.#parts;
    const given = checkNewApplication(body);
    const { clientSecret, secret } = this.#newSecret();
    const application = await store.applications.create(
      {
        ...given,
        id: newUuid(clock.now()),
        organizationId: await ensureOrganization(store, clock),
        clientId: newUuid(clock.now()),
      },
      secret,
    );
    // Both were made at the same instant: what is told only now must not depend on another look.
    const view = viewApplication(application, [{ ...secret, createdAt: application.createdAt }]);
    return { ...view, client_secret: clientSecret };
  }

  /** @throws `application_not_found`, also for an application's token of another one. */
  async read(access: Access, id: string): Promise<ApplicationOnWire> {
    return this.#view(await this.#require(access, id));
  }

  /** @throws as `read` and `checkApplicationChange`; `forbidden` for what only the operator changes. */
  async change(access: Access, id: string, body: Json): Promise<ApplicationOnWire> {
    const { id: known } = await this.#require(access, id);
    const change = checkApplicationChange(body);
    if (change.callsPerMinute !== undefined && access.type !== 'operator')
      throw forbidden("rate_limit is the operator's to change.");
    const changed = await this.#parts.store.applications.update(known, change);
    this.#parts.forget(known);
    if (changed === undefined) throw applicationNotFound(id);
    return this.#view(changed);
  }

  /**
   * Revokes the application, for good; its connectors go soon after. Returns the id of the job.
   *
   * @throws `application_not_found`.
   */
  async delete(id: string): Promise<string> {
    const { store, clock, forget, clear } = this.#parts;
    const canonical = id.toLowerCase();
    const jobId = await store.applications.delete(canonical, newUuid(clock.now()));
    if (jobId === undefined) throw applicationNotFound(id);
    forget(canonical);
    clear();
    return jobId;
  }

  /** @throws `application_not_found`, also for a revoked one; `quota_exceeded`. */
  async addSecret(id: string): Promise<NewApplicationSecret> {
    const { clientSecret, secret } = this.#newSecret();
    const added = await this.#insertSecret(id, secret);
    if (added === undefined) throw applicationNotFound(id);
    return { ...viewSecret(added), client_secret: clientSecret };
  }

  /** @throws `application_not_found`, `secret_not_found`, `last_secret`. */
  async deleteSecret(id: string, secretId: string): Promise<void> {
    const { applications } = this.#parts.store;
    const outcome = await applications.deleteSecret(id, secretId);
    if (outcome === 'last')
      throw new ConnectorError(
        'last_secret',
        {},
        {
          message:
            'It is the only secret of the application; make another one first, or delete the application.',
        },
      );
    if (outcome === 'deleted') return;
    if ((await applications.findById(id)) === undefined) throw applicationNotFound(id);
    throw new ConnectorError('secret_not_found', {});
  }

  async #insertSecret(
    id: string,
    secret: NewSecret,
  ): ReturnType<Store['applications']['addSecret']> {
    try {
      return await this.#parts.store.applications.addSecret(id, secret, MAX_SECRETS);
    } catch (error) {
      if (!isStoreError(error, 'secrets_full')) throw error;
      const message = `The application has ${MAX_SECRETS} secrets, as many as one may have; delete one.`;
      const details = { limit: MAX_SECRETS, of: 'application' } as const;
      throw new ConnectorError('quota_exceeded', details, { message, cause: error });
    }
  }

  #newSecret(): { readonly clientSecret: string; readonly secret: NewSecret } {
    const clientSecret = newClientSecret();
    const id = newUuid(this.#parts.clock.now());
    return { clientSecret, secret: { id, secretHash: hashClientSecret(clientSecret) } };
  }

  async #require(access: Access, id: string): Promise<Application> {
    const isReached =
      isUuid(id) && (access.type === 'operator' || access.applicationId === id.toLowerCase());
    const found = isReached ? await this.#parts.store.applications.findById(id) : undefined;
    if (found === undefined) throw applicationNotFound(id);
    return found;
  }

  async #view(application: Application): Promise<ApplicationOnWire> {
    const secrets = await this.#parts.store.applications.secrets(application.id);
    return viewApplication(application, secrets);
  }
}

function applicationNotFound(id: string): ConnectorError<'application_not_found'> {
  const message = `No application within reach has the id ${JSON.stringify(id.slice(0, 64))}.`;
  return new ConnectorError('application_not_found', {}, { message });
}
