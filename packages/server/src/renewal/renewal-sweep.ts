import type { DueRenewal, Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';

interface SweepParts {
  readonly store: { readonly renewals: Pick<Store['renewals'], 'due'> };
  readonly live: Pick<LiveConnectors, 'renew'>;
  readonly logger: Logger;
}

const SWEEP_EVERY_MS = 2_000;
/** So many are renewed side by side. */
export const AT_ONCE = 20;
/** So many of these are of one kind: where the upstreams of two do not answer, as of one vendor's, others go on. */
export const OF_ONE_KIND = 8;

/**
 * Renews what is due although nobody calls: a refresh token that is never used ends, too. Any number of
 * processes may do it.
 */
export class RenewalSweep {
  readonly #parts: SweepParts;
  readonly #timer: NodeJS.Timeout;
  /** Their work, by connector. */
  readonly #underWay = new Map<string, { readonly kind: string; readonly work: Promise<void> }>();
  #look: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#lookOnce(), SWEEP_EVERY_MS).unref();
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#look;
    await Promise.all([...this.#underWay.values()].map(({ work }) => work));
  }

  #lookOnce(): Promise<void> {
    this.#look ??= this.#beginDue()
      .catch(this.#warn)
      .finally(() => {
        this.#look = undefined;
      });
    return this.#look;
  }

  /** As many as there is room for. */
  async #beginDue(): Promise<void> {
    const room = AT_ONCE - this.#underWay.size;
    if (room === 0) return;
    const kinds = new Set([...this.#underWay.values()].map(({ kind }) => kind));
    const full = [...kinds].filter((kind) => !this.#hasRoomFor(kind));
    const due = await this.#parts.store.renewals.due(room, full);
    if (this.#isStopped) return;
    for (const each of due)
      if (this.#hasRoomFor(each.kind) && !this.#underWay.has(each.id)) this.#begin(each);
  }

  #hasRoomFor(kind: string): boolean {
    const alike = [...this.#underWay.values()].filter((each) => each.kind === kind);
    return alike.length < OF_ONE_KIND;
  }

  #begin({ id, kind }: DueRenewal): void {
    const work = this.#parts.live
      .renew(id)
      .catch(this.#warn)
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { kind, work });
  }

  readonly #warn = (err: unknown): void => {
    this.#parts.logger.warn({ err }, 'What is to be renewed could not be looked up.');
  };
}
