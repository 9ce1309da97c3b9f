import type { Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { newUuid } from '../uuid.ts';
import { deleteConnectorsOf, type ConnectorDeletionParts } from './delete-connectors.ts';

export interface DeletedApplicationsParts extends ConnectorDeletionParts {
  readonly store: ConnectorDeletionParts['store'] & {
    readonly applications: Pick<Store['applications'], 'uncleared'>;
  };
  readonly clock: Clock;
  readonly logger: Logger;
}

const LOOK_EVERY_MS = 10_000;
const APPLICATIONS_AT_ONCE = 100;

/**
 * Deletes the connectors of deleted applications, as calls that delete them one by one would. What a crash
 * leaves undone is found in the tables again, by any process; several may do it at once.
 */
export class DeletedApplications {
  readonly #parts: DeletedApplicationsParts;
  readonly #timer: NodeJS.Timeout;
  #work: Promise<void> | undefined;
  #isAskedAgain = false;
  readonly #stopping = new AbortController();

  constructor(parts: DeletedApplicationsParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.clear(), LOOK_EVERY_MS).unref();
  }

  /** Begins now; whoever asks while that goes on is served after it. */
  clear(): void {
    this.#isAskedAgain = true;
    this.#work ??= this.#clearAll()
      .catch((err: unknown) =>
        this.#parts.logger.warn({ err }, 'Deleted applications could not be read; trying again.'),
      )
      .finally(() => {
        this.#work = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#work;
  }

  async #clearAll(): Promise<void> {
    while (this.#isAskedAgain && !this.#stopping.signal.aborted) {
      this.#isAskedAgain = false;
      await this.#clearEach();
    }
  }

  /** Each once, also where so many cannot be cleared that they would fill every page of those that wait. */
  async #clearEach(): Promise<void> {
    const { applications } = this.#parts.store;
    const tried: string[] = [];
    let some: readonly string[];
    do {
      some = await applications.uncleared(APPLICATIONS_AT_ONCE, tried);
      for (const id of some) await this.#clearOf(id);
      tried.push(...some);
    } while (some.length > 0 && !this.#stopping.signal.aborted);
  }

  /** What fails keeps no other application waiting: with Citus, the node of one may be down. */
  async #clearOf(applicationId: string): Promise<void> {
    const { clock, logger } = this.#parts;
    const jobId = newUuid(clock.now());
    const { signal } = this.#stopping;
    try {
      await deleteConnectorsOf(this.#parts, { applicationId }, { jobId, signal });
    } catch (err) {
      logger.warn(
        { err, application_id: applicationId },
        'The connectors of a deleted application could not be deleted; trying again.',
      );
    }
  }
}
