import type { AttackNumbers } from './attack-numbers.ts';

/** The text that makes searches costly: free form, and in some contacts very long. */
const TEXT = 'custom_attributes';
/** Words that many contacts have. */
const COMMON_WORDS = ['lantern', 'remark', 'somebody', 'pasted', 'document', 'paid', 'subscriber'];
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export type Filter = Readonly<Record<string, unknown>>;

/** Many words that no contact has, all of them under `not`: every row is judged by every word. */
export function negatedFuzzy({ conditions, words, letters }: AttackNumbers, nth: number): Filter {
  const each = Math.max(1, Math.floor(words / conditions));
  return {
    and: times(conditions, (condition) => ({
      not: {
        fuzzy: { [TEXT]: textOf(each, (word) => madeUp(letters, nth + condition * each + word)) },
      },
    })),
  };
}

/** Many words that are nearly those of many contacts, each a condition of its own. */
export function nearlyCommon({ words }: AttackNumbers, nth: number): Filter {
  return { or: times(words, (word) => ({ fuzzy: { [TEXT]: misspelt(nth + word) } })) };
}

/** Many words, some of which every contact has, so that all of them are scored. */
export function keywords({ words, letters }: AttackNumbers, nth: number): Filter {
  const rare = textOf(Math.max(0, words - 2), (word) => madeUp(letters, nth + word));
  return { keyword: { email: `example com ${rare}` } };
}

/** Patterns that no index narrows down and no contact fits, so that all rows are read. */
export function hopelessLikes({ conditions }: AttackNumbers, nth: number): Filter {
  return {
    or: times(conditions, (condition) => ({
      like: { [TEXT]: `%a%e%${LETTERS[(nth + condition) % LETTERS.length] ?? 'q'}%q%z%j%` },
    })),
  };
}

/** `%a%` in elements of arrays, under as many `not` as there may be. */
export function nested({ conditions, depth }: AttackNumbers, nth: number): Filter {
  const element = { or: [{ like: { url: '%a%' } }, { not: { like: { type: `%${nth}%a%` } } }] };
  let filter: Filter = {
    or: times(conditions, (condition) => ({
      any: { [condition % 2 === 0 ? 'companies.data' : 'tags.data']: { not: element } },
    })),
  };
  for (let level = 4; level < depth; level++) filter = { not: filter };
  return filter;
}

/** Words of a single kind of digit, which are long. */
export function longNumbers({ letters }: AttackNumbers, nth: number): Filter {
  return { fuzzy: { [TEXT]: String(nth % 10).repeat(letters) } };
}

export function times<T>(count: number, make: (nth: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, nth) => make(nth));
}

function textOf(words: number, wordAt: (nth: number) => string): string {
  return times(words, wordAt).join(' ');
}

/** A word of its own for each number. */
function madeUp(letters: number, nth: number): string {
  let rest = nth + 1;
  return times(letters, (place) => {
    rest = (rest * 1_103_515_245 + 12_345 + place) % 2_147_483_647;
    return LETTERS[rest % LETTERS.length];
  }).join('');
}

function misspelt(nth: number): string {
  const word = COMMON_WORDS[nth % COMMON_WORDS.length] ?? '';
  const at = 1 + (nth % (word.length - 1));
  return word.slice(0, at) + (LETTERS[nth % LETTERS.length] ?? '') + word.slice(at + 1);
}
