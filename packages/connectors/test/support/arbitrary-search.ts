import * as fc from 'fast-check';
import type { SearchableRecord } from '../../src/search/search-records.ts';
import type { SearchField, SearchSchema } from '../../src/search/search-schema.ts';
import { wellFormed } from '../../src/search/storable-values.ts';

/**
 * Records and searches that often meet: values of both come from the same small pools.
 */

const COMMON_WORDS = [
  'Ada',
  'ada',
  'adam',
  'lovelace',
  'LOVELACE',
  'grace',
  'Hopper',
  'hoper',
] as const;

const RARE_WORDS = [
  'adama',
  'lovelcae',
  'ab',
  'x',
  'internationalisation',
  'internationalization',
  'a1',
  '7',
  '42',
  '1.5',
  'true',
  'null',
  'café',
  'cafe\u0301',
  'CAFE',
  'Ångström',
  'straße',
  'ΟΔΟΣ',
  'οδος',
  'İstanbul',
  '\uFF21da',
  '𝒜da',
  '𐐀𐐁𐐂',
  '𐐨𐐩𐐪',
  '中文',
  '😀',
  '\uE000',
  '\uFFFD',
  '\0',
  '\ud800',
  '%',
  '_',
  '\\',
  '"',
  "'; drop table users; --",
] as const;

/** About as long as what a facet tells. */
const LONG_TEXTS = ['x'.repeat(256), '\u{1F600}'.repeat(256), 'x'.repeat(257), 'é'.repeat(600)];

const SEPARATORS = [' ', '', '-', '_', '  ', ' % '] as const;

const INTEGERS = [
  -1,
  0,
  1,
  2,
  7,
  42,
  1_700_000_000,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
] as const;

const FRACTIONS = [0.1, 1.5, -0.5, 1e21, 1e-7, 5e-324, Number.MAX_VALUE] as const;

const COMMON_KEYS = ['plan', 'name', 'a'] as const;

const RARE_KEYS = [
  'b',
  '',
  'list',
  '名',
  "it's",
  '0',
  'length',
  '__proto__',
  '"; drop table users; --',
  'constructor',
] as const;

const LIKE_PARTS = [
  '',
  'a',
  'A',
  'da',
  'ove',
  'É',
  'σ',
  '𐐀',
  '_',
  '\\',
  ' ',
  'hopper',
  'rue',
  '700000',
  'e+2',
] as const;

const word = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<string[]>(...COMMON_WORDS) },
  { weight: 1, arbitrary: fc.constantFrom<string[]>(...RARE_WORDS) },
);

const text = fc.oneof(
  { weight: 6, arbitrary: word },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.array(word, { maxLength: 4 }), fc.constantFrom(...SEPARATORS))
      .map(([words, separator]) => words.join(separator)),
  },
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('Ada', 'ada lovelace', 7, 1.5, true, null) },
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(...INTEGERS, ...FRACTIONS) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG_TEXTS) },
);

/** A name that dotted paths can name. */
const pathKey = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string[]>(...COMMON_KEYS) },
  { weight: 1, arbitrary: fc.constantFrom<string[]>(...RARE_KEYS) },
);

const anyKey = fc.oneof(
  { weight: 15, arbitrary: pathKey },
  { weight: 1, arbitrary: fc.constant('a.b') },
);

/** A text of some words of the pool, rarely anything else; not always well-formed. */
export function arbitraryText(): fc.Arbitrary<string> {
  return text;
}

/** A JSON value of any type; its texts are not always well-formed. */
export function arbitraryJson(depth = 3): fc.Arbitrary<unknown> {
  if (depth === 0) return scalar;
  return fc.oneof(
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: arbitraryObject(depth - 1) },
    { weight: 1, arbitrary: fc.array(arbitraryJson(depth - 1), { maxLength: 3 }) },
  );
}

/** Records with different keys, as a copy holds them: every value of its type or null. */
export function arbitraryRecords(
  schema: SearchSchema,
  { maxLength = 12 }: { readonly maxLength?: number } = {},
): fc.Arbitrary<readonly SearchableRecord[]> {
  return fc.uniqueArray(
    fc.record({
      key: fc.oneof(
        fc.nat({ max: 99 }).map(String),
        fc.constantFrom('Z', 'a', 'é', '\uE000', '😀', 'C1:1.2', "it's"),
      ),
      values: fc
        .tuple(...schema.fields.map(arbitraryValue))
        .map((values) =>
          Object.fromEntries(
            schema.fields.map(({ name }, index) => [name, wellFormed(values[index])]),
          ),
        ),
    }),
    { selector: ({ key }) => key, maxLength, size: 'max' },
  );
}

