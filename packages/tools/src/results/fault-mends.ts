import { isJsonObject, isSearch, nearestName, type Fault } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import { keysAt, replaced, valueAt, without, withValueAt, type Keys } from './arguments-path.ts';
import type { ToolCallText } from './tool-call.ts';
import { filterInOurWords, sortInOurWords, union } from './query-dialects.ts';
import { guessesAt, parsedJson } from './value-guesses.ts';

const FILTER_WORDS: ReadonlySet<string> = new Set(['filter', 'filters', 'where']);
const SORT_WORDS: ReadonlySet<string> = new Set([
  'sort',
  'sort_by',
  'order_by',
  'orderBy',
  'order',
]);
const PARAMS_WORDS: ReadonlySet<string> = new Set(['parameters', 'arguments', 'args', 'input']);
const FIELDS_WORDS: ReadonlySet<string> = new Set(['fields', 'select', 'select_fields']);

/** Where a fault stands in the arguments: a search has its params among them. */
export function argumentPath({ field }: Fault, { tool }: ToolCallText): string {
  return tool === 'search' && field.startsWith('params.') ? field.slice('params.'.length) : field;
}

/**
 * The calls that may have been meant, the likeliest first: each does away with one fault.
 *
 * @param others Whatever else is wrong with the call.
 */
export function mendsOf(
  fault: Fault,
  call: ToolCallText,
  others: readonly Fault[],
): readonly ToolCallText[] {
  const { tool, arguments: args } = call;
  if (fault.field === 'tool' && fault.didYouMean !== undefined)
    return [{ tool: fault.didYouMean, arguments: args }];
  if (fault.errorCode === 'missing' && fault.didYouMean !== undefined)
    return [{ tool, arguments: { ...args, [argumentPath(fault, call)]: fault.didYouMean } }];
  const keys = keysOf(fault, call);
  if (keys === undefined) return [];
  const mended = [
    ...queryMends(args, keys, call),
    ...misplacedMends(fault, keys, call),
    ...didYouMeanMends(fault, args, keys),
    ...valueMends(fault, args, keys),
    ...renamings(fault, keys, { args, others }),
  ];
  return [...mended.map((each) => ({ tool, arguments: each })), ...searchesFor(fault, keys, call)];
}

function keysOf(fault: Fault, call: ToolCallText): Keys | undefined {
  const path = argumentPath(fault, call);
  // An execute that is a search takes its fields by the name that other actions have for them.
  const alias = path.replace(/^params\.fields(?=\.|$)/, 'select_fields');
  return keysAt(call.arguments, path) ?? keysAt(call.arguments, alias);
}

/** Filters and sorts in the languages of others. */
function queryMends(args: JsonObject, keys: Keys, call: ToolCallText): readonly JsonObject[] {
  const place = queryPlace(call);
  if (place === undefined || !place.every((key, index) => keys[index] === key)) return [];
  const [member] = keys.slice(place.length);
  if (member === undefined) return [];
  const query = valueAt(args, place);
  if (!isJsonObject(query)) return [];
  const at = [...place, member];
  const value = parsedJson(query[member]) ?? query[member];
  if (member === 'filter') return [withValueAt(args, at, filterInOurWords(value))];
  if (member === 'sort') return [withValueAt(args, at, sortInOurWords(value))];
  return [withValueAt(args, place, withQueryMember(without(query, member), member, value))];
}

/** Where the query of a search stands; `undefined` in other calls. */
function queryPlace({ tool, arguments: { action } }: ToolCallText): Keys | undefined {
  if (tool === 'search') return ['query'];
  return tool === 'execute' && typeof action === 'string' && isSearch(action)
    ? ['params', 'query']
    : undefined;
}

/** The query with what a wrong member of it meant. */
function withQueryMember(query: JsonObject, name: string, value: unknown): JsonObject {
  if (SORT_WORDS.has(name) && !('sort' in query)) return { ...query, sort: sortInOurWords(value) };
  const filter = filterInOurWords(FILTER_WORDS.has(name) ? value : { [name]: value });
  const there = query['filter'];
  if (there === undefined) return { ...query, filter };
  return { ...query, filter: union([there, filter]) ?? filterInOurWords([there, filter]) };
}

/** What stands in a place where its name is not known, at the place where it is. */
function misplacedMends(fault: Fault, keys: Keys, call: ToolCallText): readonly JsonObject[] {
  const { tool, arguments: args } = call;
  if (fault.errorCode !== 'unknown') return [];
  const [first = '', second, ...below] = keys;
  const place = queryPlace(call);
  const isInParams = first === 'params' && second !== undefined && below.length === 0;
  if (second !== undefined && !isInParams) return [];
  const name = second ?? first;
  const value = valueAt(args, keys);
  const rest = isInParams
    ? withValueAt(args, ['params'], without(paramsOf(args), name))
    : without(args, name);
  const isBeside = place !== undefined && keys.length === place.length;
  const mends: JsonObject[] = [];
  if (isBeside && !FIELDS_WORDS.has(name) && !PARAMS_WORDS.has(name) && name !== 'params') {
    const there = valueAt(rest, place);
    const query = isJsonObject(there) ? there : {};
    if (there === undefined || isJsonObject(there))
      mends.push(
        withValueAt(rest, place, withQueryMember(query, name, parsedJson(value) ?? value)),
      );
  }
  const fields = tool === 'search' ? 'fields' : 'select_fields';
  if (FIELDS_WORDS.has(name) && !(fields in rest)) mends.push({ ...rest, [fields]: value });
  const inner = parsedJson(value) ?? value;
  if (name === 'params' && isJsonObject(inner)) mends.push(...merged(rest, tool, inner));
  if (tool === 'execute' && !isInParams && PARAMS_WORDS.has(name) && isJsonObject(inner))
    mends.push(...merged(rest, tool, inner));
  else if (tool === 'execute' && !isInParams) mends.push(...merged(rest, tool, { [name]: value }));
  return mends;
}

