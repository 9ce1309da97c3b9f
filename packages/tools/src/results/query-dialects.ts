import { isJsonObject } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';

/** Operators as other query languages call them, in lower case and without `$`. */
const OPERATORS_ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'keyword', 'fuzzy', 'contains'].map(
      (name) => [name, name],
    ),
  ),
  '=': 'eq',
  '==': 'eq',
  equals: 'eq',
  equal: 'eq',
  ne: 'neq',
  '!=': 'neq',
  '<>': 'neq',
  not_equals: 'neq',
  not_equal: 'neq',
  '>': 'gt',
  '>=': 'gte',
  ge: 'gte',
  '<': 'lt',
  '<=': 'lte',
  le: 'lte',
  ilike: 'like',
  starts_with: 'starts_with',
  startswith: 'starts_with',
  ends_with: 'ends_with',
  endswith: 'ends_with',
};

/** Before or behind an operator, of which it is the opposite. */
const NEGATED = /^(?:!|not_?|n|un)(.+)$|^(.+?)_not$/;

const FIELD_WORDS = ['field', 'column', 'attribute', 'property'] as const;
const OPERATOR_WORDS = ['operator', 'op', 'comparison'] as const;
const LIST_WORDS = ['conditions', 'filters', 'rules', 'value'] as const;
const ORDER_WORDS = ['order', 'direction', 'dir'] as const;

/** Filters may nest 20 deep in our words; those of others need a level more here and there. */
const MAX_DEPTH = 24;

/**
 * A filter in the language of searches, where it is written in that of others: fields around their
 * operators, `$` before operators, lists of field, operator and value. What is not known to be meant
 * for something else stays as it is.
 */
export function filterInOurWords(given: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return given;
  const inside = (each: unknown) => filterInOurWords(each, depth + 1);
  if (Array.isArray(given)) {
    const [first, ...others] = given.map(inside);
    return others.length === 0 ? (first ?? {}) : { and: [first, ...others] };
  }
  if (!isJsonObject(given)) return given;
  const spelled = spelledOut(given, inside);
  if (spelled !== undefined) return spelled;
  return joined(Object.entries(given).flatMap(([key, value]) => partsOf(key, value, inside)));
}

/** A sort in the language of searches: `"-created_at"`, `"created_at desc"`, `{created_at: -1}`. */
export function sortInOurWords(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(sortKeyOf);
  if (typeof given === 'string') return given.split(',').map(sortKeyOf);
  if (!isJsonObject(given)) return given;
  return firstOf(given, FIELD_WORDS) === undefined
    ? Object.entries(given).map(([field, order]) => sortKeyOf({ [field]: order }))
    : [sortKeyOf(given)];
}

type Inside = (filter: unknown) => unknown;

/** `{field, operator, value}`, or `{operator: "and", conditions: […]}`. */
function spelledOut(given: JsonObject, inside: Inside): unknown {
  const field = firstOf(given, FIELD_WORDS);
  const operator = firstOf(given, OPERATOR_WORDS);
  const size = Object.keys(given).length;
  if (typeof field === 'string' && 'value' in given && size === (operator === undefined ? 2 : 3)) {
    const name = operator === undefined ? 'eq' : operatorOf(operator);
    return name === undefined ? given : joined([conditionOf(name, field, given['value'])]);
  }
  const list = firstOf(given, LIST_WORDS);
  const joint = typeof operator === 'string' ? operator.toLowerCase() : '';
  if (Array.isArray(list) && size === 2 && (joint === 'and' || joint === 'or'))
    return { [joint]: list.map(inside) };
  return undefined;
}

function partsOf(key: string, value: unknown, inside: Inside): readonly JsonObject[] {
  const name = bareName(key);
  if ((name === 'and' || name === 'or') && Array.isArray(value))
    return [{ [name]: value.map(inside) }];
  if (name === 'not' && isJsonObject(value)) return [{ not: inside(value) }];
  if ((name === 'nor' || name === 'nand') && Array.isArray(value))
    return [{ not: { [name.slice(1)]: value.map(inside) } }];
  const operator = operatorOf(key);
  if (operator !== undefined) {
    if (!isJsonObject(value)) return [{ [operator.startsWith('not_') ? key : operator]: value }];
    return Object.entries(value).map(([field, operand]) => conditionOf(operator, field, operand));
  }
  return fieldFirst(key, value) ?? [{ [key]: value }];
}

