import { normalisedText, wordsOf } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { HashLanes } from '../../hashes.ts';
import { addGrams } from '../../terms.ts';

/**
 * Patterns of `like` in SQL. There case is that of ASCII letters alone (collation "C"), so that only
 * patterns of ASCII can be exact: of other characters any run is allowed.
 */

// oxlint-disable-next-line no-control-regex -- the range is ASCII, control characters and all
const ASCII = /^[\x00-\x7f]*$/;

/** Whether a pattern, in lower case, means in SQL exactly what it should. */
export function isExactPattern(pattern: string): boolean {
  return ASCII.test(normalisedText(pattern));
}

/** Whether a pattern matches every text. */
export function isAnyPattern(pattern: string): boolean {
  return /^%*$/.test(pattern);
}

/**
 * Whether a pattern may match the JSON text of a number or boolean. Below an array those leave neither
 * terms nor grams behind.
 */
export function mayMatchScalar(pattern: string): boolean {
  const parts = normalisedText(pattern).split('%');
  return [/^[-+.e0-9]*$/, /^t?r?u?e?$/, /^f?a?l?s?e?$/].some((scalar) =>
    parts.every((part) => scalar.test(part)),
  );
}

/** A text in the case of patterns, as far as patterns have ASCII letters. */
export function foldedSql(text: RawBuilder<unknown>): RawBuilder<unknown> {
  // Two other characters become ASCII letters in lower case: the Kelvin sign and I with a dot.
  return sql`lower(replace(replace((${text}) collate "C", ${'\u212a'}, 'k'), ${'\u0130'}, ${'i\u0307'}))`;
}

/**
 * To compare a long pattern takes as long as it and the text are long together, where both are of one character: of a
 * longer one no more than its beginning is compared.
 */
const MOST_COMPARED = 24;

/** Whether a pattern is compared as a whole. */
export function isWholePattern(pattern: string): boolean {
  return comparedPart(pattern) === normalisedPattern(pattern);
}

/** Matches whatever the pattern does, and more where that is longer. */
function comparedPart(pattern: string): string {
  const normalised = normalisedPattern(pattern);
  if (normalised.length <= MOST_COMPARED) return normalised;
  const beginning = `${normalised.slice(0, MOST_COMPARED)}%`;
  // Without one of its own, a pattern may match anywhere.
  return normalised.includes('%') ? beginning : `%${beginning}`;
}

function normalisedPattern(pattern: string): string {
  return withoutRepeats(normalisedText(pattern));
}

/** The pattern for `like` on a text itself. */
export function textPattern(pattern: string): string {
  const compared = comparedPart(pattern);
  const inside = withoutRepeats(escaped(compared).replaceAll(/[^\x20-\x7e]/g, replaceControl));
  return compared.includes('%') ? inside : withoutRepeats(`%${inside}%`);
}

/** The pattern for `like` on JSON that has matching texts somewhere. */
export function jsonPattern(pattern: string): string {
  // What JSON escapes is written in several ways.
  const plain = escaped(comparedPart(pattern)).replaceAll(/\\\\|"|[^\x20-\x7e]/g, '%');
  return withoutRepeats(`%${plain}%`);
}

function replaceControl(unit: string): string {
  return ASCII.test(unit) ? unit : '%';
}

/** The pattern for `like`, in which nothing but `%` has a meaning. */
function escaped(pattern: string): string {
  return pattern.replaceAll(/[\\_]/g, String.raw`\$&`);
}

function withoutRepeats(pattern: string): string {
  return pattern.replaceAll(/%+/g, '%');
}

/** What every text has which matches a pattern. */
interface PatternParts {
  readonly words: readonly string[];
  /** Of runs that may go on in the text, so that no whole word is known. */
  readonly grams: readonly number[];
}

/**
 * Only what is surely within a word, or its beginning or end, tells anything: a run at the end of a
 * literal part may go on in the text.
 */
export function patternParts(place: HashLanes, pattern: string): PatternParts {
  const parts = normalisedText(pattern).split('%');
  const words = new Set<string>();
  const grams = new Set<number>();
  for (const [index, part] of parts.entries()) {
    const isWhole = parts.length > 1;
    const isAtStart = isWhole && index === 0;
    const isAtEnd = isWhole && index === parts.length - 1;
    for (const run of runsIn(part, isAtStart, isAtEnd)) {
      if (run.startsWith(' ') && run.endsWith(' ')) words.add(run.slice(1, -1));
      else addGrams(place, run, (gram) => grams.add(gram));
    }
  }
  return { words: [...words], grams: [...grams] };
}

/** The words of a literal part, with a space on each side where the word surely ends. */
function runsIn(part: string, isAtStart: boolean, isAtEnd: boolean): readonly string[] {
  const words = wordsOf(part);
  if (words.length === 0) return [];
  const beginsInside = !isAtStart && beginsWithWord(part);
  const endsInside = !isAtEnd && endsWithWord(part);
  return words.map((word, index) => {
    const before = index === 0 && beginsInside ? '' : ' ';
    const after = index === words.length - 1 && endsInside ? '' : ' ';
    return `${before}${word}${after}`;
  });
}

/** Whether the word of the text before may go on in the part. Marks belong to no word, but end none. */
function beginsWithWord(part: string): boolean {
  return wordsOf(`a${part}`).length === wordsOf(part).length;
}

function endsWithWord(part: string): boolean {
  return wordsOf(`${part}a`).length === wordsOf(part).length;
}