/** The valid params of a search. */
export function arbitrarySearchParams(
  schema: SearchSchema,
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const filter = arbitraryFilter(schema);
  const query = fc.oneof(
    { weight: 9, arbitrary: fc.record({ filter, sort: arbitrarySort(schema) }) },
    { weight: 5, arbitrary: fc.record({ filter }) },
    { weight: 1, arbitrary: fc.record({ sort: arbitrarySort(schema) }) },
    { weight: 1, arbitrary: fc.constantFrom({}, { filter: null, sort: null }) },
  );
  const limit = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1_000, 10_000, null));
  const fields = fc.oneof(
    fc.constantFrom(null, []),
    fc.array(
      fc
        .tuple(arbitraryPath(schema), fc.boolean())
        .map(([path, isDotted]) => (isDotted && !path.some(hasDot) ? path.join('.') : path)),
      { maxLength: 4 },
    ),
  );
  const count = fc.constantFrom(true, false, null);
  const facets = fc.option(arbitraryFacets(schema));
  return fc.record({ query, limit, fields, count, facets }, { requiredKeys: ['query'] });
}

/** Valid paths of facets, of different names. */
export function arbitraryFacets(schema: SearchSchema): fc.Arbitrary<readonly unknown[]> {
  const isObject = (name: string | undefined) => schema.byName.get(name ?? '')?.type === 'object';
  return fc
    .uniqueArray(
      arbitraryPath(schema).filter((path) => path.length > 1 || !isObject(path[0])),
      { selector: (path) => path.join('.'), maxLength: 4 },
    )
    .map((paths) =>
      // Some in either form, where a path has no dot in a segment.
      paths.map((path, index) => (index % 2 === 0 && !path.some(hasDot) ? path.join('.') : path)),
    );
}

/** A valid filter, as callers write it. */
export function arbitraryFilter(schema: SearchSchema): fc.Arbitrary<Json> {
  return filterOf(4, schema);
}

/** The params of a search with one fault, and where it is. */
export interface BrokenSearch {
  readonly params: unknown;
  /** The path that a fault has to have. */
  readonly at: string;
}

/** Params that no search takes. */
export function arbitraryBrokenSearch(schema: SearchSchema): fc.Arbitrary<BrokenSearch> {
  const inFilter = fc
    .tuple(arbitraryBrokenFilter(schema), fc.array(arbitraryWrapping(schema), { maxLength: 4 }))
    .map(([broken, wrappings]): BrokenSearch => {
      const { filter, at } = wrappings.reduce((inner, wrap) => wrap(inner), broken);
      return { params: { query: { filter } }, at: `params.query.filter${at}` };
    });
  return fc.oneof(
    { weight: 6, arbitrary: inFilter },
    { weight: 1, arbitrary: fc.constantFrom(...brokenElsewhere(schema)) },
  );
}

type Json = Readonly<Record<string, unknown>>;

const hasDot = (segment: string) => segment.includes('.');

function arbitraryObject(depth: number): fc.Arbitrary<Json> {
  return fc
    .uniqueArray(fc.tuple(anyKey, arbitraryJson(depth)), {
      selector: ([name]) => name,
      maxLength: 3,
    })
    .map((entries) => Object.fromEntries(entries));
}

function arbitraryArray(): fc.Arbitrary<readonly unknown[]> {
  return fc.oneof(
    fc.array(scalar, { maxLength: 4 }),
    fc.array(arbitraryObject(2), { maxLength: 3 }),
    fc.array(arbitraryJson(), { maxLength: 3 }),
  );
}

/** A value of the field's type, or null. */
function arbitraryValue({ type }: Pick<SearchField, 'type'>): fc.Arbitrary<unknown> {
  return fc.option(ofType(type), { freq: 4 });
}

function ofType(type: SearchField['type']): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return fc.oneof(
        { weight: 15, arbitrary: arbitraryText() },
        { weight: 1, arbitrary: fc.constantFrom(...LONG_TEXTS) },
      );
    case 'integer':
      return fc.constantFrom(...INTEGERS);
    case 'number':
      return fc.constantFrom(...INTEGERS, ...FRACTIONS);
    case 'boolean':
      return fc.boolean();
    case 'object':
      // Some object fields hold whatever the upstream sent.
      return fc.oneof(
        { weight: 6, arbitrary: arbitraryObject(3) },
        { weight: 1, arbitrary: arbitraryJson() },
      );
    case 'array':
      return arbitraryArray();
  }
}

