import type { FieldFault } from '../../service/failure.ts';
import type { ParamDescription } from '../../service/description.ts';

/** What a form has for each param: text, as it was typed. What is not there is empty. */
export type ParamTexts = Readonly<Record<string, string>>;

/** How a param is asked for. */
export type ParamInput =
  | { readonly as: 'choice'; readonly values: readonly string[] }
  | { readonly as: 'boolean' | 'integer' | 'number' | 'json' }
  /** Those of `examples` are offered, and anything else is taken. */
  | { readonly as: 'text'; readonly examples: readonly string[]; readonly isPlain: boolean };

/** What was typed, as params; the faults are those that can be told before anything is sent. */
export interface ReadParams {
  readonly params: Readonly<Record<string, unknown>>;
  readonly faults: readonly FieldFault[];
}

/** The members of JSON Schema that decide about a field. */
interface ParamSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly ParamSchema[];
}

/** How a text that is empty is typed where an empty field means none at all. */
export const EMPTY_TEXT = '""';

export function inputOf({ schema }: ParamDescription): ParamInput {
  const { type, enum: values, examples = [], pattern, anyOf = [] } = schema as ParamSchema;
  if (values !== undefined) return { as: 'choice', values: values.map(String) };
  switch (type) {
    case 'string':
      return {
        as: 'text',
        examples: examples.map(String),
        isPlain: pattern === undefined && examples.length === 0,
      };
    case 'boolean':
    case 'integer':
    case 'number':
      return { as: type };
    default: {
      const takesText = anyOf.some((each) => each.type === 'string');
      return takesText ? { as: 'text', examples: [], isPlain: false } : { as: 'json' };
    }
  }
}

/** Reads a form; all faults at once, each at `params.<name>`, as the service tells its own. */
export function readParams(params: readonly ParamDescription[], texts: ParamTexts): ReadParams {
  const found: Record<string, unknown> = {};
  const faults: FieldFault[] = [];
  for (const param of params) {
    const { name, required, expects } = param;
    const text = texts[name] ?? '';
    const field = `params.${name}`;
    if (text.trim() === '') {
      if (required) faults.push({ field, message: `is required: ${expects}` });
      continue;
    }
    const value = valueOf(inputOf(param), text);
    if (value === undefined || !isWithin(param.schema, value))
      faults.push({ field, message: `must be ${expects}` });
    else found[name] = value;
  }
  return { params: found, faults };
}

/** Params as a form has them. */
export function textsOf(params: Readonly<Record<string, unknown>>): ParamTexts {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, textOf(value)] as const),
  );
}

function textOf(value: unknown): string {
  if (value === '') return EMPTY_TEXT;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Whether a number is one that its schema takes: of a page that is too large the service would make a smaller one. */
export function isWithin(
  { minimum = -Infinity, maximum = Infinity }: ParamSchema,
  value: unknown,
): boolean {
  return typeof value !== 'number' || (value >= minimum && value <= maximum);
}

/** `undefined` for a text that is no such value; other limits are for the service to judge. */
function valueOf(input: ParamInput, text: string): unknown {
  switch (input.as) {
    case 'text':
    case 'choice':
      return text === EMPTY_TEXT ? '' : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'integer':
      return integerOf(text.trim());
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'json':
      return jsonOf(text);
  }
}

/** Digits that no number of JavaScript keeps go out as text, which integer params take, too (docs/wire.md#params). */
function integerOf(text: string): number | string | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
