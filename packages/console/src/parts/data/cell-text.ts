import { plainText } from '../plain-text.ts';
import type { CellMarks } from './cell-marks.ts';

/** Longer texts are cut in tables: nobody reads them there, and they take time to lay out. */
const MOST_CHARACTERS = 200;
/** How far into a value it is looked for what is marked. */
const MOST_LOOKED_AT = 20_000;
/** A first mark that stands further in would be out of sight; so much before it is left. */
const [FAR_IN, BEFORE_MARK] = [28, 12];

/** A piece of what a cell shows. */
export interface CellPart {
  readonly text: string;
  readonly isMarked: boolean;
}

/** A value as a cell of a table shows it: texts as they are seen, everything else as JSON, on one line. */
export function cellText(value: unknown): string {
  return textOf(cellParts(value));
}

/** The same in pieces; where something of it is marked, from shortly before that on. */
export function cellParts(value: unknown, marks?: CellMarks): readonly CellPart[] {
  if (value === null || value === undefined) return [];
  const writer = new PartWriter(marks === undefined ? MOST_CHARACTERS : MOST_LOOKED_AT);
  if (typeof value === 'string') writer.text(value, marks, (text) => text);
  else writer.json(value, marks);
  return cut(fromFirstMark(writer.parts));
}

/** What parts say together. */
export function textOf(parts: readonly CellPart[]): string {
  return parts.map(({ text }) => text).join('');
}

/** Writes until there is enough: of large objects and arrays only the beginning is looked at at all. */
class PartWriter {
  readonly parts: CellPart[] = [];
  readonly #most: number;
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get #isFull(): boolean {
    return this.#length > this.#most;
  }

  json(value: unknown, marks: CellMarks | undefined): void {
    if (this.#isFull) return;
    const isWhole = marks?.isWhole === true;
    if (typeof value === 'string') {
      this.#add('"', isWhole);
      this.text(value, marks, escaped);
      this.#add('"', isWhole);
    } else if (typeof value !== 'object' || value === null)
      this.text(JSON.stringify(value), marks, (text) => text);
    else this.#members(value, isWhole ? { isWhole } : marks);
  }

  /** A text, some of it marked, each piece written as it is shown. */
  text(value: string, marks: CellMarks | undefined, write: (text: string) => string): void {
    const shown = value.slice(0, this.#most + 1);
    if (marks?.isWhole === true) return this.#add(write(shown), true);
    let at = 0;
    for (const { from, to } of marks?.ranges ?? []) {
      // What two conditions found may overlap.
      const begin = Math.max(from, at);
      this.#add(write(shown.slice(at, begin)), false);
      this.#add(write(shown.slice(begin, to)), true);
      at = Math.max(at, to);
    }
    this.#add(write(shown.slice(at)), false);
  }

  #members(value: object, marks: CellMarks | undefined): void {
    const isArray = Array.isArray(value);
    const isWhole = marks?.isWhole === true;
    this.#add(isArray ? '[' : '{', isWhole);
    let isFirst = true;
    for (const [name, member] of Object.entries(value)) {
      if (this.#isFull) return;
      if (!isFirst) this.#add(',', isWhole);
      isFirst = false;
      if (!isArray) this.#add(`${JSON.stringify(name)}:`, isWhole);
      this.json(member, isWhole ? marks : marks?.inside?.get(name));
    }
    this.#add(isArray ? ']' : '}', isWhole);
  }

  #add(text: string, isMarked: boolean): void {
    if (text === '') return;
    this.#length += text.length;
    const line = plainText(text.replaceAll(/\s+/g, ' '));
    const last = this.parts.at(-1);
    if (last?.isMarked === isMarked) this.parts.splice(-1, 1, { text: last.text + line, isMarked });
    else this.parts.push({ text: line, isMarked });
  }
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function fromFirstMark(parts: readonly CellPart[]): readonly CellPart[] {
  const [first, ...others] = parts;
  if (first === undefined || first.isMarked || others.length === 0) return parts;
  if (first.text.length <= FAR_IN) return parts;
  return [{ text: `…${first.text.slice(-BEFORE_MARK)}`, isMarked: false }, ...others];
}

function cut(parts: readonly CellPart[]): readonly CellPart[] {
  const shown: CellPart[] = [];
  let left = MOST_CHARACTERS;
  for (const part of parts) {
    if (part.text.length > left)
      return [...shown, { ...part, text: `${part.text.slice(0, left)}…` }];
    shown.push(part);
    left -= part.text.length;
  }
  return shown;
}
