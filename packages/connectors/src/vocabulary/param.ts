import { Type, type TInteger, type TSchema } from 'typebox';

/** A parameter of an action, with values of type `T`. */
export interface Param<T = unknown, Required extends boolean = boolean> {
  readonly schema: TSchema;
  readonly doc: string;
  readonly isRequired: Required;
  /** What a valid value is, as it completes the sentence "must be …". */
  readonly expects: string;
  /** The name the upstream knows it by, where that differs; in a body, dots lead into objects. */
  readonly upstreamName?: string;
  /** Another name the upstream knows it by in calls that give one of certain other params too. */
  readonly upstreamNameWith?: NameWith;
  /** Another name the upstream knows it by where its value is digits. */
  readonly upstreamNameOfDigits?: string;
  /** Where it goes, where that is not told by the request (path placeholder, query or body). */
  readonly goesTo?: 'query' | 'body' | 'nowhere';
  /** What is sent where the caller says nothing. */
  readonly default?: T;
  /** An empty string is not sent; it only marks that the param is given. */
  readonly isEmptyOmitted?: true;
  /** Another param that stands for this one too: in calls that give it, this one is not sent. */
  readonly omittedWith?: string;
  /**
   * `page_size`: says how many records a page has. `limit`: what `list` adds where a list does not
   * call its page size so, or has none.
   */
  readonly role?: 'page_size' | 'limit';
  /** A time since 1970 in this unit; what is plainly in another one is refused. */
  readonly unit?: TimeUnit;
}

/** Units of times since 1970, and how many of them make a second. */
export const UNITS_PER_SECOND = { seconds: 1, milliseconds: 1e3, microseconds: 1e6 } as const;

export type TimeUnit = keyof typeof UNITS_PER_SECOND;

export interface NameWith {
  readonly params: readonly string[];
  /** A param with which it has its usual name all the same. */
  readonly unless?: string;
  readonly name: string;
}

/** The parameters of an action, in the order of the service reference. */
export type Params = { readonly [name: string]: Param };

/**
 * The static type of the params of an action; a null optional param is an absent one. `& {}` has editors
 * write it out.
 */
export type ParamsOf<P extends Params> = Flat<
  {
    readonly [K in keyof P as P[K] extends Param<unknown, true> ? K : never]: ValueOf<P[K]>;
  } & {
    readonly [K in keyof P as P[K] extends Param<unknown, true> ? never : K]?:
      ValueOf<P[K]> | null | undefined;
  }
>;

type ValueOf<P> = P extends Param<infer T> ? T : never;

type Flat<T> = { readonly [K in keyof T]: T[K] } & {};

interface ParamOptions<R extends boolean, T = unknown> {
  readonly required?: R;
  readonly upstreamName?: string;
  readonly upstreamNameWith?: NameWith;
  readonly upstreamNameOfDigits?: string;
  readonly goesTo?: 'query' | 'body' | 'nowhere';
  readonly default?: T;
  readonly omittedWith?: string;
}

interface Pattern {
  readonly source: string;
  readonly says: string;
}

interface StringOptions<R extends boolean> extends ParamOptions<R, string> {
  readonly isEmptyOmitted?: true;
  /** Longest value, in code points. */
  readonly maxLength?: number;
  readonly minLength?: number;
  /** What the whole value must match, with the words that say so ("lower-case without spaces"). */
  readonly pattern?: Pattern;
  /** Words that lead elsewhere where the value stands in a path, as `scroll` does in `/companies/scroll`. */
  readonly otherThan?: readonly string[];
}

