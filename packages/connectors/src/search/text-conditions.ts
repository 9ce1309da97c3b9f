import { EFFORT_OF_TEXT } from './effort.ts';
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
  if (condition.operator === 'like') {
    const parts = normalisedText(condition.pattern).split('%');
    for (const text of yield* judged.foldedAt(root, condition)) {
      judged.effort?.spend(condition, 1 + text.length * EFFORT_OF_TEXT.read);
      if (yield* hasParts(text, parts)) return 1;
      yield;
    }
    return 0;
  }
  const words = yield* judged.wordsAt(root, condition);
  judged.effort?.spend(condition, condition.words.length);
  if (condition.operator === 'keyword')
    return mean(condition.words.map((word) => (words.has(word) ? 1 : 0)));
  const best: number[] = [];
  for (const word of condition.words) {
    if (!words.has(word)) judged.effort?.spend(condition, words.size);
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
function* hasParts(text: string, parts: readonly string[]): Steps<boolean> {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return (yield* indexIn(text, first, 0)) !== -1;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const part of others) {
    const at = yield* indexIn(text, part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= end;
}

/** Code units of a text that are searched through between two steps. */
const WINDOW = 16 * 1024;

/** As `indexOf` does, which may compare the whole part at every place of a text. */
function* indexIn(text: string, part: string, from: number): Steps<number> {
  for (let start = from; ; start += WINDOW) {
    const at = text.slice(start, start + WINDOW + part.length).indexOf(part);
    if (at !== -1) return start + at;
    if (start + WINDOW >= text.length) return -1;
    yield;
  }
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
