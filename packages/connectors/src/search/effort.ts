import { ConnectorError } from '../errors.ts';
import { placeOf } from './condition-places.ts';
import type { Condition } from './filter.ts';

/** Units of work that judging the records of one search may take: seconds of a processor. */
export const MAX_EFFORT = 50_000_000;

/** Units that each code unit of a text costs: cut into words, and lower-cased or searched through. */
export const EFFORT_OF_TEXT = { cut: 1 / 4, read: 1 / 64 } as const;
/** Units that each value of an `in` costs. */
export const EFFORT_OF_VALUE = 1 / 8;

/**
 * What judging records by the conditions of one search has cost so far, and may cost. A unit is about
 * what it takes to compare two words; so a condition costs 1 for each record, and more with every word
 * and text that it looks at.
 */
export class Effort {
  readonly #entity: string;
  readonly #spent = new Map<Condition, number>();
  #left: number;

  /** @param entity That is searched, for the error. */
  constructor(entity: string, most = MAX_EFFORT) {
    this.#entity = entity;
    this.#left = most;
  }

  /** @throws `search_too_broad` once it is too much, with the condition that cost most. */
  spend(condition: Condition, units: number): void {
    this.#spent.set(condition, (this.#spent.get(condition) ?? 0) + units);
    this.#left -= units;
    if (this.#left < 0) throw this.#tooBroad();
  }

  #tooBroad(): ConnectorError<'search_too_broad'> {
    const [costliest] = Array.from(this.#spent).toSorted(([, a], [, b]) => b - a);
    const condition = costliest && placeOf(costliest[0]);
    const most = condition === undefined ? '' : `, most of it for ${condition}`;
    return new ConnectorError(
      'search_too_broad',
      {
        entity: this.#entity,
        action: 'search',
        ...(condition === undefined ? {} : { condition }),
      },
      {
        message: `Too many records have to be judged one by one${most}; take words or conditions away, or add conditions that fewer records satisfy.`,
      },
    );
  }
}
