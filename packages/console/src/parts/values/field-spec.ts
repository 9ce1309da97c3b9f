/** What a form needs to know of one member of a request, as `describe` says it. */
export interface FieldSpec {
  /** From the root of the request, as faults name it: `params.limit`. */
  readonly path: string;
  readonly name: string;
  readonly doc: string;
  readonly required: boolean;
  /** Completes "must be …". */
  readonly expects: string;
  readonly schema: ValueSchema;
  /** Shown as it is not: credentials. */
  readonly isSecret?: boolean;
}

/** What forms understand of JSON Schema; everything else the service checks. */
export interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A param or a setting as `describe` has it. */
interface Described {
  readonly name: string;
  readonly doc: string;
  readonly required: boolean;
  readonly expects: string;
  readonly schema: object;
}

/** The fields for what `describe` lists, below a member of the request. */
export function specsBelow(prefix: string, described: readonly Described[]): readonly FieldSpec[] {
  return described.map(({ name, doc, required, expects, schema }) => ({
    path: `${prefix}.${name}`,
    name,
    doc,
    required,
    expects,
    // A JSON Schema, of which these members are read.
    schema: schema as ValueSchema,
  }));
}

/** What is entered, as text, by the path of its field. */
export type Entered = Readonly<Record<string, string>>;
