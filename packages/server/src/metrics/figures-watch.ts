import type { Clock } from '@patchbay/connectors';
import type { Figures, Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { CallDeadline } from '../operations/call-deadline.ts';

interface FiguresWatchParts {
  readonly store: Pick<Store, 'figures'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Counting takes the database a while: however often it is asked, it counts so often at most. */
const FRESH_MS = 10_000;
/** A scrape waits no longer for a database that does not answer. */
const WAIT_MS = 1_000;

/** The figures of the database, without ever waiting long for them, or asking twice at once. */
export class FiguresWatch {
  readonly #parts: FiguresWatchParts;
  #known: { readonly figures: Figures; readonly at: number } | undefined;
  #asking: Promise<Figures> | undefined;

  constructor(parts: FiguresWatchParts) {
    this.#parts = parts;
  }

  /** At most 10 s old; `undefined` where the database does not tell them in time. */
  async latest(): Promise<Figures | undefined> {
    const { clock, logger } = this.#parts;
    if (this.#known !== undefined && clock.monotonic() - this.#known.at < FRESH_MS)
      return this.#known.figures;
    try {
      return await new CallDeadline(clock, WAIT_MS).within(this.#ask());
    } catch (err) {
      logger.warn({ err }, 'The database told no figures for the metrics.');
      return undefined;
    }
  }

  /** One that takes too long for a scrape serves a later one. */
  #ask(): Promise<Figures> {
    const { store, clock } = this.#parts;
    this.#asking ??= store
      .figures()
      .then((figures) => {
        this.#known = { figures, at: clock.monotonic() };
        return figures;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}