/** Segments of a path: a searchable field, and below objects often some more. */
function arbitraryPath(schema: SearchSchema): fc.Arbitrary<readonly string[]> {
  return fc
    .tuple(fc.constantFrom(...schema.fields), fc.array(anyKey, { maxLength: 2 }))
    .map(([{ name, type }, below]) => (type === 'object' ? [name, ...below] : [name]));
}

interface NamedField {
  readonly segments: readonly string[];
  readonly type: SearchField['type'] | undefined;
}

/**
 * A field as filters name it, and its type; inside `any` (no schema) any name will do. `undefined`
 * where no field is of these types.
 */
function arbitraryField(
  schema: SearchSchema | undefined,
  types?: readonly SearchField['type'][],
): fc.Arbitrary<NamedField> | undefined {
  const below = fc.array(anyKey, { minLength: 1, maxLength: 2 });
  if (schema === undefined) return below.map((segments) => ({ segments, type: undefined }));
  const fields = schema.fields.filter(({ type }) => types?.includes(type) ?? true);
  const objects = schema.fields.filter(({ type }) => type === 'object');
  const ways: fc.WeightedArbitrary<NamedField>[] = [];
  if (fields.length > 0)
    ways.push({
      weight: 2,
      arbitrary: fc.constantFrom(...fields).map(({ name, type }) => ({ segments: [name], type })),
    });
  if (objects.length > 0)
    ways.push({
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...objects), below)
        .map(([{ name }, segments]) => ({ segments: [name, ...segments], type: undefined })),
    });
  return ways.length === 0 ? undefined : fc.oneof(...ways);
}

/** Words as people type them: in part, with a letter lost or two of them swapped. */
const typed = fc
  .tuple(word, fc.nat({ max: 6 }), fc.constantFrom('cut', 'lose', 'swap'))
  .map(([whole, at, how]) => {
    const letters = Array.from(whole);
    if (how === 'cut') return letters.slice(0, at + 1).join('');
    if (how === 'lose') return letters.toSpliced(at, 1).join('');
    return letters.toSpliced(at, 2, ...letters.slice(at, at + 2).toReversed()).join('');
  });

const queryText = fc.oneof(
  text,
  typed,
  fc.constant(''),
  fc
    .array(fc.oneof(word, typed), { minLength: 2, maxLength: 4, size: 'max' })
    .map((words) => words.join(' ')),
);

function arbitraryPattern(): fc.Arbitrary<string> {
  return fc.oneof(
    queryText,
    fc
      .array(fc.constantFrom(...LIKE_PARTS), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('%')),
    // Whole words, where a literal part has both of their ends.
    fc
      .tuple(fc.constantFrom('', '%', '% '), queryText, fc.constantFrom('', '%', ' %'))
      .map((parts) => parts.join('')),
  );
}

function operandFor(type: SearchField['type'] | undefined): fc.Arbitrary<unknown> {
  return type === undefined ? arbitraryJson(2) : arbitraryValue({ type });
}

function orderedFor(type: SearchField['type'] | undefined): fc.Arbitrary<unknown> {
  return type === undefined
    ? fc.oneof(arbitraryText(), fc.constantFrom(...INTEGERS, ...FRACTIONS))
    : ofType(type);
}

/** Where texts mostly are. */
const TEXT_TYPES = ['string', 'object', 'array'] as const;

/** One operator with one field. */
function arbitraryCondition(schema: SearchSchema | undefined, depth: number): fc.Arbitrary<Json> {
  const condition = (
    operators: readonly string[],
    types: readonly SearchField['type'][] | undefined,
    operand: (type: SearchField['type'] | undefined) => fc.Arbitrary<unknown>,
  ) => {
    const field = arbitraryField(schema, types);
    if (field === undefined) return [];
    return [
      fc
        .tuple(fc.constantFrom(...operators), field, fc.nat({ max: 3 }))
        .chain(([operator, { segments, type }, form]) =>
          operand(type).map((value) => ({
            [operator]:
              form === 0 || segments.some(hasDot)
                ? [{ path: segments, value }]
                : Object.fromEntries([[segments.join('.'), value]]),
          })),
        ),
    ];
  };
  return fc.oneof(
    ...condition(['eq', 'neq'], undefined, operandFor),
    ...condition(['gt', 'gte', 'lt', 'lte'], ['string', 'integer', 'number'], orderedFor),
    ...condition(['in'], undefined, (type) => fc.array(operandFor(type), { maxLength: 4 })),
    ...condition(['in'], undefined, (type) =>
      fc.array(operandFor(type), { minLength: 2, maxLength: 20, size: 'max' }),
    ),
    ...condition(['like'], undefined, arbitraryPattern),
    ...condition(['like'], TEXT_TYPES, arbitraryPattern),
    ...condition(['keyword', 'fuzzy'], undefined, () => queryText),
    ...condition(['keyword', 'fuzzy'], TEXT_TYPES, () => queryText),
    ...condition(['contains'], ['array'], () => scalar),
    ...(depth === 0 ? [] : condition(['any'], ['array'], () => filterOf(depth - 1, undefined))),
  );
}

