import type { Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { newUuid } from '../uuid.ts';
import { deleteConnectorsOf, type ConnectorDeletionParts } from './delete-connectors.ts';

export interface DeletedApplicationsParts extends ConnectorDeletionParts {
  readonly store: Pick<Store, 'applications' | 'connectors'>;
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
        this.#parts.logger.warn(
          { err },
          'The connectors of deleted applications could not be deleted; trying again.',
        ),
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
      for (const id of await this.#parts.store.applications.uncleared(APPLICATIONS_AT_ONCE))
        await this.#clearOf(id);
    }
  }

  async #clearOf(applicationId: string): Promise<void> {
    const jobId = newUuid(this.#parts.clock.now());
    const { signal } = this.#stopping;
    await deleteConnectorsOf(this.#parts, { applicationId }, { jobId, signal });
  }
}
