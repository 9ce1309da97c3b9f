import { MAX_SEGMENTS } from '../input-bounds.ts';
import { CONDITIONS, fits, WORDS_ALLOWED, type ConditionOperator } from './check-filter.ts';
import { operandSchema } from './check-operand.ts';
import { SEARCH_PARAMS, SORT_ORDERS } from './check-search.ts';
import type { SearchField, SearchSchema, SearchType } from './search-schema.ts';

/**
 * JSON Schema (2020-12) of the params of a search: those that `checkSearch` takes, but for what JSON
 * Schema has no words for. That is how deep a filter is nested, how many conditions it has in all,
 * how many words it has, and a field that is sorted by twice.
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
      fields: orNull({ ...SEARCH_PARAMS.fields.schema, items: pathSchema(fields) }),
    },
    required: ['query'],
    additionalProperties: false,
    $defs: {
      filter: filterSchema('#/$defs/filter', namesOf(fields)),
      element_filter: filterSchema('#/$defs/element_filter', [ANY_NAME]),
    },
  };
}

/** A null member is an absent one. */
function orNull(schema: object): object {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Names that mean fields of one type, as a regular expression. */
interface Names {
  readonly pattern: string;
  readonly type: SearchType | undefined;
}

const segments = (atLeast: number, atMost: number) => `(\\.[^.]*){${atLeast},${atMost}}`;

/** Inside `any` and below objects, no name is unknown. */
const ANY_NAME: Names = { pattern: `^[^.]*${segments(0, MAX_SEGMENTS - 1)}$`, type: undefined };

/** The names that a filter may have: fields by their type, and paths below objects. */
function namesOf(fields: readonly SearchField[]): readonly Names[] {
  const types = [...new Set(fields.map(({ type }) => type))];
  const objects = fieldsOf(fields, isObject);
  return [
    ...types.map((type) => ({
      pattern: `^${oneOf(fieldsOf(fields, (each) => each.type === type))}$`,
      type,
    })),
    ...(objects.length === 0
      ? []
      : [{ pattern: `^${oneOf(objects)}${segments(1, MAX_SEGMENTS - 1)}$`, type: undefined }]),
  ];
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

function filterSchema(own: string, names: readonly Names[]): object {
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
              ? conditionsSchema(operator, names)
              : { $ref: `${own}/properties/${same}`, ...DESCRIBED[operator] },
          ];
        }),
      ),
    },
    additionalProperties: false,
  };
}

/** The fields that an operator may be about, with its operands. */
function conditionsSchema(operator: ConditionOperator, names: readonly Names[]): object {
  const fitting = names.filter(({ type }) => fits(operator, type));
  return {
    type: 'object',
    patternProperties: Object.fromEntries(
      fitting.map(({ pattern, type }) => [
        pattern,
        operator === 'any'
          ? { $ref: '#/$defs/element_filter' }
          : operandSchema(operator === 'neq' ? 'eq' : operator, type),
      ]),
    ),
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

/** A dotted path to include in hits, or its segments, which may have dots in them. */
function pathSchema(fields: readonly SearchField[]): object {
  const paths = [
    { names: fieldsOf(fields, (field) => !isObject(field)), longest: 1 },
    { names: fieldsOf(fields, isObject), longest: MAX_SEGMENTS },
  ].filter(({ names }) => names.length > 0);
  return {
    anyOf: paths.flatMap(({ names, longest }) => [
      { type: 'string', pattern: `^${oneOf(names)}${segments(0, longest - 1)}$` },
      {
        type: 'array',
        prefixItems: [{ enum: names }],
        items: { type: 'string' },
        minItems: 1,
        maxItems: longest,
      },
    ]),
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
