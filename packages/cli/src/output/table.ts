import { printable } from './printable.ts';
import { fitText, padText, textWidth } from './text-width.ts';

/** How a table is to look. */
export interface TableStyle {
  /** Columns of the terminal; `Infinity` where the output is no terminal. */
  readonly width: number;
  /** Marks titles. */
  readonly bold: (text: string) => string;
}

/** A record: values by the name of their column. */
export type Row = Readonly<Record<string, unknown>>;

const GAP = '  ';
/** A value is cut to this on a terminal, so that its neighbours are seen too. */
const MAX_CELL = 40;

/** A table for people, and the columns that there was no room for. */
interface Table {
  /** Lines, each with its end; empty where there are no rows. */
  readonly text: string;
  readonly leftOut: readonly string[];
}

/**
 * One row a line, with the columns in the given order, as many as fit, those without any value left
 * out. Numbers stand to the right. Text is shown, never obeyed.
 */
export function renderTable(
  columns: readonly string[],
  rows: readonly Row[],
  style: TableStyle,
): Table {
  if (rows.length === 0) return { text: '', leftOut: [] };
  const drawn = columns.map((name) => drawColumn(name, rows, style.width));
  const filled = drawn.filter(({ isEmpty }) => !isEmpty);
  const shown = columnsThatFit(filled.length > 0 ? filled : drawn.slice(0, 1), style.width);
  const lines = [
    lineOf(shown, ({ title }) => title, style.bold),
    ...rows.map((_, index) => lineOf(shown, ({ cells }) => cells[index] ?? '')),
  ];
  const names = new Set(shown.map(({ name }) => name));
  return {
    text: lines.map((line) => `${line}\n`).join(''),
    leftOut: filled.filter(({ name }) => !names.has(name)).map(({ name }) => name),
  };
}

/** One record, a field a line; nothing is cut. */
export function renderRecord(record: Row, { bold }: Pick<TableStyle, 'bold'>): string {
  const names = Object.keys(record);
  const width = Math.max(0, ...names.map((name) => textWidth(printable(name))));
  return names
    .map((name) => {
      const cell = cellText(record[name]);
      return cell === ''
        ? `${bold(printable(name))}\n`
        : `${bold(padText(printable(name), width))}${GAP}${cell}\n`;
    })
    .join('');
}

/** A value as a cell shows it: text as it is, null as nothing, objects as JSON. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return printable(value);
  return printable(JSON.stringify(value));
}

interface DrawnColumn {
  readonly name: string;
  readonly title: string;
  readonly cells: readonly string[];
  readonly width: number;
  readonly side: 'start' | 'end';
  readonly isEmpty: boolean;
}

function drawColumn(name: string, rows: readonly Row[], tableWidth: number): DrawnColumn {
  const title = printable(name);
  const max = Number.isFinite(tableWidth) ? MAX_CELL : Infinity;
  const cells = rows.map((row) => fitText(cellText(row[name]), max));
  const values = rows.map((row) => row[name]).filter((value) => (value ?? null) !== null);
  const isNumeric = values.length > 0 && values.every((value) => typeof value === 'number');
  return {
    name,
    title,
    cells,
    // A spread of this many arguments may be too much for the stack.
    width: cells.reduce((most, cell) => Math.max(most, textWidth(cell)), textWidth(title)),
    side: isNumeric ? 'start' : 'end',
    isEmpty: values.length === 0,
  };
}

/** The first columns that fit, at least one. */
function columnsThatFit(
  columns: readonly DrawnColumn[],
  tableWidth: number,
): readonly DrawnColumn[] {
  let left = tableWidth + GAP.length;
  const count = columns.findIndex(({ width }) => {
    left -= width + GAP.length;
    return left < 0;
  });
  return count === -1 ? columns : columns.slice(0, Math.max(1, count));
}

function lineOf(
  columns: readonly DrawnColumn[],
  textIn: (column: DrawnColumn) => string,
  style: (text: string) => string = (text) => text,
): string {
  const line = columns
    .map((column) => padText(textIn(column), column.width, column.side))
    .join(GAP)
    .trimEnd();
  return style(line);
}
