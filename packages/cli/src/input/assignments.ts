import { InvalidArgumentError } from 'commander';

/** `name=value` of a flag, the value as it is written. */
export interface Assignment {
  readonly name: string;
  readonly text: string;
}

/**
 * A flag's `name=value`, added to those before it.
 *
 * @throws InvalidArgumentError without a name, or for a name that was given already.
 */
export function collectAssignment(
  given: string,
  before: readonly Assignment[] = [],
): readonly Assignment[] {
  const at = given.indexOf('=');
  const name = given.slice(0, Math.max(0, at));
  if (name === '') throw new InvalidArgumentError('It must be of the form name=value.');
  if (before.some((each) => each.name === name))
    throw new InvalidArgumentError(`${name} is given twice.`);
  return [...before, { name, text: given.slice(at + 1) }];
}

/** JSON Schemas by name, as descriptions of params and settings have them. */
export type Schemas = Readonly<Record<string, object>>;

/**
 * The values that assignments stand for, by the types that their schemas declare. What does not read
 * like its type stays a text, and so does what has no schema: the service says what is wrong with it.
 */
export function valuesOf(
  assignments: readonly Assignment[],
  schemas: Schemas,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    assignments.map(({ name, text }) => {
      const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
      return [name, typedValue(text, schema)];
    }),
  );
}

function typedValue(text: string, schema: object | undefined): unknown {
  const type = schema !== undefined && 'type' in schema ? schema.type : 'string';
  switch (type) {
    case 'integer':
      return isExact(Number(text)) && /^-?\d+$/.test(text) ? Number(text) : text;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'string':
      return text;
    default:
      return jsonOr(text);
  }
}

/** Whether the number is exact: from 2^53 on, a neighbour of what was typed could be sent. */
function isExact(number: number): boolean {
  return Number.isSafeInteger(number);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
