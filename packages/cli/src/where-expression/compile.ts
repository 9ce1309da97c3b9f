import type { Expression, Literal } from './expression.ts';
import { parseExpression } from './parse.ts';
import { WhereError } from './where-error.ts';

/** A filter of the query language, as JSON. @see docs/search.md */
export type FilterJson = Readonly<Record<string, unknown>>;

/** Types of the searchable fields, as their descriptions have them. */
type FieldTypes = ReadonlyMap<string, string>;

/**
 * Compiles an expression to a filter. A quoted value is a text. Any other one is null where it reads
 * `null`; a text on text operators and on fields of type string; else a number, `true` or `false`
 * where it reads like one, and a text where it does not.
 *
 * Which fields there are and what they take is for the service to say.
 *
 * @throws WhereError at the first place that is wrong.
 */
export function compileWhere(text: string, fieldTypes: FieldTypes): FilterJson {
  return filterOf(parseExpression(text), { text, fieldTypes });
}

interface Scope {
  readonly text: string;
  /** None inside `any`, where nobody knows the types. */
  readonly fieldTypes: FieldTypes;
}

function filterOf(expression: Expression, scope: Scope): FilterJson {
  switch (expression.type) {
    case 'and':
    case 'or':
      return { [expression.type]: expression.parts.map((part) => filterOf(part, scope)) };
    case 'not':
      return { not: filterOf(expression.part, scope) };
    case 'any': {
      const inside = { ...scope, fieldTypes: new Map<string, string>() };
      return { any: { [expression.field]: filterOf(expression.inner, inside) } };
    }
    case 'in': {
      const { field, values } = expression;
      return { in: { [field]: values.map((value) => valueOf(value, field, scope)) } };
    }
    case 'value': {
      const { operator, field } = expression;
      return { [operator]: { [field]: operandOf(expression, scope) } };
    }
  }
}

function operandOf(
  { operator, value, field }: Extract<Expression, { type: 'value' }>,
  scope: Scope,
): unknown {
  switch (operator) {
    case 'like':
    case 'keyword':
    case 'fuzzy':
      return value.text;
    default:
      return valueOf(value, field, scope);
  }
}

/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function valueOf({ text, isQuoted, at }: Literal, field: string, scope: Scope): unknown {
  if (isQuoted) return text;
  const word = text.toLowerCase();
  if (word === 'null') return null;
  if (scope.fieldTypes.get(field) === 'string') return text;
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (!NUMBER.test(text)) return text;
  const number = Number(text);
  // Searching for a neighbour of the number that was meant would find the wrong records.
  if (!Number.isFinite(number) || (/^-?\d+$/.test(text) && !Number.isSafeInteger(number)))
    throw new WhereError(
      scope.text,
      at,
      `${text} is beyond what a number holds exactly; quote it if it is a text`,
    );
  return number;
}