/** The arguments with more params; none where that would replace one. */
function merged(args: JsonObject, tool: string, more: JsonObject): readonly JsonObject[] {
  const there = tool === 'search' ? args : paramsOf(args);
  if (Object.keys(more).some((name) => Object.hasOwn(there, name))) return [];
  if (tool === 'search') return [{ ...args, ...more }];
  // Params that are text have to be read before anything can be added to them.
  if ('params' in args && !isJsonObject(args['params'])) return [];
  return [{ ...args, params: { ...there, ...more } }];
}

function paramsOf(args: JsonObject): JsonObject {
  return isJsonObject(args['params']) ? args['params'] : {};
}

/** The name or value that the check itself holds for meant. */
function didYouMeanMends(
  { didYouMean }: Fault,
  args: JsonObject,
  keys: Keys,
): readonly JsonObject[] {
  if (didYouMean === undefined) return [];
  const key = keys.at(-1) ?? '';
  const parent = valueAt(args, keys.slice(0, -1));
  const value = valueAt(args, keys);
  const isNameWrong =
    nearestName(key, [didYouMean]) !== undefined ||
    key.startsWith(`${didYouMean}.`) ||
    didYouMean.endsWith(`.${key}`);
  if (isJsonObject(parent) && isNameWrong)
    return Object.hasOwn(parent, didYouMean)
      ? []
      : [withValueAt(args, keys.slice(0, -1), replaced(parent, key, { [didYouMean]: value }))];
  return typeof value === 'string' ? [withValueAt(args, keys, didYouMean)] : [];
}

function valueMends(fault: Fault, args: JsonObject, keys: Keys): readonly JsonObject[] {
  if (!['wrong_type', 'out_of_range', 'not_allowed'].includes(fault.errorCode)) return [];
  const value = valueAt(args, keys);
  const name = keys.at(-1) ?? '';
  return [
    ...operatorMends(value, args, keys),
    ...guessesAt(value, name, fault.allowed ?? '').map((each) => withValueAt(args, keys, each)),
  ];
}

/** `contains` of a text, which is for arrays, as like; `eq` of several values as in. */
function operatorMends(value: unknown, args: JsonObject, keys: Keys): readonly JsonObject[] {
  const [operator, field = ''] = keys.slice(-2);
  const isText = typeof value === 'string' && !value.includes('%');
  const meant =
    operator === 'contains' && isText
      ? 'like'
      : operator === 'eq' && Array.isArray(value)
        ? 'in'
        : undefined;
  const at = keys.slice(0, -2);
  const filter = valueAt(args, at);
  if (meant === undefined || operator === undefined || !isJsonObject(filter)) return [];
  const conditions = filter[operator];
  if (!isJsonObject(conditions)) return [];
  const left = without(conditions, field);
  const others =
    Object.keys(left).length === 0 ? without(filter, operator) : { ...filter, [operator]: left };
  return [
    withValueAt(
      args,
      at,
      filterInOurWords(
        [others, { [meant]: { [field]: value } }].filter((each) => Object.keys(each).length > 0),
      ),
    ),
  ];
}

/** The one param that is missing, where one is given that is none: an `id` mostly. */
function renamings(
  fault: Fault,
  keys: Keys,
  { args, others }: { readonly args: JsonObject; readonly others: readonly Fault[] },
): readonly JsonObject[] {
  const [missing, ...more] = others.filter(({ errorCode }) => errorCode === 'missing');
  const unknown = others.filter(({ errorCode }) => errorCode === 'unknown');
  if (fault.errorCode !== 'unknown' || missing === undefined) return [];
  if (more.length > 0 || unknown.length > 0) return [];
  const given = keys.at(-1) ?? '';
  const meant = missing.field.split('.').at(-1) ?? '';
  const isAlike =
    given === 'id' || meant === 'id' || given === `${meant}_id` || meant === `${given}_id`;
  const parent = valueAt(args, keys.slice(0, -1));
  if (!isAlike || !isJsonObject(parent) || Object.hasOwn(parent, meant)) return [];
  return [
    withValueAt(args, keys.slice(0, -1), replaced(parent, given, { [meant]: parent[given] })),
  ];
}

/** A list with a filter, which lists have not, as a search. */
function searchesFor(
  { errorCode }: Fault,
  keys: Keys,
  { tool, arguments: args }: ToolCallText,
): readonly ToolCallText[] {
  const [first, name = '', ...below] = keys;
  const isQuery = first === 'params' && (FILTER_WORDS.has(name) || name === 'query');
  if (tool !== 'execute' || args['action'] !== 'list' || errorCode !== 'unknown') return [];
  if (!isQuery || below.length > 0) return [];
  return [asSearch(args)];
}

/** An execute as the search that it means. */
export function asSearch(args: JsonObject): ToolCallText {
  const { action: _, params: __, select_fields: fields, ...others } = args;
  const named = fields === undefined ? {} : { fields };
  return { tool: 'search', arguments: { ...others, ...named, ...paramsOf(args) } };
}
