import { cellText } from './cell-text.ts';
import type { Column, Row } from './row.ts';

const SAMPLE = 50;
const NARROWEST = 6;
const WIDEST = 40;
/** Room beside the text, in characters. */
const PADDING = 3;

/** How many characters wide each column is, by its name and its first cells: scrolling changes none. */
export function columnWidths(
  columns: readonly Column[],
  rows: readonly Row[],
): readonly number[] {
  const sample = rows.slice(0, SAMPLE);
  return columns.map(({ name }) => {
    const longest = sample.reduce(
      (most, row) => Math.max(most, cellText(row[name]).length),
      name.length,
    );
    return Math.min(WIDEST, Math.max(NARROWEST, longest)) + PADDING;
  });
}
