import { randomUUID } from 'node:crypto';

import { IntercomError } from './intercom-error.ts';

/** Where a scroll stands. */
interface OpenScroll {
  readonly parameter: string;
  readonly usedAtMs: number;
  readonly start: number;
}

/** An unused scroll ends after this long. */
const SCROLL_LIFE_MS = 60_000;

/**
 * The one scroll that a workspace can have open. Every call moves it on, also one whose answer is
 * lost on its way: there is no going back.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/companies/scrolloverallcompanies
 */
export class CompanyScroll {
  readonly #clock: () => number;
  #open: OpenScroll | undefined;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * The scroll that a call continues, or a new one when the call gives no scroll parameter.
   *
   * @throws IntercomError `scroll_exists` when one is open already, `not_found` for the parameter
   *   of a scroll that has ended.
   */
  enter(parameter: string | undefined): OpenScroll {
    const open = this.#current();
    if (parameter === undefined || parameter === '') {
      if (open !== undefined) {
        const message = 'scroll already exists for this workspace';
        throw new IntercomError(400, 'scroll_exists', message);
      }
      return { parameter: randomUUID(), usedAtMs: this.#clock(), start: 0 };
    }
    if (open === undefined || open.parameter !== parameter) {
      throw new IntercomError(404, 'not_found', 'scroll parameter not found');
    }
    return open;
  }

  /** Keeps the scroll open; its next call reads from the position `start` on. */
  moveTo(start: number, parameter: string): void {
    this.#open = { parameter, usedAtMs: this.#clock(), start };
  }

  end(): void {
    this.#open = undefined;
  }

  #current(): OpenScroll | undefined {
    const open = this.#open;
    if (open === undefined || this.#clock() - open.usedAtMs > SCROLL_LIFE_MS) return undefined;
    return open;
  }
}