interface IntegerOptions<R extends boolean> extends ParamOptions<R, number> {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The parameter types of the vocabulary. */
export const param = {
  /** Any string within the stated length and pattern; may be empty unless `minLength` says else. */
  string: <const R extends boolean = false>(doc: string, options: StringOptions<R> = {}) => {
    const { maxLength, minLength, pattern = noneOf(options.otherThan ?? []) } = options;
    const schema = Type.String({
      description: doc,
      ...(maxLength === undefined ? {} : { maxLength }),
      ...(minLength === undefined ? {} : { minLength }),
      ...(pattern === undefined ? {} : { pattern: pattern.source }),
    });
    const most = minLength === undefined ? 'at most' : `${minLength} to`;
    const limit = maxLength === undefined ? '' : ` of ${most} ${maxLength} characters`;
    const style = pattern === undefined ? '' : `, ${pattern.says}`;
    return declare<string, R>(doc, `a string${limit}${style}`, schema, options);
  },

  integer,

  /** How many records a page has; at most one param of a list says so. */
  pageSize: (
    doc: string,
    options: Omit<IntegerOptions<false>, 'required' | 'minimum'> & { readonly maximum: number },
  ): Param<number, false> => ({
    ...integer(doc, { ...options, minimum: 1 }),
    role: 'page_size' as const,
  }),

  /** A time, counted from 1970 on. `doc` goes without the unit. */
  time: (
    doc: string,
    unit: TimeUnit,
    options: ParamOptions<false, number> = {},
  ): Param<number, false> => ({
    ...integer(`${doc}, in ${unit} since 1970.`, { ...options, minimum: 0 }),
    unit,
  }),

  /** An id that some accounts have as a number and others as a text. */
  stringOrInteger: <const R extends boolean = false>(
    doc: string,
    options: ParamOptions<R> = {},
  ) => {
    const schema = Type.Union([Type.String(), Type.Integer()], { description: doc });
    return declare<string | number, R>(doc, 'a string or an integer', schema, options);
  },

  boolean: <const R extends boolean = false>(doc: string, options: ParamOptions<R> = {}) =>
    declare<boolean, R>(doc, 'true or false', Type.Boolean({ description: doc }), options),

  /** Exactly one of the listed words. */
  choice: <const W extends readonly [string, ...string[]], const R extends boolean = false>(
    doc: string,
    words: W,
    options: ParamOptions<R> = {},
  ) => {
    const schema = Type.Unsafe({ type: 'string', enum: [...words], description: doc });
    return declare<W[number], R>(doc, `one of ${words.join(', ')}`, schema, options);
  },

  /** A word of a list that the vendor adds to: the known ones are hints, and any other goes out. */
  word: <const R extends boolean = false>(
    doc: string,
    known: readonly [string, ...string[]],
    options: ParamOptions<R> = {},
  ) => {
    const schema = Type.String({ description: doc, examples: [...known] });
    return declare<string, R>(doc, `a string, such as ${known.join(', ')}`, schema, options);
  },

  /** One or more of the listed words, joined by commas without spaces, as the upstream takes it. */
  commaList: <const R extends boolean = false>(
    doc: string,
    words: readonly [string, ...string[]],
    options: ParamOptions<R> = {},
  ) => {
    const word = `(?:${words.join('|')})`;
    const schema = Type.String({ description: doc, pattern: `^${word}(?:,${word})*$` });
    return declare<string, R>(
      doc,
      `a comma-separated list of ${words.join(', ')}`,
      schema,
      options,
    );
  },
} as const;

/** A whole number within the stated bounds, never beyond ±(2^53 − 1). */
function integer<const R extends boolean = false>(doc: string, options: IntegerOptions<R> = {}) {
  const minimum = options.minimum ?? Number.MIN_SAFE_INTEGER;
  const maximum = options.maximum ?? Number.MAX_SAFE_INTEGER;
  const schema = Type.Integer({ description: doc, minimum, maximum });
  return declare<number, R>(doc, integerWords(options), schema, options);
}

/** The params of a list with `limit` among them, whether of its own or added. */
export type Limited<P extends Params> = P & {
  /** How many records a page has at most, by whatever name the upstream knows it. */
  readonly limit: Param<number, false>;
};

/** The page size among the params of a list. */
export interface PageSize {
  readonly name: string;
  readonly maximum: number;
  /** What the upstream is asked for where the caller says nothing. */
  readonly standard: number | undefined;
}

/** The page size of a list with these params; `undefined` where it comes whole. */
export function pageSizeOf(params: Params): PageSize | undefined {
  const [name, found] = Object.entries(params).find(([, { role }]) => role === 'page_size') ?? [];
  if (name === undefined || found === undefined) return undefined;
  // Only `param.pageSize` gives that role: the schema is of an integer with a maximum.
  const { maximum } = found.schema as TInteger & { readonly maximum: number };
  return { name, maximum, standard: found.default as number | undefined };
}

/** The params of a list whose pages have at most so many records, which are fewer than they have there. */
export function withLargestPage(params: Params, maximum: number): Params {
  return Object.fromEntries(
    Object.entries(params).map(([name, each]) => {
      if (each.role === undefined) return [name, each];
      const expects = integerWords({ minimum: 1, maximum });
      // Only integers have a role.
      return [name, { ...each, schema: { ...(each.schema as TInteger), maximum }, expects }];
    }),
  );
}

/** The param `limit` of a list that has none of its own. */
export function limitOf(params: Params): Param<number, false> {
  const size = pageSizeOf(params);
  const added = { goesTo: 'nowhere', role: 'limit' } as const;
  const doc =
    size === undefined
      ? 'Taken as by every list, but this one comes whole.'
      : `Another name of ${size.name}, as in every list.`;
  const bounds = { minimum: 1, ...(size === undefined ? {} : { maximum: size.maximum }) };
  return { ...integer(doc, bounds), ...added };
}

// oxlint-disable-next-line max-params -- The words above are a table: a line each.
function declare<T, R extends boolean>(
  doc: string,
  expects: string,
  schema: TSchema,
  options: ParamOptions<R> & { readonly isEmptyOmitted?: true },
): Param<T, R> {
  const { upstreamName, upstreamNameWith, goesTo, isEmptyOmitted, omittedWith } = options;
  const { upstreamNameOfDigits } = options;
  return {
    schema,
    doc,
    expects,
    // Absent means false, and R is then inferred as its default, false.
    isRequired: (options.required ?? false) as R,
    ...(upstreamName === undefined ? {} : { upstreamName }),
    ...(upstreamNameWith === undefined ? {} : { upstreamNameWith }),
    ...(upstreamNameOfDigits === undefined ? {} : { upstreamNameOfDigits }),
    ...(goesTo === undefined ? {} : { goesTo }),
    // Each word of the vocabulary takes a default of its own type.
    ...(options.default === undefined ? {} : { default: options.default as T }),
    ...(isEmptyOmitted === undefined ? {} : { isEmptyOmitted }),
    ...(omittedWith === undefined ? {} : { omittedWith }),
  };
}

/** What begins with none of these words, whatever a path adds to them (`scroll.json`). */
function noneOf(words: readonly string[]): Pattern | undefined {
  if (words.length === 0) return undefined;
  return { source: `^(?!(?:${words.join('|')})(?:\\W|$))`, says: `other than ${words.join(', ')}` };
}

function integerWords({ minimum, maximum }: IntegerOptions<boolean>): string {
  if (minimum !== undefined && maximum !== undefined)
    return `an integer from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `an integer of at least ${minimum}`;
  if (maximum !== undefined) return `an integer of at most ${maximum}`;
  return 'an integer';
}
