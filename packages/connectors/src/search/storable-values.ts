import { isJsonObject } from '../json-value.ts';
import { asBoolean, asInteger, asNumber, asString } from '../scalars.ts';
import type { Entity } from '../vocabulary/index.ts';
import { searchSchemaOf, type SearchType } from './search-schema.ts';
import { hasMoreWords } from './word-count.ts';

/** What is nested deeper is null: nobody searches it, and recursion has to end before the stack. */
const MAX_DEPTH = 500;

/**
 * As many values as a field may have in it: each is to be found by, which takes the embedded database 40 µs, and
 * everybody waits for a record. The longest conversations of Intercom have some 20,000.
 */
const MAX_VALUES = 50_000;
/** The same of words, each of which counts once more for each object that it stands in, as it is to be found there, too. */
const MAX_WORDS = 100_000;

/**
 * A JSON value as a database can hold it: NUL and lone surrogates in strings and object keys are
 * U+FFFD at any depth; numbers beyond a double's range are null, and -0 is 0.
 */
export function wellFormed(value: unknown): unknown {
  return isWellFormed(value, MAX_DEPTH) ? value : repaired(value, MAX_DEPTH);
}

/** The text without NUL and lone surrogates, each of which becomes U+FFFD. */
export function wellFormedText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/**
 * What the copy holds of one upstream object: every searchable field, in the order of the service
 * reference, of its searchable type or null. Scalars are converted where nothing is lost (an
 * integer and its digits); objects and arrays are verbatim but for `wellFormed`.
 *
 * @param raw As the upstream sent it, along with search fields that only its list knows.
 * @param onLost Told of fields that are null therefore: with a value that is of none of their types, or with too many values or words in it.
 * @throws where the entity cannot be searched.
 */
export function searchableValues(
  entity: Entity,
  raw: Readonly<Record<string, unknown>>,
  onLost?: (field: string, why: 'type' | 'size') => void,
): Record<string, unknown> {
  const { template, converters } = readerOf(entity);
  const values: Record<string, unknown> = { ...template };
  for (const [name, convert] of converters) {
    const given = raw[name];
    if (given === undefined || given === null) continue;
    const value = convert(given);
    if (value === undefined) onLost?.(name, 'type');
    else if (isTooLarge(value)) onLost?.(name, 'size');
    else values[name] = wellFormed(value);
  }
  return values;
}

/** Gives what can be kept of a raw value, or nothing. */
type Converter = (value: unknown) => unknown;

interface Reader {
  /** Spreading it gives all values the same hidden class. */
  readonly template: Readonly<Record<string, null>>;
  readonly converters: readonly (readonly [name: string, convert: Converter])[];
}

const readers = new WeakMap<Entity, Reader>();

function readerOf(entity: Entity): Reader {
  let reader = readers.get(entity);
  if (reader === undefined) {
    reader = buildReader(entity);
    readers.set(entity, reader);
  }
  return reader;
}

function buildReader(entity: Entity): Reader {
  const schema = searchSchemaOf(entity);
  if (schema === undefined) throw new Error(`${entity.name} has no searchable fields`);
  return {
    template: Object.fromEntries(schema.fields.map(({ name }) => [name, null])),
    converters: schema.fields.map(({ name, type }) => [name, converterOf(entity, name, type)]),
  };
}

function converterOf({ search, record }: Entity, name: string, type: SearchType): Converter {
  const field = search?.only?.[name] ?? record[name];
  // `obj*` is whatever the upstream sends, in practice an object.
  const convert = field?.['x-field'] === 'obj*' ? asItIs : CONVERTERS[type];
  const member = field?.['x-member'];
  return member === undefined
    ? convert
    : (value) => {
        const given = isJsonObject(value) ? (value[member] ?? null) : value;
        return given === null ? null : convert(given);
      };
}

const asItIs: Converter = (value) => value;

const CONVERTERS: Readonly<Record<SearchType, Converter>> = {
  string: asString,
  integer: asInteger,
  number: asNumber,
  boolean: asBoolean,
  object: (value) => (isJsonObject(value) ? value : undefined),
  array: (value) => (Array.isArray(value) ? value : undefined),
};

function isTooLarge(value: unknown): boolean {
  return valuesIn(value, MAX_VALUES) > MAX_VALUES || hasMoreWords(value, MAX_WORDS, MAX_DEPTH);
}

/** How many values there are in one; some number above `most` where there are more. */
function valuesIn(value: unknown, most: number, depth = MAX_DEPTH): number {
  if (typeof value !== 'object' || value === null || depth === 0) return 1;
  let count = 0;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    count += valuesIn(each, most - count, depth - 1);
    if (count > most) break;
  }
  return count;
}

function isWellFormed(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() && !value.includes('\0');
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      if (value === null) return true;
      if (depth === 0) return false;
      if (Array.isArray(value)) return value.every((element) => isWellFormed(element, depth - 1));
      return Object.entries(value).every(
        ([key, member]) => isWellFormed(key, 0) && isWellFormed(member, depth - 1),
      );
    default:
      return typeof value === 'boolean';
  }
}

function repaired(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return wellFormedText(value);
    case 'number':
      // Adding 0 makes -0 what databases and JSON make of it.
      return Number.isFinite(value) ? value + 0 : null;
    case 'object':
      if (value === null || depth === 0) return null;
      if (Array.isArray(value)) return value.map((element) => repaired(element, depth - 1));
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          wellFormedText(key),
          repaired(member, depth - 1),
        ]),
      );
    default:
      // JSON has no other values; callers without types may give what it cannot hold.
      return typeof value === 'boolean' ? value : null;
  }
}
