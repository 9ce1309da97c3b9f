import { Type } from 'typebox';
import { checkMembers, MAX_TOLD } from '../check-members.ts';
import { isJsonObject, quote } from '../json-value.ts';
import type { Fault } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import { checkOperand } from './check-operand.ts';
import { rememberPlace } from './condition-places.ts';
import { checkSegments, findField, openPath, PATH_EXPECTED, segmentsOf } from './field-path.ts';
import { compareCodePoints } from './code-points.ts';
import type { Condition, FieldPath, Filter } from './filter.ts';
import { MAX_TEXT, MAX_WORDS, type PlainOperator } from './operand-types.ts';
import { CONDITIONS, fits, OPERATORS, WORDS_ALLOWED, type ConditionOperator } from './operators.ts';
import type { SearchSchema, SearchType } from './search-schema.ts';

export const MAX_DEPTH = 20;
export const MAX_CONDITIONS = 200;
/** Names that the paths of all conditions have together. */
export const MAX_NAMES = 2_000;

/** How much text its text operators may have, for people. */
const TEXT_ALLOWED = `at most ${MAX_TEXT.toLocaleString('en')} characters in like, keyword and fuzzy together`;

const EVERYTHING: Filter = { operator: 'and', filters: [] };

/**
 * Checks a filter and adds everything that is wrong with it to `faults`; if there is anything, what
 * comes back means nothing.
 *
 * Conditions that JSON has as members of one object, in no order, come back in an order of their own,
 * so that all ways to write a filter are scored and paged alike.
 *
 * @see docs/search.md#filter-objects
 */
export function checkFilter(
  given: unknown,
  { schema, at, faults }: Pick<Walk, 'schema' | 'at' | 'faults'>,
): Filter {
  const count: Count = {
    conditions: 0,
    words: 0,
    tooManyAt: undefined,
    characters: 0,
    names: 0,
    tooLongAt: undefined,
  };
  const filter = checkNested(given, { schema, at, depth: 0, count, faults });
  if (count.conditions > MAX_CONDITIONS) {
    const allowed = `at most ${MAX_CONDITIONS} conditions`;
    faults.push({ field: at, errorCode: 'out_of_range', message: `must have ${allowed}`, allowed });
  }
  if (count.names > MAX_NAMES) {
    const allowed = `at most ${MAX_NAMES.toLocaleString('en')} names in all paths together`;
    faults.push({ field: at, errorCode: 'out_of_range', message: `must have ${allowed}`, allowed });
  }
  if (count.tooManyAt !== undefined) {
    const message = `makes too many words: must be ${WORDS_ALLOWED}, got ${count.words}`;
    const field = count.tooManyAt;
    faults.push({ field, errorCode: 'out_of_range', message, allowed: WORDS_ALLOWED });
  }
  if (count.tooLongAt !== undefined) {
    const message = `makes too much text: must be ${TEXT_ALLOWED}`;
    const field = count.tooLongAt;
    faults.push({ field, errorCode: 'out_of_range', message, allowed: TEXT_ALLOWED });
  }
  return filter;
}

/** What there is of a filter in all, as far as it is bounded. */
interface Count {
  conditions: number;
  words: number;
  /** The condition whose words are the first too many. */
  tooManyAt: string | undefined;
  /** Of the text operators' operands, in code units. */
  characters: number;
  /** Of all conditions' paths. */
  names: number;
  tooLongAt: string | undefined;
}

/** What a check carries along while it descends into a filter. */
interface Walk {
  /** `undefined` where no name is unknown, as inside `any`. */
  readonly schema: SearchSchema | undefined;
  /** Where in the params it is. */
  readonly at: string;
  /** How many of `and`, `or`, `not` and `any` are around. */
  readonly depth: number;
  readonly count: Count;
  readonly faults: Fault[];
}

function checkNested(given: unknown, walk: Walk): Filter {
  const { at } = walk;
  if (walk.depth > MAX_DEPTH) {
    const allowed = `at most ${MAX_DEPTH} levels of and, or, not and any`;
    const message = `is nested too deep: ${allowed}`;
    walk.faults.push({ field: at, errorCode: 'out_of_range', message, allowed });
    return EVERYTHING;
  }
  if (!isJsonObject(given)) {
    walk.faults.push(wrongType('a filter: an object whose keys are operators', given, at));
    return EVERYTHING;
  }
  const parts = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .flatMap(([operator, value]) => checkOperator(operator, value, below(walk, operator)));
  if (parts.length === 0) countCondition(walk);
  return allOf(parts);
}

