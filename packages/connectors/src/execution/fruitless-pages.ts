import { ConnectorError } from '../errors.ts';
import { asString } from '../scalars.ts';
import { PARAM_PART } from '../vocabulary/index.ts';

/** Pages since the last new record that may bring nothing but records of earlier ones, while the list goes on. */
export const MAX_FRUITLESS_PAGES = 1_000;
/** The same of empty ones. Slack filters what it has cut into pages, so that of small pages very many may be empty. */
export const MAX_EMPTY_PAGES = 10_000;

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
  /** Since the last new record. */
  #empty = 0;
  #repeated = 0;

  /**
   * @param keys Of the records of the page; one that has none that is known is always new.
   * @throws `upstream_contract_broken` after too many pages in a row that brought nothing new.
   */
  check(keys: readonly (string | undefined)[], { displayName, entity }: NamedList): void {
    if (keys.length === 0) this.#empty += 1;
    else if (this.#bringsNew(keys)) this.#empty = this.#repeated = 0;
    else this.#repeated += 1;
    if (this.#repeated < MAX_FRUITLESS_PAGES && this.#empty < MAX_EMPTY_PAGES) return;
    throw new ConnectorError(
      'upstream_contract_broken',
      { entity, action: 'list' },
      {
        message: `${displayName} gave ${this.#repeated + this.#empty} pages in a row that brought no new record, and led on from each; the list is incomplete.`,
      },
    );
  }

  #bringsNew(keys: readonly (string | undefined)[]): boolean {
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
