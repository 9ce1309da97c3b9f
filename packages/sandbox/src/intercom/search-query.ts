import { isJsonObject } from '../body-shaping.ts';
import { parameterInvalid } from './intercom-error.ts';
import type { FieldType, FindField, SearchField } from './search-fields.ts';

/** Says whether the record at a position matches. */
export type Matches = (position: number) => boolean;

/** What a query may name, and how exactly dates are compared. */
export interface SearchRules {
  readonly findField: FindField;
  /** Contacts are searched by calendar day (UTC here), conversations by the second. */
  readonly dates: 'day' | 'second';
}

const DAY_SECONDS = 86_400;
const MAX_NESTING = 2;
const MAX_FILTERS = 15;

const TEXT_OPERATORS = ['=', '!=', 'IN', 'NIN', '~', '!~', '^', '$'] as const;
const NUMBER_OPERATORS = ['=', '!=', 'IN', 'NIN', '<', '<=', '>', '>='] as const;
const DAY_OPERATORS = ['=', '<', '>'] as const;
const FLAG_OPERATORS = ['=', '!='] as const;

/**
 * Compiles the `query` of a search into a check of records.
 *
 * @throws IntercomError `parameter_invalid`, saying what cannot be understood.
 */
export function compileQuery(query: unknown, rules: SearchRules): Matches {
  return compile(query, rules, 0);
}

function compile(query: unknown, rules: SearchRules, depth: number): Matches {
  if (!isJsonObject(query)) throw parameterInvalid('query must be an object');
  const { operator, value, field } = query;
  if (operator !== 'AND' && operator !== 'OR') return condition(field, operator, { value, rules });
  if (depth > MAX_NESTING) {
    throw parameterInvalid(`filters can be nested ${String(MAX_NESTING)} deep`);
  }
  if (!Array.isArray(value) || value.length > MAX_FILTERS) {
    throw parameterInvalid(`a group takes a list of up to ${String(MAX_FILTERS)} filters`);
  }
  const parts = value.map((part: unknown) => compile(part, rules, depth + 1));
  return operator === 'AND'
    ? (position) => parts.every((part) => part(position))
    : (position) => parts.some((part) => part(position));
}

interface Operand {
  readonly value: unknown;
  readonly rules: SearchRules;
}

function condition(name: unknown, operator: unknown, { value, rules }: Operand): Matches {
  const field = typeof name === 'string' ? rules.findField(name) : undefined;
  if (typeof name !== 'string' || field === undefined) {
    throw parameterInvalid(`the field ${String(name)} cannot be searched by`);
  }
  const allowed = operatorsOf(field.type, rules);
  const known = allowed.find((candidate) => candidate === operator);
  if (known === undefined) {
    throw parameterInvalid(
      `${name} is compared with ${allowed.join(' ')}, not ${String(operator)}`,
    );
  }
  if (field.type === 'date' && rules.dates === 'day') return dayCondition(field, known, value);
  return valueCondition(field, known, operands(known, value, field.type));
}

function operatorsOf(type: FieldType, rules: SearchRules): readonly string[] {
  switch (type) {
    case 'string':
      return TEXT_OPERATORS;
    case 'boolean':
      return FLAG_OPERATORS;
    case 'integer':
      return NUMBER_OPERATORS;
    case 'date':
      return rules.dates === 'day' ? DAY_OPERATORS : NUMBER_OPERATORS;
  }
}

function dayCondition(field: SearchField, operator: string, value: unknown): Matches {
  const day = Math.floor(Number(operand(value, 'date')) / DAY_SECONDS);
  return (position) => {
    const at = field.read(position);
    if (typeof at !== 'number') return false;
    const atDay = Math.floor(at / DAY_SECONDS);
    if (operator === '=') return atDay === day;
    return operator === '>' ? atDay > day : atDay < day;
  };
}

type Value = string | number | boolean | null;

function operands(operator: string, value: unknown, type: FieldType): readonly Value[] {
  const isList = operator === 'IN' || operator === 'NIN';
  if (!isList) return [operand(value, type)];
  if (!Array.isArray(value)) throw parameterInvalid(`${operator} takes a list of values`);
  return value.map((one: unknown) => operand(one, type));
}

function operand(value: unknown, type: FieldType): Value {
  if (value === null) return null;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const isNumber = type === 'date' || type === 'integer';
  if (isNumber && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (value === true || value === 'true')) return true;
  if (type === 'boolean' && (value === false || value === 'false')) return false;
  if (type === 'string' && (text !== '' || value === '')) return text.toLowerCase();
  if (type === 'string' && typeof value === 'boolean') return String(value);
  throw parameterInvalid(`${JSON.stringify(value)} is no ${type}`);
}

function valueCondition(field: SearchField, operator: string, wanted: readonly Value[]): Matches {
  const negated = NEGATIONS.get(operator);
  if (negated !== undefined) {
    const positive = valueCondition(field, negated, wanted);
    return (position) => !positive(position);
  }
  const isText = field.type === 'string';
  return (position) => {
    const read = field.read(position);
    const values: readonly unknown[] = Array.isArray(read) ? read : [read];
    return values.some((value) => {
      const found = isText ? comparableText(value) : value;
      return wanted.some((one) => compare(found, operator, one));
    });
  };
}

/** A custom attribute may be of any type, and is compared as text. */
function comparableText(value: unknown): string | null {
  if (typeof value === 'string') return value.toLowerCase();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

const NEGATIONS: ReadonlyMap<string, string> = new Map([
  ['!=', '='],
  ['NIN', 'IN'],
  ['!~', '~'],
]);

function compare(found: unknown, operator: string, wanted: Value): boolean {
  if (operator === '=' || operator === 'IN') return found === wanted;
  if (typeof found === 'string' && typeof wanted === 'string') {
    if (operator === '~') return found.includes(wanted);
    return operator === '^' ? found.startsWith(wanted) : found.endsWith(wanted);
  }
  if (typeof found !== 'number' || typeof wanted !== 'number') return false;
  switch (operator) {
    case '<':
      return found < wanted;
    case '<=':
      return found <= wanted;
    case '>':
      return found > wanted;
    default:
      return found >= wanted;
  }
}
