import { PathHashes } from '../../../packages/store/src/copies/path-hashes.ts';
import { addGrams, wordTerm } from '../../../packages/store/src/copies/terms.ts';

/** A statement with its values; the first of them is the connector. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export const TABLE = 'patchbay.copy_customer_messaging_contacts';
const PAGE = 20;
const BY_KEY = `order by record_key limit ${PAGE}`;

/**
 * What somebody would write by hand who knows the table of contacts, its indexes and the hashes in
 * them, and is content with the hits: the least that a search can take.
 */
export class HandSql {
  readonly #connectorId: string;
  readonly #columns: string;
  readonly #paths: PathHashes;

  /** @param columns Those that hits show. */
  constructor(connectorId: string, columns: readonly string[]) {
    this.#connectorId = connectorId;
    this.#columns = columns.join(', ');
    this.#paths = new PathHashes(connectorId);
  }

  /** Rows of the connector; `where` names the values from `$2` on. */
  rows(where: string, values: readonly unknown[] = [], order: string = BY_KEY): Statement {
    return {
      text: `select ${this.#columns} from ${TABLE} where ${this.#ofConnector(where)} and ${where} ${order}`,
      values: [this.#connectorId, ...values],
    };
  }

  /** How many rows there are, 10,000 at most. */
  count(where: string, values: readonly unknown[] = []): Statement {
    const rows = this.rows(where, values, 'limit 10000');
    return { ...rows, text: `select count(*) from (${rows.text}) as found` };
  }

  /** The commonest values of a column among 10,000 rows at most. */
  facet(column: string, where: string, values: readonly unknown[] = []): Statement {
    const rows = this.rows(where, values, 'order by record_key limit 10000');
    return {
      ...rows,
      text: `select ${column}, count(*) from (${rows.text}) as found group by 1 order by 2 desc limit 20`,
    };
  }

  /** Rows with all of the words in a field. */
  allWords(path: readonly string[], words: readonly string[]): Statement {
    return this.rows('terms @> $2::bigint[]', [this.terms(path, words)]);
  }

  /**
   * Rows with some of the words, those with most of them first: a statement for each number of words,
   * of which the next is only needed while the page is not full.
   */
  mostWords(path: readonly string[], words: readonly string[]): readonly Statement[] {
    const terms = this.terms(path, words);
    return Array.from({ length: words.length }, (_, fewer) => {
      const combinations = subsetsOf(terms, words.length - fewer);
      const where = combinations.map((__, nth) => `terms @> $${nth + 2}::bigint[]`).join(' or ');
      return this.rows(`(${where})`, combinations);
    });
  }

  /** Rows whose text of a field has one of the values, each found by all of its words. */
  oneOfTexts(field: string, texts: readonly (readonly string[])[]): Statement {
    const where = texts.map((_, nth) => `terms @> $${nth + 2}::bigint[]`).join(' or ');
    return this.rows(
      `(${where})`,
      texts.map((words) => this.terms([field], words)),
    );
  }

  /** Rows with a part of a word in a text column. */
  part(column: string, part: string): Statement {
    const grams: number[] = [];
    for (const run of part.split(/[^\p{L}\p{Nd}]+/u))
      addGrams(this.#paths.root, run, (gram) => grams.push(gram));
    return this.rows(`grams @> $2::int[] and lower(${column}) like $3`, [grams, `%${part}%`]);
  }

  terms(path: readonly string[], words: readonly string[]): readonly number[] {
    const place = this.#paths.at(path);
    return words.map((word) => wordTerm(place, word));
  }

  /** Terms and grams belong to one connector; with `=` the planner might still read all its rows. */
  #ofConnector(where: string): string {
    const isInverted = /^\(?(terms|grams)/.test(where);
    return `connector_id ${isInverted ? 'is not distinct from' : '='} $1`;
  }
}

/** All subsets of a size, in the order of the items. */
function subsetsOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, nth) =>
    subsetsOf(items.slice(nth + 1), size - 1).map((rest) => [item, ...rest]),
  );
}
