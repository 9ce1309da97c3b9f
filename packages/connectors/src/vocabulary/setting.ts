import { Type, type TSchema } from 'typebox';

/**
 * A value of type `T` that is set once per connector: a config variable (for example a subdomain) or a
 * member of the replication config.
 */
export interface Setting<T = unknown, Required extends boolean = boolean> {
  readonly schema: TSchema;
  readonly doc: string;
  readonly isRequired: Required;
  /** What a valid value is, as it completes the sentence "must be …". */
  readonly expects: string;
  readonly default?: T;
  /** A value that only marks the place of a real one, and is refused. */
  readonly placeholder?: string;
  /** What each word stands for in the base URL, for choices. */
  readonly stands?: { readonly [word: string]: string };
}

export type Settings = { readonly [name: string]: Setting };

/** The static type of a config with the given settings. */
export type SettingsOf<C extends Settings> = keyof C extends never
  ? { readonly [name: string]: never }
  : {
      readonly [K in keyof C as C[K] extends Setting<unknown, true> ? K : never]: ValueOf<C[K]>;
    } & {
      readonly [K in keyof C as C[K] extends Setting<unknown, true> ? never : K]?: ValueOf<C[K]>;
    };

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The setting types of the vocabulary. */
export const setting = {
  /** Text that must match a pattern as a whole. */
  text: <const R extends boolean = false>(
    doc: string,
    options: {
      readonly pattern: string;
      readonly expects: string;
      readonly required?: R;
      readonly placeholder?: string;
    },
  ): Setting<string, R> => {
    const { placeholder, expects, pattern, required } = options;
    return {
      ...declare<string, R>(doc, expects, Type.String({ description: doc, pattern }), {
        required,
      }),
      ...(placeholder === undefined ? {} : { placeholder }),
    };
  },

  /** One of the words, each of which stands for a part of the base URL. */
  choice: <const W extends { readonly [word: string]: string }>(
    doc: string,
    stands: W,
    options: { readonly default: keyof W & string },
  ): Setting<keyof W & string, false> => {
    const words = Object.keys(stands);
    const schema = Type.Unsafe({ type: 'string', enum: words, description: doc });
    const expects = `one of ${words.join(', ')}`;
    return { ...declare<keyof W & string, false>(doc, expects, schema, options), stands };
  },

  /** An instant as `YYYY-MM-DDTHH:mm:ssZ`, a real date. */
  instant: <const R extends boolean = false>(
    doc: string,
    options: { readonly required?: R } = {},
  ) =>
    declare<string, R>(
      doc,
      'a real UTC date and time written YYYY-MM-DDTHH:mm:ssZ',
      Type.String({ description: doc, format: 'date-time', pattern: INSTANT }),
      options,
    ),

  integer: <const R extends boolean = false>(
    doc: string,
    options: {
      readonly minimum: number;
      readonly maximum: number;
      readonly required?: R;
      readonly default?: number;
    },
  ) => {
    const { minimum, maximum } = options;
    const schema = Type.Integer({ description: doc, minimum, maximum });
    return declare<number, R>(doc, `an integer from ${minimum} to ${maximum}`, schema, options);
  },

  boolean: <const R extends boolean = false>(
    doc: string,
    options: { readonly required?: R; readonly default?: boolean } = {},
  ) => declare<boolean, R>(doc, 'true or false', Type.Boolean({ description: doc }), options),
} as const;

const INSTANT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$';

// oxlint-disable-next-line max-params -- The words above are a table: a line each.
function declare<T, R extends boolean>(
  doc: string,
  expects: string,
  schema: TSchema,
  options: { readonly required?: R | undefined; readonly default?: T | undefined },
): Setting<T, R> {
  return {
    schema,
    doc,
    expects,
    // Absent means false, and R is then inferred as its default, false.
    isRequired: (options.required ?? false) as R,
    ...(options.default === undefined ? {} : { default: options.default }),
  };
}
