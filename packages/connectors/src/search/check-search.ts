import { Type } from 'typebox';
import { checkMembers, MAX_TOLD, withoutDigits } from '../check-members.ts';
import { isJsonObject, quote } from '../json-value.ts';
import { ConnectorError, faultText, type Fault } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import { checkFilter } from './check-filter.ts';
import { OPERATORS } from './operators.ts';
import { checkFacets } from './check-facets.ts';
import { checkSegments, findField, namesIn, segmentsOf } from './field-path.ts';
import type { Search, SortKey } from './filter.ts';
import { DEFAULT_HITS, MAX_FIELD_NAMES, SEARCH_PARAMS, SORT_ORDERS } from './search-params.ts';
import type { SearchSchema, SearchType } from './search-schema.ts';

const MAX_FAULTS_TOLD = 10;

const QUERY_MEMBERS = {
  filter: { schema: Type.Object({}), isRequired: false, expects: 'a filter, an object' },
  sort: { schema: Type.Array(Type.Unknown()), isRequired: false, expects: 'an array' },
} as const;

/**
 * Checks the params of a search, strictly: every fault at once, each at its path, with what is
 * allowed and the nearest name.
 *
 * @throws `invalid_query` if all that is wrong is inside `query`, `fields` or `facets`; else `invalid_params`.
 * @see docs/search.md#faults
 */
export function checkSearch(schema: SearchSchema, params: unknown): Search {
  const given = params ?? {};
  if (!isJsonObject(given)) {
    const message = `must be an object, got ${quote(params)}`;
    throw invalid(schema, [{ field: 'params', errorCode: 'wrong_type', message }]);
  }
  const asGiven = withoutDigits(SEARCH_PARAMS, given);
  const { values, faults: memberFaults } = checkMembers(SEARCH_PARAMS, asGiven, 'params');
  const faults = [...memberFaults];
  const query = checkQuery(schema, values['query'] ?? {}, faults);
  const fields = checkFields(schema, values['fields'] ?? [], faults);
  // checkMembers has proven an array.
  const facets = checkFacets(schema, (values['facets'] ?? []) as readonly unknown[], faults);
  if (faults.length > 0) throw invalid(schema, faults);
  const { limit = DEFAULT_HITS, cursor, timeout_ms: timeoutMs, allow_partial } = values;
  return {
    ...query,
    // checkMembers has proven integers in range, and a string where there is one.
    limit: limit as number,
    cursor: cursor as string | undefined,
    fields: fields.length === 0 ? undefined : fields,
    count: values['count'] === true,
    facets,
    timeoutMs: timeoutMs as number | undefined,
    allowsPartial: allow_partial === true,
    tellsFreshness: values['freshness'] === true,
  };
}

function checkQuery(
  schema: SearchSchema,
  given: unknown,
  faults: Fault[],
): Pick<Search, 'filter' | 'sort'> {
  // checkMembers has proven an object.
  const query = given as Readonly<Record<string, unknown>>;
  const { values, faults: memberFaults } = checkMembers(QUERY_MEMBERS, query, 'params.query');
  faults.push(...memberFaults.map(orOutsideFilter));
  return {
    filter: checkFilter(values['filter'] ?? {}, { schema, at: 'params.query.filter', faults }),
    sort: checkSort(schema, values['sort'] ?? [], faults),
  };
}

/** Says of a misplaced operator where it belongs. */
function orOutsideFilter(fault: Fault): Fault {
  const name = fault.field.slice('params.query.'.length);
  if (!OPERATORS.includes(name)) return fault;
  const message = `is an operator, and operators stand inside filter: {"filter":{"${name}":…}}`;
  return { ...fault, message, didYouMean: `filter.${name}` };
}

function checkSort(schema: SearchSchema, given: unknown, faults: Fault[]): readonly SortKey[] {
  const sort: SortKey[] = [];
  // checkMembers has proven an array.
  for (const [index, entry] of (given as readonly unknown[]).entries()) {
    if (faults.length >= MAX_TOLD) break;
    const checked = checkSortEntry(schema, entry, `params.query.sort.${index}`);
    if ('errorCode' in checked) faults.push(checked);
    else if (sort.some(({ field }) => field === checked.field))
      faults.push(repeatedField(checked.field, `params.query.sort.${index}`));
    else sort.push(checked);
  }
  return sort;
}

