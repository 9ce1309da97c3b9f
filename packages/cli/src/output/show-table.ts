import type { Terminal } from '../terminal.ts';
import { printable } from './printable.ts';
import { renderTable, type Row } from './table.ts';

/** At most so many names of columns are listed. */
const MAX_TOLD = 8;

/** Prints a table, and says which columns the terminal had no room for. */
export function showTable(
  columns: readonly string[],
  rows: readonly Row[],
  terminal: Terminal,
): void {
  const style = { width: terminal.width(), bold: terminal.bold };
  const { text, leftOut } = renderTable(columns, rows, style);
  terminal.out(text);
  if (leftOut.length === 0) return;
  const names = leftOut.slice(0, MAX_TOLD).map(printable).join(', ');
  const more = leftOut.length > MAX_TOLD ? ', …' : '';
  terminal.err(`Not shown: ${names}${more} (--json shows all).\n`);
}
