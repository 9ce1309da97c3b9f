import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { Fault } from './errors.ts';
import { quote } from './json-value.ts';
import { asInteger } from './scalars.ts';
import { unknownName } from './unknown-name.ts';

/** At most so many faults of one sort are listed: a large wrong input must have a small answer. */
export const MAX_TOLD = 100;

/** One declared member of an input object. */
export interface Member {
  readonly schema: TSchema;
  readonly isRequired: boolean;
  /** What a valid value is, as it completes the sentence "must be …". */
  readonly expects: string;
}

/** The valid members of an input, nulls left out, and everything that is wrong with it. */
export interface CheckedMembers {
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}

/**
 * Checks an input object against its declared members, strictly: no unknown member, no missing
 * one, no coercion. A null optional member is an absent one. Finds all faults at once.
 *
 * @param path Where the object stands, for the faults; empty for the root.
 */
export function checkMembers(
  declared: Readonly<Record<string, Member>>,
  input: Readonly<Record<string, unknown>>,
  path: string,
): CheckedMembers {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(declared, name));
  for (const name of unknown.slice(0, MAX_TOLD))
    faults.push(unknownName(at(name), name, Object.keys(declared)));
  if (unknown.length > MAX_TOLD)
    faults.push({
      field: path === '' ? 'body' : path,
      errorCode: 'unknown',
      message: `has ${unknown.length - MAX_TOLD} more members that are not known`,
    });
  for (const [name, member] of Object.entries(declared)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined || value === null) {
      if (member.isRequired) faults.push(missingMember(at(name), member));
    } else if (validatorOf(member.schema).Check(value)) {
      values[name] = value;
    } else {
      faults.push(wrongMember(at(name), member, value));
    }
  }
  return { values, faults };
}

/** The input with digits as the integers they write, where an integer is declared and that loses nothing. */
export function withoutDigits(
  declared: Readonly<Record<string, Pick<Member, 'schema'>>>,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const integers = Object.entries(declared)
    .filter(([, { schema }]) => 'type' in schema && schema.type === 'integer')
    .map(([name]) => [name, Object.hasOwn(input, name) ? input[name] : undefined] as const)
    .filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => [name, asInteger(value) ?? value] as const);
  return integers.length === 0 ? input : { ...input, ...Object.fromEntries(integers) };
}

const validators = new WeakMap<TSchema, Validator>();

/** The compiled check of a schema; compiled once. */
export function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = Compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** The place of the first element that is wrong by itself; -1 where there is none. */
function firstWrong(schema: TSchema, elements: readonly unknown[]): number {
  // A schema's `items` is a schema.
  const items = 'items' in schema ? (schema.items as TSchema) : undefined;
  return items === undefined ? -1 : elements.findIndex((each) => !validatorOf(items).Check(each));
}

function missingMember(field: string, { expects }: Member): Fault {
  return { field, errorCode: 'missing', message: `is required: ${expects}`, allowed: expects };
}

function wrongMember(field: string, { schema, expects }: Member, value: unknown): Fault {
  const elements: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  const wrong = elements === undefined ? -1 : firstWrong(schema, elements);
  // To find all errors of thousands of elements takes long.
  const telling = elements === undefined ? value : elements.slice(wrong, wrong + 1);
  const isTypeRight = !validatorOf(schema)
    .Errors(telling)
    .some((error) => error.keyword === 'type');
  const got =
    elements === undefined
      ? quote(value)
      : wrong === -1
        ? `an array of ${elements.length}`
        : `an array with ${quote(elements[wrong])} at ${wrong}`;
  return {
    field,
    errorCode: isTypeRight ? 'out_of_range' : 'wrong_type',
    message: `must be ${expects}, got ${got}`,
    allowed: expects,
  };
}