function below(walk: Walk, member: string | number): Walk {
  return { ...walk, at: `${walk.at}.${member}` };
}

function deeper(walk: Walk): Walk {
  return { ...walk, depth: walk.depth + 1 };
}

/** One member of a filter object, or one field of an operator: what it is sorted by, and means. */
interface Part {
  readonly order: string;
  readonly filter: Filter;
}

function allOf(parts: readonly Part[]): Filter {
  const filters = parts
    .toSorted((a, b) => compareCodePoints(a.order, b.order))
    .map(({ filter }) => filter);
  const [first] = filters;
  return first !== undefined && filters.length === 1 ? first : { operator: 'and', filters };
}

function checkOperator(operator: string, given: unknown, walk: Walk): readonly Part[] {
  if (isEnough(walk)) return [];
  switch (operator) {
    case 'and':
    case 'or':
      return [{ order: operator, filter: checkList(operator, given, walk) }];
    case 'not': {
      const filter = checkNested(given, deeper(walk));
      return [{ order: operator, filter: { operator, filter } }];
    }
    default:
      if (isConditionOperator(operator)) return checkConditions(operator, given, walk);
      countCondition(walk);
      walk.faults.push(unknownOperator(operator, walk));
      return [];
  }
}

function checkList(operator: 'and' | 'or', given: unknown, walk: Walk): Filter {
  if (!Array.isArray(given)) {
    walk.faults.push(wrongType('an array of filters', given, walk.at));
    return EVERYTHING;
  }
  if (given.length === 0) countCondition(walk);
  const filters: Filter[] = [];
  for (const [index, each] of given.entries()) {
    if (isEnough(walk)) break;
    filters.push(checkNested(each, deeper(below(walk, index))));
  }
  return { operator, filters };
}

/** The conditions of one operator: an object of fields and operands, or a list of paths and operands. */
function checkConditions(operator: ConditionOperator, given: unknown, walk: Walk): readonly Part[] {
  if (Array.isArray(given)) return checkListed(operator, given, walk);
  if (!isJsonObject(given)) {
    countCondition(walk);
    const allowed = 'an object of fields and values, or an array of {"path":…,"value":…}';
    walk.faults.push(wrongType(allowed, given, walk.at));
    return [];
  }
  const parts: Part[] = [];
  for (const [name, operand] of Object.entries(given)) {
    if (operand === undefined) continue;
    countCondition(walk);
    if (isEnough(walk)) break;
    const { at } = below(walk, name);
    const segments = segmentsOf(name);
    parts.push(
      ...checkCondition(operator, { segments, operand, at, pathAt: at, valueAt: at }, walk),
    );
  }
  return parts;
}

function checkListed(
  operator: ConditionOperator,
  given: readonly unknown[],
  walk: Walk,
): readonly Part[] {
  const parts: Part[] = [];
  for (const [index, entry] of given.entries()) {
    countCondition(walk);
    if (isEnough(walk)) break;
    const written = checkEntry(entry, below(walk, index));
    if (written !== undefined) parts.push(...checkCondition(operator, written, walk));
  }
  return parts;
}

const ENTRY_MEMBERS = {
  path: { schema: Type.Unknown(), isRequired: true, expects: PATH_EXPECTED },
  value: { schema: Type.Unknown(), isRequired: false, expects: 'what the operator takes' },
} as const;

function checkEntry(entry: unknown, { at, faults }: Walk): Written | undefined {
  if (!isJsonObject(entry)) {
    faults.push(wrongType('a condition: {"path":…,"value":…}', entry, at));
    return undefined;
  }
  const { values, faults: memberFaults } = checkMembers(ENTRY_MEMBERS, entry, at);
  const found = [...memberFaults];
  const [pathAt, valueAt] = [`${at}.path`, `${at}.value`];
  // Null is a value here, so it is only absent where it is not written.
  const { value: operand } = entry;
  if (operand === undefined) found.push(missingValue(valueAt));
  const segments = values['path'] === undefined ? [] : checkSegments(values['path'], pathAt);
  if ('errorCode' in segments) found.push(segments);
  faults.push(...found);
  if (found.length > 0 || 'errorCode' in segments) return undefined;
  return { segments, operand, at, pathAt, valueAt };
}

/** A condition as it was written, in either form. */
interface Written {
  readonly segments: readonly string[];
  readonly operand: unknown;
  /** Where in the params the condition is, its path, and its operand. */
  readonly at: string;
  readonly pathAt: string;
  readonly valueAt: string;
}

