import type { TextCondition } from './filter.ts';
import type { FieldWords, JudgedTexts } from './judged-texts.ts';
import type { Steps } from './steps.ts';
import { normalisedText, qualityOf, queryWordOf } from './words.ts';

/**
 * How well a text condition holds, from 0 (it does not) to 1.
 *
 * @param root What the condition's path starts from: a record's values or an element of an array.
 * @param judged The texts of the record, shared by its conditions.
 * @see docs/search.md#texts
 */
export function* textScore(
  condition: TextCondition,
  root: unknown,
  judged: JudgedTexts,
): Steps<number> {
  const { segments } = condition.path;
  if (condition.operator === 'like') {
    const parts = normalisedText(condition.pattern).split('%');
    for (const text of yield* judged.foldedAt(root, segments)) {
      if (hasParts(text, parts)) return 1;
      yield;
    }
    return 0;
  }
  const words = yield* judged.wordsAt(root, segments);
  if (condition.operator === 'keyword')
    return mean(condition.words.map((word) => (words.has(word) ? 1 : 0)));
  const best: number[] = [];
  for (const word of condition.words) {
    const quality = yield* bestQuality(word, words);
    if (quality === 0) return 0;
    best.push(quality);
  }
  return mean(best);
}

/**
 * Whether a text matches a pattern of `like`, in which `%` is any run: as a whole, or anywhere if
 * the pattern has none.
 *
 * @param parts What is between the runs.
 */
function hasParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text.includes(first);
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
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

/** So many words are compared between two steps. */
const WORDS_A_STEP = 500;

function* bestQuality(queryWord: string, words: FieldWords): Steps<number> {
  if (words.has(queryWord)) return 1;
  const query = queryWordOf(queryWord);
  let best = 0;
  let compared = 0;
  for (const [word, bits] of words) {
    best = Math.max(best, qualityOf(query, word, bits));
    if (++compared % WORDS_A_STEP === 0) yield;
  }
  return best;
}