function checkSortEntry(schema: SearchSchema, given: unknown, at: string): SortKey | Fault {
  const entry = isJsonObject(given) ? Object.entries(given) : [];
  const isWrittenOut =
    entry.length > 0 &&
    entry.every(([name]) => name === 'field' || name === 'order') &&
    (entry.length === 2 || !schema.byName.has(entry[0]?.[0] ?? ''));
  if (isWrittenOut) {
    const { field, order } = Object.fromEntries(entry);
    return checkSortKey(schema, { field, fieldAt: `${at}.field`, order, orderAt: `${at}.order` });
  }
  const [first] = entry;
  if (first === undefined || entry.length !== 1) {
    const allowed = '{"<field>": "asc" or "desc"}';
    const message = `must be an object of one field, ${allowed}, got ${quoteSort(given)}`;
    return { field: at, errorCode: 'wrong_type', message, allowed };
  }
  const [field, order] = first;
  return checkSortKey(schema, {
    field,
    fieldAt: `${at}.${field}`,
    order,
    orderAt: `${at}.${field}`,
  });
}

function checkSortKey(
  schema: SearchSchema,
  given: {
    readonly field: unknown;
    readonly fieldAt: string;
    readonly order: unknown;
    readonly orderAt: string;
  },
): SortKey | Fault {
  const { field: name, fieldAt, order, orderAt } = given;
  const allowed = namesIn(schema, ({ type }) => isScalar(type));
  if (typeof name !== 'string') {
    const message = `must be the name of a field, got ${quote(name)}`;
    return { field: fieldAt, errorCode: 'wrong_type', message, allowed };
  }
  const path = findField(schema, segmentsOf(name), fieldAt);
  if ('errorCode' in path) return { ...path, allowed };
  if (path.type === undefined || !isScalar(path.type)) {
    const what = path.type === undefined ? 'a path' : `of type ${path.type}`;
    const message = `is ${what}; a sort takes string, integer, number and boolean fields`;
    return { field: fieldAt, errorCode: 'not_allowed', message, allowed };
  }
  if (order === 'asc' || order === 'desc') return { field: name, order };
  const nearest = nearestName(order, SORT_ORDERS);
  return {
    field: orderAt,
    errorCode: order === undefined ? 'missing' : 'not_allowed',
    message: `must be "asc" or "desc", got ${order === undefined ? 'nothing' : quote(order)}`,
    allowed: SORT_ORDERS.join(', '),
    ...(nearest === undefined ? {} : { didYouMean: nearest }),
  };
}

function isScalar(type: SearchType): boolean {
  return type !== 'object' && type !== 'array';
}

function repeatedField(name: string, at: string): Fault {
  const message = `sorts by ${quote(name)} again`;
  return { field: at, errorCode: 'conflict', message, allowed: 'each field once' };
}

function quoteSort(given: unknown): string {
  if (!isJsonObject(given)) return quote(given);
  const names = Object.keys(given);
  return names.length === 0 ? 'an empty object' : `one of ${names.length} fields`;
}

function checkFields(
  schema: SearchSchema,
  given: unknown,
  faults: Fault[],
): readonly (readonly string[])[] {
  const fields: (readonly string[])[] = [];
  // checkMembers has proven an array.
  for (const [index, entry] of (given as readonly unknown[]).entries()) {
    if (faults.length >= MAX_TOLD) break;
    const at = `params.fields.${index}`;
    const segments = checkSegments(entry, at);
    const found = 'errorCode' in segments ? segments : findField(schema, segments, at);
    if ('errorCode' in found) faults.push(found);
    else fields.push(found.segments);
  }
  if (fields.reduce((sum, { length }) => sum + length, 0) > MAX_FIELD_NAMES) {
    const allowed = `at most ${MAX_FIELD_NAMES.toLocaleString('en')} names in all paths together`;
    const message = `must have ${allowed}`;
    faults.push({ field: 'params.fields', errorCode: 'out_of_range', message, allowed });
  }
  return fields;
}

function invalid(schema: SearchSchema, found: readonly Fault[]): ConnectorError {
  const isAboutQuery = found.every(({ field }) =>
    /^params\.(query|fields|facets)(\.|$)/.test(field),
  );
  const faults = found.slice(0, MAX_TOLD);
  const told = faults.slice(0, MAX_FAULTS_TOLD).map(faultText);
  const more = found.length - told.length;
  // Beyond so many, nobody has looked for others.
  if (more > 0)
    told.push(found.length < MAX_TOLD ? `and ${more} more` : `and ${more} more at least`);
  return new ConnectorError(
    isAboutQuery ? 'invalid_query' : 'invalid_params',
    { entity: schema.entity, action: 'search', faults },
    { message: `The params of ${schema.entity}.search are wrong: ${told.join('; ')}` },
  );
}