/** One condition, or none where something is wrong with it. */
function checkCondition(
  operator: ConditionOperator,
  written: Written,
  walk: Walk,
): readonly Part[] {
  const path = findPath(written, walk);
  if (path === undefined) return [];
  const { segments } = path;
  walk.count.names += segments.length;
  if (!fits(operator, path.type)) {
    const misfitting = misfit(operator, segments.join('.'), path.type);
    walk.faults.push({ field: written.pathAt, ...misfitting });
    return [];
  }
  const condition =
    operator === 'any'
      ? checkAny(path, written, walk)
      : checkPlain(operator === 'neq' ? 'eq' : operator, path, { written, walk });
  if (condition === undefined) return [];
  rememberPlace(condition, written.at);
  // No name has NUL in it, so that no two paths are spelled alike.
  const order = `${operator} ${segments.join('\0')}`;
  const filter: Filter = operator === 'neq' ? { operator: 'not', filter: condition } : condition;
  return [{ order, filter }];
}

function checkAny(path: FieldPath, { operand, valueAt }: Written, walk: Walk): Condition {
  const inside = { ...deeper(walk), at: valueAt, schema: undefined };
  return { operator: 'any', path, filter: checkNested(operand, inside) };
}

function checkPlain(
  operator: PlainOperator,
  path: FieldPath,
  { written, walk }: { readonly written: Written; readonly walk: Walk },
): Condition | undefined {
  const { count, faults } = walk;
  const countWords = (words: number) => {
    count.words += words;
    if (count.words > MAX_WORDS) count.tooManyAt ??= written.valueAt;
  };
  const takeText = (text: string) => {
    count.characters += text.length;
    const isTooMuch = count.characters > MAX_TEXT;
    if (isTooMuch) count.tooLongAt ??= written.valueAt;
    return !isTooMuch;
  };
  const { operand: given, valueAt: at } = written;
  const checked = checkOperand(operator, { path, given, at, countWords, takeText });
  if ('operator' in checked) return checked;
  faults.push(...checked);
  return undefined;
}

function findPath({ segments, pathAt }: Written, walk: Walk): FieldPath | undefined {
  const found =
    walk.schema === undefined
      ? openPath(segments, pathAt)
      : findField(walk.schema, segments, pathAt);
  if ('segments' in found) return found;
  walk.faults.push(found);
  return undefined;
}

function isConditionOperator(operator: string): operator is ConditionOperator {
  return (CONDITIONS as readonly string[]).includes(operator);
}

/** No input keeps the process busy: conditions are bounded, and what is told of them. */
function isEnough({ count, faults }: Walk): boolean {
  return count.conditions > MAX_CONDITIONS || faults.length >= MAX_TOLD;
}

function countCondition(walk: Walk): void {
  walk.count.conditions++;
}

function wrongType(allowed: string, given: unknown, at: string): Fault {
  const message = `must be ${allowed}, got ${quote(given)}`;
  return { field: at, errorCode: 'wrong_type', message, allowed };
}

function missingValue(field: string): Fault {
  const { expects } = ENTRY_MEMBERS.value;
  return { field, errorCode: 'missing', message: `is required: ${expects}`, allowed: expects };
}

function misfit(
  operator: ConditionOperator,
  name: string,
  type: SearchType | undefined,
): Omit<Fault, 'field'> {
  const allowed = CONDITIONS.filter((each) => fits(each, type)).join(', ');
  const hint = type === 'object' ? `; a path below it takes ${operator}, too` : '';
  return {
    errorCode: 'not_allowed',
    message: `does not work with ${quote(name)}, of type ${type}, which takes ${allowed}${hint}`,
    allowed,
  };
}

function unknownOperator(operator: string, walk: Walk): Fault {
  const allowed = OPERATORS.join(', ');
  const nearest = nearestName(operator, OPERATORS);
  const isField = walk.schema?.byName.has(segmentsOf(operator)[0] ?? '') === true;
  const hint = isField
    ? `; fields stand inside an operator, as in ${JSON.stringify({ eq: { [operator]: '…' } })}`
    : nearest === undefined
      ? `; allowed: ${allowed}`
      : `; did you mean "${nearest}"?`;
  return {
    field: walk.at,
    errorCode: 'unknown',
    message: `is no operator${hint}`,
    allowed,
    ...(nearest === undefined ? {} : { didYouMean: nearest }),
  };
}
