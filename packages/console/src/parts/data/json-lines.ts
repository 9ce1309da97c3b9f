import { plainText } from '../plain-text.ts';

/** A line is laid out as a whole, and a text may have megabytes. */
const MOST_CHARACTERS = 2_000;

/** JSON as lines of text, and how many characters the longest has. */
export interface JsonLines {
  readonly lines: readonly string[];
  readonly longest: number;
}

/** A value as indented JSON, line by line; long lines are cut, and say so. What would turn a text is escaped, too. */
export function jsonLines(value: unknown): JsonLines {
  const lines = JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => plainText(cut(line)));
  return { lines, longest: lines.reduce((most, { length }) => Math.max(most, length), 0) };
}

function cut(line: string): string {
  if (line.length <= MOST_CHARACTERS) return line;
  return `${line.slice(0, MOST_CHARACTERS)}… (${line.length - MOST_CHARACTERS} characters more)`;
}