function filterOf(depth: number, schema: SearchSchema | undefined): fc.Arbitrary<Json> {
  const condition = arbitraryCondition(schema, Math.min(depth, 2));
  if (depth === 0) return condition;
  const inner = filterOf(depth - 1, schema);
  const some = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 6, arbitrary: condition },
    { weight: 2, arbitrary: some.map((and) => ({ and })) },
    { weight: 2, arbitrary: some.map((or) => ({ or })) },
    { weight: 2, arbitrary: inner.map((not) => ({ not })) },
    // Several members of one object mean AND.
    { weight: 1, arbitrary: fc.tuple(condition, inner).map(([a, b]) => ({ ...a, ...b })) },
    { weight: 1, arbitrary: fc.constantFrom<Json[]>({}, { and: [] }, { or: [] }, { eq: {} }) },
  );
}

function arbitrarySort(schema: SearchSchema): fc.Arbitrary<readonly Json[]> {
  const names = schema.fields
    .filter(({ type }) => type !== 'object' && type !== 'array')
    .map(({ name }) => name);
  return fc
    .tuple(
      fc.subarray(names, { maxLength: Math.min(3, names.length) }),
      fc.array(fc.tuple(fc.constantFrom('asc', 'desc'), fc.boolean()), {
        minLength: 3,
        maxLength: 3,
      }),
    )
    .map(([fields, ways]) =>
      fields.map((field, index) => {
        const [order, isWrittenOut] = ways[index] ?? ['asc', false];
        return isWrittenOut ? { field, order } : { [field]: order };
      }),
    );
}

interface BrokenFilter {
  readonly filter: Json;
  /** From the filter on, with a dot before each part. */
  readonly at: string;
}

function arbitraryBrokenFilter(schema: SearchSchema): fc.Arbitrary<BrokenFilter> {
  const of = (type: SearchField['type']) =>
    schema.fields.filter((each) => each.type === type).map(({ name }) => name);
  const wrong = (
    names: readonly string[],
    operators: readonly string[],
    values: readonly unknown[],
  ) =>
    names.length === 0
      ? []
      : [
          fc
            .tuple(
              fc.constantFrom(...names),
              fc.constantFrom(...operators),
              fc.constantFrom(...values),
            )
            .map(([name, operator, value]): BrokenFilter => ({
              filter: { [operator]: { [name]: value } },
              at: `.${operator}.${name}`,
            })),
        ];
  const all = schema.fields.map(({ name }) => name);
  return fc.oneof(
    ...wrong(
      ['nothing', 'constructor', '__PROTO__', '', 'nothing.at.all'],
      ['eq', 'like', 'any'],
      [1],
    ),
    ...wrong(of('string'), ['eq', 'neq', 'gt', 'lte'], [1, true, [], {}]),
    ...wrong(of('integer'), ['eq', 'neq', 'gte', 'lt'], ['1', 1.5, 2 ** 53, false, {}]),
    ...wrong(of('number'), ['eq', 'gt', 'lte'], ['1', true, []]),
    ...wrong(of('boolean'), ['eq', 'neq'], ['true', 0, 1, []]),
    ...wrong(
      [...of('boolean'), ...of('object'), ...of('array')],
      ['gt', 'gte', 'lt', 'lte'],
      [1, 'a'],
    ),
    ...wrong([...of('string'), ...of('integer'), ...of('object')], ['contains'], ['a', 1]),
    ...wrong([...of('string'), ...of('number'), ...of('object')], ['any'], [{}]),
    ...wrong(of('array'), ['any'], [1, 'a', null, []]),
    ...wrong(of('array'), ['contains'], [{}, []]),
    ...wrong(of('array'), ['eq'], ['a', {}]),
    ...wrong(all, ['like', 'keyword', 'fuzzy'], [1, null, true, [], {}]),
    ...wrong(all, ['in'], [1, null, 'a', {}, Array.from({ length: 1_001 }, () => null)]),
    ...wrong(
      [...of('string'), ...of('array')].map((name) => `${name}.0`),
      ['eq', 'like'],
      ['a'],
    ),
    fc.constantFrom<BrokenFilter>(
      { filter: { eqq: {} }, at: '.eqq' },
      { filter: { EQ: {} }, at: '.EQ' },
      { filter: { eq: 1 }, at: '.eq' },
      { filter: { like: null }, at: '.like' },
      { filter: { and: {} }, at: '.and' },
      { filter: { or: [1] }, at: '.or.0' },
      { filter: { eq: [1] }, at: '.eq.0' },
      { filter: { like: [{ path: [all[0] ?? ''] }] }, at: '.like.0.value' },
      { filter: { in: [{ value: [] }] }, at: '.in.0.path' },
      { filter: { eq: [{ path: [all[0] ?? '', 1], value: 1 }] }, at: '.eq.0.path.1' },
      { filter: { keyword: [{ path: ['nothing'], value: 'a' }] }, at: '.keyword.0.path' },
      { filter: { not: [] }, at: '.not' },
    ),
  );
}

