import { bitsOfLetters, normalisedText, qualityOf, queryWordOf } from './words.ts';

/** A part of a text, in UTF-16 units; `to` is the first that is none of it. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A word of a text, as `wordsOf` gives it, and where it stands. */
export interface WordPlace extends TextRange {
  readonly word: string;
}

/** The words of a text, in its order. */
export function wordPlacesIn(text: string): readonly WordPlace[] {
  const places: WordPlace[] = [];
  let open: WordPlace | undefined;
  const close = () => {
    if (open !== undefined) places.push(open);
    open = undefined;
  };
  for (const { piece, from, to } of piecesOf(text)) {
    const folded = foldedForWords(piece);
    // A mark by itself belongs to the letter before it.
    if (folded === '' && open !== undefined) open = { ...open, to };
    for (const letters of isPlain(piece) ? [folded] : folded)
      if (!/^[\p{L}\p{Nd}]/u.test(letters)) close();
      else if (open === undefined) open = { word: letters, from, to };
      else open = { word: open.word + letters, from: open.from, to };
  }
  close();
  return places;
}

/**
 * Where a text has the words that satisfy `keyword` or `fuzzy`: of each word of the query all that are it, and else, for
 * `fuzzy`, those that fit it best.
 *
 * @param inAll Every word that the condition looked at, this text's among them: the best fit may be in another text.
 */
export function rangesOfWords(
  text: string,
  words: readonly string[],
  inAll: readonly string[],
): readonly TextRange[] {
  const best = new Set(words.flatMap((word) => bestFits(word, inAll)));
  return wordPlacesIn(text).filter(({ word }) => best.has(word));
}

/** The same words, of a query that only takes words as they are. */
export function rangesOfSame(text: string, words: readonly string[]): readonly TextRange[] {
  return wordPlacesIn(text).filter(({ word }) => words.includes(word));
}

/** Where a text has what a pattern of `like` asks for; nothing where it does not match. */
export function rangesOfPattern(text: string, pattern: string): readonly TextRange[] {
  const parts = normalisedText(pattern).split('%');
  const folded = foldedWithPlaces(text);
  const found =
    parts.length === 1 ? everyPart(folded.text, pattern) : partsInOrder(folded.text, parts);
  return found
    .filter(({ from, to }) => to > from)
    .map(({ from, to }) => ({ from: folded.starts[from] ?? 0, to: folded.ends[to - 1] ?? 0 }));
}

function bestFits(query: string, words: readonly string[]): readonly string[] {
  const asked = queryWordOf(query);
  let best = 0;
  let fits: string[] = [];
  for (const word of words) {
    const quality = qualityOf(asked, word, bitsOfLetters(word));
    if (quality > best) {
      best = quality;
      fits = [word];
    } else if (quality === best && best > 0) fits.push(word);
  }
  return fits;
}

function everyPart(text: string, pattern: string): readonly TextRange[] {
  const part = normalisedText(pattern);
  const found: TextRange[] = [];
  if (part === '') return found;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length))
    found.push({ from: at, to: at + part.length });
  return found;
}

/** What is between the `%`: the first at the beginning, the last at the end, the others as early as they can be. */
function partsInOrder(text: string, parts: readonly string[]): readonly TextRange[] {
  const [first = '', ...others] = parts;
  const last = others.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return [];
  const found = [{ from: 0, to: first.length }];
  for (const part of others) {
    const at = text.indexOf(part, found.at(-1)?.to);
    if (at === -1) return [];
    found.push({ from: at, to: at + part.length });
  }
  const end = { from: text.length - last.length, to: text.length };
  return end.from < (found.at(-1)?.to ?? 0) ? [] : [...found, end];
}

/** A text as `like` compares it, and for each of its units where in the text its code point begins and ends. */
function foldedWithPlaces(text: string) {
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = '';
  for (const { piece, from, to } of piecesOf(text)) {
    const lower = normalisedText(piece);
    folded += lower;
    for (let unit = 0; unit < lower.length; unit++) {
      starts.push(isPlain(piece) ? from + unit : from);
      ends.push(isPlain(piece) ? from + unit + 1 : to);
    }
  }
  return { text: folded, starts, ends };
}

/** As words are made: what a code point gives depends on none of its neighbours. */
function foldedForWords(piece: string): string {
  if (isPlain(piece)) return piece.toLowerCase();
  return normalisedText(piece.normalize('NFKD').replaceAll(/\p{M}/gu, '')).replaceAll('ς', 'σ');
}

/** Runs of letters and digits that fold unit by unit, as most of a text is, and every other code point by itself. */
function* piecesOf(text: string): Generator<TextRange & { readonly piece: string }> {
  let from = 0;
  for (const [piece] of text.matchAll(/[A-Za-z0-9]+|[^]/gu)) {
    const to = from + piece.length;
    yield { piece, from, to };
    from = to;
  }
}

function isPlain(piece: string): boolean {
  return /^[A-Za-z0-9]/.test(piece);
}
