import { isJsonObject } from '../json-value.ts';
import { asBoolean, asInteger, asNumber, asString } from '../scalars.ts';
import type { Field, RecordFields } from '../vocabulary/index.ts';

/** What an upstream sent that the definition does not know, and what could not be kept. */
export interface Drift {
  /** Undeclared fields that were dropped. */
  unknownFields: number;
  /** Names of some of them. */
  readonly unknownNames: Set<string>;
  /** Values of a wrong type that became null. */
  lostValues: number;
}

export type ProjectedRecord = Record<string, unknown>;

/**
 * Projects one upstream object onto declared fields, keys in definition order. Undeclared fields
 * are dropped and counted; absent ones become null, or `[]` for `array<integer>`.
 */
export type Projection = (raw: Readonly<Record<string, unknown>>, drift: Drift) => ProjectedRecord;

const MAX_NAMES = 20;

/** A drift with nothing counted yet. */
export function newDrift(): Drift {
  return { unknownFields: 0, unknownNames: new Set(), lostValues: 0 };
}

/**
 * Compiles the projection of a record.
 *
 * @param known Further field names that are no drift, although no record has them.
 * @see docs/wire.md#results
 */
export function compileProjection(fields: RecordFields, known: Iterable<string> = []): Projection {
  const names = Object.keys(fields);
  const convert = Object.values(fields).map(converterOf);
  const plainTypes = Object.values(fields).map(plainTypeOf);
  const knownNames = new Set([...names, ...known]);
  // Spreading a template gives every record the same hidden class: twice as fast to fill.
  const template: ProjectedRecord = Object.fromEntries(names.map((name) => [name, null]));

  return (raw, drift) => {
    const record = { ...template };
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string; // index < names.length
      const value = raw[name];
      record[name] = typeof value === plainTypes[index] ? value : convert[index]?.(value, drift);
    }
    for (const name in raw) if (!knownNames.has(name)) countUnknown(drift, name);
    return record;
  };
}

/** Projects a single value onto a field. */
export function projectValue(field: Field, value: unknown, drift: Drift): unknown {
  return converterOf(field)(value, drift);
}

type Converter = (value: unknown, drift: Drift) => unknown;

/** The `typeof` that needs no conversion; none where a look at the value is needed. */
function plainTypeOf(field: Field): 'string' | 'boolean' | undefined {
  const type = field['x-field'];
  return type === 'string' || type === 'boolean' ? type : undefined;
}

function converterOf(field: Field): Converter {
  const member = field['x-member'];
  const convert = converterOfType(field);
  return member === undefined
    ? convert
    : (value, drift) => convert(isJsonObject(value) ? value[member] : value, drift);
}

function converterOfType(field: Field): Converter {
  switch (field['x-field']) {
    case 'string':
      return orNull(asString);
    case 'integer':
      return orNull(asInteger);
    case 'number':
      return orNull(asNumber);
    case 'boolean':
      return orNull(asBoolean);
    case 'string | integer':
      return orNull((value) =>
        typeof value === 'string' || Number.isSafeInteger(value) ? value : undefined,
      );
    case 'obj*':
      return (value) => value ?? null;
    case 'object':
      return orNull((value) => (isJsonObject(value) ? value : undefined));
    case 'array':
      return orNull((value) => (Array.isArray(value) ? value : undefined));
    case 'array<integer>':
      return integers;
    case 'items':
      return itemsOf(field['x-items'] ?? {});
  }
}

function orNull(convert: (value: unknown) => unknown): Converter {
  return (value, drift) => {
    if (value === undefined || value === null) return null;
    const converted = convert(value);
    if (converted !== undefined) return converted;
    drift.lostValues++;
    return null;
  };
}

function integers(value: unknown, drift: Drift): readonly number[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    drift.lostValues++;
    return [];
  }
  return value.flatMap((element: unknown) => {
    const integer = asInteger(element);
    if (integer !== undefined) return [integer];
    drift.lostValues++;
    return [];
  });
}

function itemsOf(fields: RecordFields): Converter {
  const project = compileProjection(fields);
  return (value, drift) => {
    if (value === undefined || value === null) return null;
    if (!Array.isArray(value)) {
      drift.lostValues++;
      return null;
    }
    return value.flatMap((element: unknown) => {
      if (isJsonObject(element)) return [project(element, drift)];
      drift.lostValues++;
      return [];
    });
  };
}

function countUnknown(drift: Drift, name: string): void {
  drift.unknownFields++;
  if (drift.unknownNames.size < MAX_NAMES) drift.unknownNames.add(name);
}
