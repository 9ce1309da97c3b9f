import { sql, type Expression } from 'kysely';

/**
 * Whether an expression of text contains another text, literally but for the case of letters: the same in every
 * database, whatever its locale has to say of letters. Letters whose other case is several do not change.
 */
export function containsText(haystack: Expression<string>, text: string): Expression<boolean> {
  const wanted = Array.from(text, lowerOf);
  // `lower` by code points knows ASCII alone; of other letters only those that are looked for matter.
  const letters = [...new Set(wanted)].filter((letter) => upperOf(letter) !== letter);
  const others = letters.filter((letter) => letter > '\u007f');
  return sql<boolean>`strpos(
    translate(lower(${haystack} collate "C"), ${others.map(upperOf).join('')}, ${others.join('')}),
    ${wanted.join('')}::text collate "C"
  ) > 0`;
}

/** Of a letter that its small one does not lead back to, such as ẞ, the database is not told: so it stays. */
function lowerOf(letter: string): string {
  const lower = onlyOneOf(letter.toLowerCase(), letter);
  return upperOf(lower) === letter ? lower : letter;
}

function upperOf(letter: string): string {
  return onlyOneOf(letter.toUpperCase(), letter);
}

/** The other case where it is one code point: what would be several is left as it is. */
function onlyOneOf(other: string, letter: string): string {
  return Array.from(other).length === 1 ? other : letter;
}
