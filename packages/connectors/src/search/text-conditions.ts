import { isJsonObject } from '../check-members.ts';
import type { TextCondition } from './filter.ts';
import { valueAt } from './json-values.ts';
import { normalisedText, wordQuality, wordsOf } from './words.ts';

/**
 * How well a text condition holds, from 0 (it does not) to 1.
 *
 * @param root What the condition's path starts from: a record's values or an element of an array.
 * @see docs/search.md#texts
 */
export function textScore(condition: TextCondition, root: unknown): number {
  const texts = textsOf(valueAt(root, condition.path.segments));
  switch (condition.operator) {
    case 'like':
      return texts.some((text) => matchesPattern(condition.pattern, text)) ? 1 : 0;
    case 'keyword': {
      const words = new Set(texts.flatMap(wordsOf));
      return mean(condition.words.map((word) => (words.has(word) ? 1 : 0)));
    }
    case 'fuzzy': {
      const words = new Set(texts.flatMap(wordsOf));
      const best = condition.words.map((word) => bestQuality(word, words));
      return best.includes(0) ? 0 : mean(best);
    }
  }
}

/**
 * The strings that text operators look at: the value itself, or every string at any depth inside;
 * a number or boolean counts as its JSON text.
 */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'number' || typeof value === 'boolean') return [JSON.stringify(value)];
  return stringsIn(value);
}

/**
 * Whether a text matches a pattern of `like`, in which `%` is any run: as a whole, or anywhere if
 * the pattern has none. Case is ignored.
 */
function matchesPattern(pattern: string, text: string): boolean {
  const normalised = normalisedText(text);
  const [first = '', ...others] = normalisedText(pattern).split('%');
  const last = others.pop();
  if (last === undefined) return normalised.includes(first);
  if (!normalised.startsWith(first) || !normalised.endsWith(last)) return false;
  let from = first.length;
  const end = normalised.length - last.length;
  for (const part of others) {
    const at = normalised.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= end;
}

/** The mean of some scores; 0 of none. */
export function mean(scores: readonly number[]): number {
  if (scores.length === 0) return 0;
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function bestQuality(queryWord: string, words: Iterable<string>): number {
  let best = 0;
  for (const word of words) best = Math.max(best, wordQuality(queryWord, word));
  return best;
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}
