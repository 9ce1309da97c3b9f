import { ELEMENTS } from '@patchbay/connectors/engine';
import type { JsonType } from '../contract/copies.ts';
import type { CopyColumn } from './copy-table.ts';

/** Paths that are observed of one entity of a connector; what comes after them is not. */
export const MAX_PATHS = 1_000;
/** Segments of an observed path, and bytes of its text: what is deeper or longer is not observed. */
const MAX_SEGMENTS = 12;
const MAX_BYTES = 1_000;

/** The bit that stands for each type of value that JSON has; stored, so never to be changed. */
const BITS: Readonly<Record<JsonType, number>> = {
  string: 1,
  integer: 2,
  number: 4,
  boolean: 8,
  object: 16,
  array: 32,
  null: 64,
};

/** One path of records that were counted. */
export interface TalliedPath {
  /** The path as `textOfPath` has it. */
  readonly text: string;
  /** A bit for each type that was seen. */
  readonly types: number;
  /** Records that have it. */
  readonly records: number;
}

/** A name below others; the trie of all paths is made of them. */
interface Node {
  readonly text: string;
  readonly segments: readonly string[];
  readonly below: Map<string, Node>;
  types: number;
  records: number;
  /** The record that was counted last: each counts once. */
  lastRecord: number;
}

/**
 * Which paths there are below the object and array fields of some records, with the types of their
 * values, and in how many records. Names are kept, values are not. However many names there are, it
 * keeps `MAX_PATHS`, and says where that was not enough.
 */
export class PathTally {
  readonly #roots: readonly { readonly index: number; readonly node: Node }[];
  readonly #nodes: Node[] = [];
  #record = 0;
  /** Whether the record that is looked at counts. */
  #counts = false;
  #records = 0;
  #hasAll = true;

  constructor(columns: readonly CopyColumn[]) {
    this.#roots = columns.flatMap(({ sqlType, field }, index) =>
      sqlType === 'jsonb' ? [{ index, node: nodeOf([field.name]) }] : [],
    );
  }

  /** No path was left out for want of room. */
  get hasAll(): boolean {
    return this.#hasAll;
  }

  /** How many counted. */
  get records(): number {
    return this.#records;
  }

  get paths(): readonly TalliedPath[] {
    return this.#nodes;
  }

  /**
   * @param values Of one record, in the order of the columns.
   * @param counts It is another one than those before: its paths count, not only that they are there.
   */
  add(values: readonly unknown[], counts: boolean): void {
    this.#record++;
    this.#counts = counts;
    if (counts) this.#records++;
    for (const { index, node } of this.#roots) this.#descend(node, values[index]);
  }

  #descend(above: Node, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (above.segments.length >= MAX_SEGMENTS) return;
    if (Array.isArray(value)) {
      for (const element of value) this.#see(above, ELEMENTS, element);
      return;
    }
    // What is neither null nor an array is an object.
    const members = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(members)) this.#see(above, name, members[name]);
  }

  #see(above: Node, name: string, value: unknown): void {
    const node = above.below.get(name) ?? this.#make(above, name);
    if (node === undefined) return;
    node.types |= BITS[typeOf(value)];
    if (this.#counts && node.lastRecord !== this.#record) node.records++;
    node.lastRecord = this.#record;
    this.#descend(node, value);
  }

  #make(above: Node, name: string): Node | undefined {
    if (this.#nodes.length >= MAX_PATHS) {
      this.#hasAll = false;
      return undefined;
    }
    if (name.length > MAX_BYTES) return undefined;
    const node = nodeOf([...above.segments, name]);
    if (!isShort(node.text)) return undefined;
    above.below.set(name, node);
    this.#nodes.push(node);
    return node;
  }
}

/** The types that bits stand for. */
export function typesOf(bits: number): readonly JsonType[] {
  // Object.keys of a record of all types.
  return (Object.keys(BITS) as JsonType[]).filter((type) => (bits & BITS[type]) !== 0);
}

/** One text for each path. */
export function textOfPath(segments: readonly string[]): string {
  return JSON.stringify(segments);
}

export function pathOfText(text: string): readonly string[] {
  // Proof: textOfPath has made it.
  return JSON.parse(text) as string[];
}

/** Whether a path is one that would have been observed: below a field, neither too deep nor too long. */
export function isObservable(segments: readonly string[]): boolean {
  return segments.length > 1 && segments.length <= MAX_SEGMENTS && isShort(textOfPath(segments));
}

function isShort(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_BYTES;
}

function nodeOf(segments: readonly string[]): Node {
  const text = textOfPath(segments);
  return { text, segments, below: new Map(), types: 0, records: 0, lastRecord: 0 };
}

function typeOf(value: unknown): JsonType {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : 'object';
}
