import { hash32 } from './seeded-random.ts';

const ONSETS = 'b c d f g h k l m n p r s t v w z br ch dr fl gr kr pl sh st th tr'.split(' ');
const VOWELS = 'a e i o u ai ea ie oo'.split(' ');
const CODAS = 'l m n nd r rk s st t x'.split(' ');

/** Made-up words by rank: some few are common, and most of them rare. */
export interface SkewedWords {
  /** The word of a rank, from 0 (the commonest) on. */
  at(rank: number): string;
  /** The word that a hash selects: the one of rank r about 1/(r+1) as often as the first. */
  pick(hash: number): string;
}

/**
 * A vocabulary, of which the first words are given and the others made up; as in names that people
 * really have, the word of rank r comes up in proportion to 1/(r+1) (Zipf's law).
 */
export function skewedWords(
  known: readonly string[],
  { size, salt }: { readonly size: number; readonly salt: number },
): SkewedWords {
  const at = (rank: number) => known[rank] ?? madeUp(rank, salt);
  return {
    at,
    pick: (hash) => {
      const share = (hash >>> 0) / 2 ** 32;
      return at(Math.floor((size + 1) ** share) - 1);
    },
  };
}

/** A word of two or three syllables, the same every time; two ranks may share one. */
function madeUp(rank: number, salt: number): string {
  const hash = hash32(salt, rank);
  const middle = hash % 3 === 0 ? syllable(hash >>> 2) : '';
  const last = hash32(salt, rank, 1);
  const word = `${syllable(hash >>> 12)}${middle}${syllable(last)}${chosen(CODAS, last >>> 16)}`;
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function syllable(hash: number): string {
  return chosen(ONSETS, hash) + chosen(VOWELS, hash >>> 6);
}

function chosen(parts: readonly string[], hash: number): string {
  return parts[hash % parts.length] ?? '';
}
