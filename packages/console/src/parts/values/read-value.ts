import type { Entered, FieldSpec, ValueSchema } from './field-spec.ts';

/** What the text of a field stands for. */
export type Read =
  | { readonly is: 'absent' }
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'fault'; readonly fault: string };

/** Reads the text of one field; an empty one is absent. */
export function readValue(spec: FieldSpec, text: string): Read {
  if (text.trim() === '')
    return spec.required ? { is: 'fault', fault: 'is required' } : { is: 'absent' };
  const value = valueOf(spec.schema, text);
  return value !== undefined && fits(spec.schema, value)
    ? { is: 'value', value }
    : { is: 'fault', fault: `must be ${spec.expects}` };
}

/** What all fields stand for, by their names, and their faults, by their paths. */
export function readValues(
  specs: readonly FieldSpec[],
  entered: Entered,
): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: Readonly<Record<string, string>>;
} {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const spec of specs) {
    const read = readValue(spec, entered[spec.path] ?? '');
    if (read.is === 'value') values[spec.name] = read.value;
    if (read.is === 'fault') faults[spec.path] = read.fault;
  }
  return { values, faults };
}

/** The text that stands for a value, so that a form can be filled with it. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The types of JSON that a schema takes; none where it says none, or says it otherwise. */
export function typesOf({ type }: ValueSchema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === 'string' ? [type] : type;
}

/** `undefined` for a text that stands for nothing of the schema's types. */
function valueOf(schema: ValueSchema, text: string): unknown {
  const types = typesOf(schema);
  // Where any of several types fits, a text does.
  if (types.length === 0 || types.includes('string')) return text.trim();
  try {
    const value: unknown = JSON.parse(text);
    return types.some((type) => isOfType(value, type)) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

function fits(schema: ValueSchema, value: unknown): boolean {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (typeof value === 'string') return fitsText(schema, value);
  if (typeof value === 'number')
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  return true;
}

function fitsText({ pattern, minLength = 0, maxLength = Infinity }: ValueSchema, text: string) {
  // In code points, as JSON Schema counts.
  const { length } = Array.from(text);
  if (length < minLength || length > maxLength) return false;
  return pattern === undefined || new RegExp(pattern, 'u').test(text);
}