/** What is meant by a field with its operators inside, or with a value alone. */
function fieldFirst(field: string, value: unknown): readonly JsonObject[] | undefined {
  if (Array.isArray(value)) return [conditionOf('in', field, value)];
  if (!isJsonObject(value)) return [conditionOf('eq', field, value)];
  const conditions = Object.entries(value).map(([key, operand]) => {
    const operator = operatorOf(key);
    return operator === undefined ? undefined : conditionOf(operator, field, operand);
  });
  const known = conditions.filter((each) => each !== undefined);
  return known.length === conditions.length && known.length > 0 ? known : undefined;
}

function conditionOf(operator: string, field: string, operand: unknown): JsonObject {
  if (operator.startsWith('not_'))
    return { not: conditionOf(operator.slice('not_'.length), field, operand) };
  const isPlainText = typeof operand === 'string' && !operand.includes('%');
  if (operator === 'starts_with' && isPlainText) return { like: { [field]: `${operand}%` } };
  if (operator === 'ends_with' && isPlainText) return { like: { [field]: `%${operand}` } };
  return { [operator]: { [field]: operand } };
}

/** One filter of several: members of one object, or of an `and` where one would hide another. */
function joined(parts: readonly JsonObject[]): JsonObject {
  const conditions = parts.flatMap((part) => Object.entries(part));
  // A map, since a name such as __proto__ would get lost in an object.
  const byOperator = Map.groupBy(conditions, ([operator]) => operator);
  const whole = new Map<string, unknown>();
  for (const [operator, same] of byOperator) {
    const values = same.map(([, value]) => value);
    const isOne = values.length === 1;
    if (!isOne && operator === 'not') return { and: parts };
    const value = isOne ? values[0] : union(values);
    if (value === undefined) return { and: parts };
    whole.set(operator, value);
  }
  return Object.fromEntries(whole);
}

/** The members of all, which are objects; `undefined` where one is none, or would hide another. */
export function union(all: readonly unknown[]): JsonObject | undefined {
  if (!all.every(isJsonObject)) return undefined;
  const members = new Map<string, unknown>();
  for (const [name, value] of all.flatMap(Object.entries)) {
    if (members.has(name)) return undefined;
    members.set(name, value);
  }
  return Object.fromEntries(members);
}

function sortKeyOf(given: unknown): unknown {
  if (typeof given === 'string') {
    const [, minus = '', field = '', order] =
      /^\s*(-?)\+?([^\s:]+)(?:[\s:]+(\w+))?\s*$/.exec(given) ?? [];
    if (field === '') return given;
    return { [field]: orderOf(order) ?? (minus === '' ? 'asc' : 'desc') };
  }
  if (!isJsonObject(given)) return given;
  const field = firstOf(given, FIELD_WORDS);
  const order = firstOf(given, ORDER_WORDS);
  // Our own words for it, written out.
  if ('field' in given && (order === 'asc' || order === 'desc') && 'order' in given) return given;
  if (typeof field === 'string') return { [field]: orderOf(order ?? 'asc') ?? order };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, orderOf(value) ?? value]),
  );
}

function orderOf(given: unknown): 'asc' | 'desc' | undefined {
  const word = String(given).toLowerCase();
  if (['asc', 'ascending', '1'].includes(word)) return 'asc';
  return ['desc', 'descending', '-1'].includes(word) ? 'desc' : undefined;
}

function operatorOf(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = bareName(given);
  const known = knownOperator(name);
  if (known !== undefined) return known;
  const [, before, behind] = NEGATED.exec(name) ?? [];
  const negated = knownOperator(before ?? behind ?? '');
  if (negated === 'eq') return 'neq';
  return negated === undefined || negated === 'neq' ? undefined : `not_${negated}`;
}

function knownOperator(name: string): string | undefined {
  return Object.hasOwn(OPERATORS_ELSEWHERE, name) ? OPERATORS_ELSEWHERE[name] : undefined;
}

/** `$gte`, `GTE` and `startsWith` as gte, gte and startswith. */
function bareName(key: string): string {
  return key.replace(/^\$/, '').trim().toLowerCase().replaceAll(' ', '_');
}

function firstOf(object: JsonObject, names: readonly string[]): unknown {
  const name = names.find((each) => Object.hasOwn(object, each));
  return name === undefined ? undefined : object[name];
}
