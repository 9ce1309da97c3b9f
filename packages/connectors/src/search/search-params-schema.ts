import { MAX_SEGMENTS } from '../input-bounds.ts';
import { operandSchema } from './operand-types.ts';
import { CONDITIONS, fits, WORDS_ALLOWED, type ConditionOperator } from './operators.ts';
import { SEARCH_PARAMS, SORT_ORDERS } from './search-params.ts';
import type { SearchField, SearchSchema, SearchType } from './search-schema.ts';

/**
 * JSON Schema (2020-12) of the params of a search: those that `checkSearch` takes, but for what JSON
 * Schema has no words for. That is how deep a filter is nested, how many conditions it has in all,
 * how many words it has, a field that is sorted by twice, and two facets of one name.
 *
 * References in it are below its own root, at `#/$defs/…`.
 */
export function searchParamsSchema({ fields }: SearchSchema): object {
  const general = Object.entries(SEARCH_PARAMS).map(
    ([name, { schema, isRequired }]) => [name, isRequired ? schema : orNull(schema)] as const,
  );
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(general),
      query: {
        ...SEARCH_PARAMS.query.schema,
        properties: {
          filter: orNull({ $ref: '#/$defs/filter' }),
          sort: orNull(sortSchema(fields)),
        },
        additionalProperties: false,
      },
      fields: orNull({ ...SEARCH_PARAMS.fields.schema, items: fieldPathSchema(fields) }),
      facets: orNull({
        ...SEARCH_PARAMS.facets.schema,
        items: fieldPathSchema(fields, { shortestBelow: 2 }),
      }),
    },
    required: ['query'],
    additionalProperties: false,
    $defs: {
      filter: filterSchema('#/$defs/filter', pathsOf(fields)),
      element_filter: filterSchema('#/$defs/element_filter', [ANY_PATH]),
    },
  };
}

/** A null member is an absent one. */
function orNull(schema: object): object {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Paths that mean fields of one type. */
interface Paths {
  /** The dotted ones, as a regular expression. */
  readonly pattern: string;
  /** JSON Schema of their segments. */
  readonly segments: object;
  readonly type: SearchType | undefined;
}

const dotted = (atLeast: number, atMost: number) => `(\\.[^.]*){${atLeast},${atMost}}`;

/** Inside `any` and below objects, no name is unknown. */
const ANY_PATH: Paths = {
  pattern: `^[^.]*${dotted(0, MAX_SEGMENTS - 1)}$`,
  segments: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_SEGMENTS },
  type: undefined,
};

/** The paths that a filter may have: fields by their type, and paths below objects. */
function pathsOf(fields: readonly SearchField[]): readonly Paths[] {
  const types = [...new Set(fields.map(({ type }) => type))];
  const objects = fieldsOf(fields, isObject);
  return [
    ...types.map((type) => {
      const names = fieldsOf(fields, (each) => each.type === type);
      return { ...pathsBelow(names, { shortest: 1, longest: 1 }), type };
    }),
    ...(objects.length === 0
      ? []
      : [{ ...pathsBelow(objects, { shortest: 2, longest: MAX_SEGMENTS }), type: undefined }]),
  ];
}

/** Paths of so many segments, of which the first is one of the names. */
function pathsBelow(
  names: readonly string[],
  { shortest, longest }: { readonly shortest: number; readonly longest: number },
): Omit<Paths, 'type'> {
  return {
    pattern: `^${oneOf(names)}${dotted(shortest - 1, longest - 1)}$`,
    segments: {
      type: 'array',
      prefixItems: [{ enum: names }],
      items: { type: 'string' },
      minItems: shortest,
      maxItems: longest,
    },
  };
}

function pathSchema({ pattern, segments }: Omit<Paths, 'type'>): object {
  return { anyOf: [{ type: 'string', pattern }, segments] };
}

