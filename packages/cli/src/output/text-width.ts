const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const ASCII = /^[\x20-\x7e]*$/;
/** Nothing but marks, controls and format characters. */
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cc}\p{Cf}]+$/u;
/** Shown as a picture by itself, or made one by U+FE0F. */
const PICTURE = /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}{2})|^\p{Emoji}.*\ufe0f/u;

/** First and last code points that take two columns, pictures left out. @see https://www.unicode.org/reports/tr11/ */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

/** Columns that a printable text takes on a terminal. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text in at most so many columns; where it is cut, it ends with an ellipsis. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let fitted = '';
  let left = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    fitted += segment;
  }
  return columns < 1 ? '' : `${fitted}…`;
}

/** The text with spaces up to so many columns. */
export function padText(text: string, columns: number, side: 'start' | 'end' = 'end'): string {
  const spaces = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return side === 'end' ? text + spaces : spaces + text;
}

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  if (PICTURE.test(grapheme)) return 2;
  const code = grapheme.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