/** Puts a broken filter inside a sound one. */
function arbitraryWrapping(
  schema: SearchSchema,
): fc.Arbitrary<(inner: BrokenFilter) => BrokenFilter> {
  return fc
    .tuple(fc.constantFrom('and', 'or', 'not'), arbitraryCondition(schema, 0), fc.boolean())
    .map(([operator, sound, isFirst]) => ({ filter, at }: BrokenFilter) => {
      if (operator === 'not') return { filter: { not: filter }, at: `.not${at}` };
      const filters = isFirst ? [filter, sound] : [sound, filter];
      return { filter: { [operator]: filters }, at: `.${operator}.${isFirst ? 0 : 1}${at}` };
    });
}

function brokenElsewhere(schema: SearchSchema): readonly BrokenSearch[] {
  const name = schema.fields.find(({ type }) => type === 'string')?.name ?? 'id';
  return [
    { params: null, at: 'params.query' },
    { params: [], at: 'params' },
    { params: { query: [] }, at: 'params.query' },
    { params: { query: {}, limit: 0 }, at: 'params.limit' },
    { params: { query: {}, limit: 10_001 }, at: 'params.limit' },
    { params: { query: {}, limit: '05' }, at: 'params.limit' },
    { params: { query: {}, cursor: 5 }, at: 'params.cursor' },
    { params: { query: {}, timeout_ms: 0 }, at: 'params.timeout_ms' },
    { params: { query: {}, allow_partial: 'true' }, at: 'params.allow_partial' },
    { params: { query: {}, offset: 5 }, at: 'params.offset' },
    { params: { query: {}, fields: name }, at: 'params.fields' },
    { params: { query: {}, fields: [name, 'nothing'] }, at: 'params.fields.1' },
    { params: { query: {}, fields: [[name, 'below']] }, at: 'params.fields.0' },
    { params: { query: {}, fields: [[]] }, at: 'params.fields.0' },
    { params: { query: {}, count: 1 }, at: 'params.count' },
    { params: { query: {}, facets: name }, at: 'params.facets' },
    { params: { query: {}, facets: [name, 'nothing'] }, at: 'params.facets.1' },
    { params: { query: {}, facets: [[name, 'below']] }, at: 'params.facets.0' },
    { params: { query: {}, facets: Array<string>(11).fill(name) }, at: 'params.facets' },
    ...schema.fields
      .filter(({ type }) => type === 'object')
      .map((object) => ({
        params: { query: {}, facets: [object.name] },
        at: 'params.facets.0',
      })),
    inQuery({ filters: {} }, 'filters'),
    inQuery({ filter: [] }, 'filter'),
    inQuery({ sort: {} }, 'sort'),
    inQuery({ sort: [{ [name]: 'up' }] }, `sort.0.${name}`),
    inQuery({ sort: [{ [name]: 'asc' }, { [name]: 'desc' }] }, 'sort.1'),
    inQuery({ sort: ['nothing'] }, 'sort.0'),
    inQuery({ sort: [{ nothing: 'asc' }] }, 'sort.0.nothing'),
  ];
}

function inQuery(members: Json, at: string): BrokenSearch {
  return { params: { query: members }, at: `params.query.${at}` };
}
