import type { Logger } from '../log.ts';

/** Lines of refused calls without a token, each second. */
const LINES = 50;
const SECOND_MS = 1_000;

/** Strangers could fill the disk with lines that say that they were refused: beyond some a second, they are counted. */
export class StrangerLines {
  readonly #logger: Logger;
  #refused = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Whether a refusal has a line of its own. */
  takeLine(): boolean {
    if (this.#refused === 0) setTimeout(() => this.#tell(), SECOND_MS).unref();
    this.#refused += 1;
    return this.#refused <= LINES;
  }

  #tell(): void {
    const calls = this.#refused - LINES;
    this.#refused = 0;
    if (calls > 0)
      this.#logger.info({ calls }, 'Refused calls without a token that have no line of their own.');
  }
}
