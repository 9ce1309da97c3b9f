import { ConnectorError, type SpentOnSearch } from '../errors.ts';
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
  readonly #remedies: string;
  readonly #spent = new Map<Condition, number>();
  #recordsJudged = 0;
  #left: number;

  /**
   * @param entity That is searched, for the error.
   * @param options.most Units there are.
   * @param options.allowsPartial Whether a part of the hits would do: where it comes to an error, there was none.
   */
  constructor(
    entity: string,
    {
      most = MAX_EFFORT,
      allowsPartial = false,
    }: { readonly most?: number; readonly allowsPartial?: boolean } = {},
  ) {
    this.#entity = entity;
    this.#remedies = allowsPartial ? REMEDIES_WITHOUT_PART : REMEDIES;
    this.#left = most;
  }

  get recordsJudged(): number {
    return this.#recordsJudged;
  }

  /** Counts one more record that is judged. */
  countRecord(): void {
    this.#recordsJudged++;
  }

  /** @throws `search_too_broad` once it is too much, with the condition that cost most. */
  spend(condition: Condition, units: number): void {
    this.#spent.set(condition, (this.#spent.get(condition) ?? 0) + units);
    this.#left -= units;
    if (this.#left < 0) throw this.#tooBroad();
  }

  /** What there is to say where the time of the search was over first. */
  outOfTime(timeoutMs: number, cause: unknown): ConnectorError<'upstream_timeout'> {
    const details = this.#details();
    return new ConnectorError(
      'upstream_timeout',
      { ...details, timeoutMs },
      {
        message: `The search was not done after ${timeoutMs} ms${judgedText(details)}; ${this.#remedies}, or allow more time with timeout_ms.`,
        cause,
      },
    );
  }

  #tooBroad(): ConnectorError<'search_too_broad'> {
    const details = this.#details();
    return new ConnectorError('search_too_broad', details, {
      message: `The search would take too much work${judgedText(details)}; ${this.#remedies}.`,
    });
  }

  #details(): { readonly entity: string; readonly action: string } & SpentOnSearch {
    const [costliest] = Array.from(this.#spent).toSorted(([, a], [, b]) => b - a);
    const condition = costliest && placeOf(costliest[0]);
    return {
      entity: this.#entity,
      action: 'search',
      ...(condition === undefined ? {} : { condition }),
      recordsJudged: this.#recordsJudged,
    };
  }
}

const NARROWER = 'take words or conditions away, add conditions that fewer records satisfy';
const REMEDIES = `${NARROWER}, take what is found until then with allow_partial`;
const REMEDIES_WITHOUT_PART = `no hits were known to come first yet, so there is no part to give; ${NARROWER}`;

function judgedText({ condition, recordsJudged }: SpentOnSearch): string {
  if (condition === undefined) return '';
  return `: ${recordsJudged.toLocaleString('en')} records were judged one by one, most of it for ${condition}`;
}