/** Operators whose members are those of another one. */
const SAME_AS: Readonly<Partial<Record<ConditionOperator, ConditionOperator>>> = {
  neq: 'eq',
  gte: 'gt',
  lt: 'gt',
  lte: 'gt',
  fuzzy: 'keyword',
};

/** What is left to words. */
const WORDS_DESCRIBED = { description: `A query has ${WORDS_ALLOWED}.` };
const DESCRIBED: Readonly<Partial<Record<ConditionOperator, object>>> = {
  keyword: WORDS_DESCRIBED,
  fuzzy: WORDS_DESCRIBED,
};

function filterSchema(own: string, paths: readonly Paths[]): object {
  const nested = { $ref: own };
  return {
    type: 'object',
    properties: {
      and: { type: 'array', items: nested },
      or: { type: 'array', items: nested },
      not: nested,
      ...Object.fromEntries(
        CONDITIONS.map((operator) => {
          const same = SAME_AS[operator];
          return [
            operator,
            same === undefined
              ? conditionsSchema(operator, paths)
              : { $ref: `${own}/properties/${same}`, ...DESCRIBED[operator] },
          ];
        }),
      ),
    },
    additionalProperties: false,
  };
}

/** The fields that an operator may be about, with its operands: by name, or in a list. */
function conditionsSchema(operator: ConditionOperator, paths: readonly Paths[]): object {
  const fitting = paths
    .filter(({ type }) => fits(operator, type))
    .map((each) => ({
      ...each,
      operand:
        operator === 'any'
          ? { $ref: '#/$defs/element_filter' }
          : operandSchema(operator === 'neq' ? 'eq' : operator, each.type),
    }));
  return {
    anyOf: [
      {
        type: 'object',
        patternProperties: Object.fromEntries(
          fitting.map(({ pattern, operand }) => [pattern, operand]),
        ),
        additionalProperties: false,
      },
      fitting.length === 0
        ? { type: 'array', maxItems: 0 }
        : { type: 'array', items: { anyOf: fitting.map(listedSchema) } },
    ],
  };
}

function listedSchema(paths: Paths & { readonly operand: object }): object {
  return {
    type: 'object',
    properties: { path: pathSchema(paths), value: paths.operand },
    required: ['path', 'value'],
    additionalProperties: false,
  };
}

/** `{ <field>: order }`, or with both written out. */
function sortSchema(fields: readonly SearchField[]): object {
  const names = { enum: fieldsOf(fields, ({ type }) => type !== 'object' && type !== 'array') };
  const order = { enum: SORT_ORDERS };
  return {
    type: 'array',
    items: {
      type: 'object',
      anyOf: [
        {
          propertyNames: names,
          additionalProperties: order,
          minProperties: 1,
          maxProperties: 1,
        },
        {
          properties: { field: names, order },
          required: ['field', 'order'],
          additionalProperties: false,
        },
      ],
    },
  };
}

/**
 * A dotted path, or its segments, which may have dots in them.
 *
 * @param options.shortestBelow Segments that a path to or into an object field has at least.
 */
function fieldPathSchema(fields: readonly SearchField[], { shortestBelow = 1 } = {}): object {
  const paths = [
    { names: fieldsOf(fields, (field) => !isObject(field)), shortest: 1, longest: 1 },
    { names: fieldsOf(fields, isObject), shortest: shortestBelow, longest: MAX_SEGMENTS },
  ].filter(({ names }) => names.length > 0);
  return {
    anyOf: paths.map(({ names, ...lengths }) => pathSchema(pathsBelow(names, lengths))),
  };
}

function fieldsOf(
  fields: readonly SearchField[],
  isMeant: (field: SearchField) => boolean,
): readonly string[] {
  return fields.filter(isMeant).map(({ name }) => name);
}

function isObject({ type }: SearchField): boolean {
  return type === 'object';
}

/** Names of fields have no characters that a regular expression would take for its own. */
function oneOf(names: readonly string[]): string {
  return `(${names.join('|')})`;
}
