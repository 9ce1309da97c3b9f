import { ConnectorError } from '../errors.ts';
import { asString } from '../scalars.ts';
import { PARAM_PART } from '../vocabulary/index.ts';

/**
 * Pages in a row that may bring no new record while the list goes on. Slack sends empty ones in the middle of a list,
 * where it has filtered what would be on them; no upstream sends so many.
 */
export const MAX_FRUITLESS_PAGES = 1_000;

/** So many keys are remembered at least, and those of the last page, however many they are. */
const REMEMBERED_KEYS = 1_000;

/** The list that is walked, for the error. */
interface NamedList {
  readonly displayName: string;
  readonly entity: string;
}

/**
 * Notices a list that goes on for ever, from one new cursor to the next, and brings nothing: only records that its last
 * pages had, or none. What it remembers has a bound, however long the list is.
 */
export class FruitlessPages {
  /** Hashes of keys. Two that coincide do no harm: many pages in a row make the difference. */
  #recent = new Set<number>();
  #older = new Set<number>();
  #inARow = 0;

  /**
   * @param keys Of the records of the page; one that has none that is known is always new.
   * @throws `upstream_contract_broken` after too many pages in a row that brought nothing new.
   */
  check(keys: Iterable<string | undefined>, { displayName, entity }: NamedList): void {
    this.#inARow = this.#bringsNew(keys) ? 0 : this.#inARow + 1;
    if (this.#inARow < MAX_FRUITLESS_PAGES) return;
    throw new ConnectorError(
      'upstream_contract_broken',
      { entity, action: 'list' },
      {
        message: `${displayName} gave ${MAX_FRUITLESS_PAGES} pages in a row that brought no new record, and led on from each; the list is incomplete.`,
      },
    );
  }

  #bringsNew(keys: Iterable<string | undefined>): boolean {
    if (this.#recent.size >= REMEMBERED_KEYS) {
      this.#older = this.#recent;
      this.#recent = new Set();
    }
    let isNew = false;
    for (const key of keys) {
      const hash = key === undefined ? undefined : hashOf(key);
      isNew ||= hash === undefined || !(this.#recent.has(hash) || this.#older.has(hash));
      if (hash !== undefined) this.#recent.add(hash);
    }
    return isNew;
  }
}

/**
 * What tells a record from the others of one walk; `undefined` where that is not known.
 *
 * @param key The key of its entity: parts that come from params are the same for all of a walk.
 */
export function keyInWalk(
  key: readonly string[],
  record: Readonly<Record<string, unknown>>,
): string | undefined {
  const parts = key
    .filter((part) => !part.startsWith(PARAM_PART))
    .map((part) => asString(record[part]));
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(':');
}

/** FNV-1a over the units of the text, in 32 bits: a key may be of any length, and this part runs in browsers, too. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
