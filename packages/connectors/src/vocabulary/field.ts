import { Type, type TSchema } from 'typebox';
import {
  elementSchema,
  membersSchema,
  type Element,
  type ElementOf,
  type Members,
  type ObjectOf,
} from './members.ts';

/**
 * The type of a record field, in the notation of the service reference: without `?` where
 * the value is always there. `obj*` is free-form (`object | any`).
 */
export type FieldType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'obj*'
  | 'array'
  | 'array<integer>'
  | 'items'
  | 'string | integer';

/**
 * A record field with values of type `T`: a JSON Schema that carries its own documentation and reference
 * type. `T` is stated, not computed from the schema, which would cost every program that imports a kind.
 */
export interface Field<T = unknown> extends FieldFacts {
  /** For the compiler alone; no field has it. */
  readonly [VALUE]?: T;
}

declare const VALUE: unique symbol;

/** A field with inline items, whose fields are projected like those of a record. */
export interface ItemsField<R extends RecordFields> extends Field<RecordOfFields<R>[] | null> {
  readonly 'x-items': R;
}

/** The static type of a field's values. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

/** What engines and surfaces read of a field besides its JSON Schema. */
export interface FieldFacts {
  readonly description: string;
  readonly 'x-field': FieldType;
  /** The value is never null. */
  readonly 'x-always': boolean;
  /** Where the upstream sends an object instead, the member of it that is the value. */
  readonly 'x-member'?: string;
  /** What is known of the object, or of each object in the array; handed on verbatim all the same. */
  readonly 'x-members'?: Members;
  /** Fields of each element, for `items` only, in order. */
  readonly 'x-items'?: RecordFields;
}

/** The declared fields of a record or of an inline item, in the order of the service reference. */
export type RecordFields = { readonly [name: string]: Field };

/** The static type of a record with the given fields. `& {}` has editors write it out. */
export type RecordOfFields<R extends RecordFields> = {
  readonly [K in keyof R]: ValueOf<R[K]>;
} & {};

interface Scalar<T> {
  /** `T?`: null where the upstream leaves it out. */
  (doc: string): Field<T | null>;
  /** `T`: always there; a record without it breaks the contract. */
  (doc: string, options: { readonly always: true }): Field<T>;
}

function scalar<T>(type: FieldType, schema: () => TSchema): Scalar<T> {
  function declare(doc: string): Field<T | null>;
  function declare(doc: string, options: { readonly always: true }): Field<T>;
  function declare(doc: string, options?: { readonly always: true }): Field<T | null> {
    return options?.always === true ? always(type, doc, schema()) : nullable(type, doc, schema());
  }
  return declare;
}

/**
 * The field types of the vocabulary. Each returns a TypeBox schema, so JSON Schema, static type
 * and documentation are one value.
 *
 * @see docs/wire.md#describe
 */
export const field = {
  string: scalar<string>('string', () => Type.String()),
  integer: scalar<number>('integer', () => Type.Integer()),
  number: scalar<number>('number', () => Type.Number()),
  boolean: scalar<boolean>('boolean', () => Type.Boolean()),

  /** `string?` that the upstream sends as the member of an object, or as it is. */
  stringIn: (doc: string, member: string): Field<string | null> =>
    Object.assign(nullable<string>('string', doc, Type.String()), { 'x-member': member }),

  /** `object?`: an object handed on verbatim. */
  object: <const M extends Members = NoMembers>(
    doc: string,
    members?: M,
  ): Field<ObjectOf<M> | null> =>
    withMembers(
      nullable('object', doc, Type.Unsafe({ type: 'object', ...schemaOf(members) })),
      members,
    ),

  /** `obj*`: whatever the upstream sends, in practice an object, handed on verbatim. */
  freeForm: <const M extends Members = NoMembers>(
    doc: string,
    members?: M,
  ): Field<ObjectOf<M> | null> =>
    withMembers(nullable('obj*', doc, Type.Unsafe(schemaOf(members))), members),

  /** `array?`: an array handed on verbatim; `elements` is what the vendor says that they are. */
  array: <const E extends Element = 'any'>(
    doc: string,
    elements?: E,
  ): Field<ElementOf<E>[] | null> =>
    withMembers(
      nullable('array', doc, Type.Array(Type.Unsafe(elementSchema(elements ?? 'any')))),
      typeof elements === 'string' ? undefined : elements,
    ),

  /** `array<integer>`: never null, empty where the upstream leaves it out. */
  integers: (doc: string): Field<number[]> =>
    always('array<integer>', doc, Type.Array(Type.Integer())),

  /** `string | integer | null`. */
  stringOrInteger: (doc: string): Field<string | number | null> =>
    nullable('string | integer', doc, Type.Union([Type.String(), Type.Integer()])),

  /** `array?` of objects whose fields the reference lists; each is projected like a record. */
  items: <const R extends RecordFields>(doc: string, fields: R): ItemsField<R> =>
    Object.assign(nullable<RecordOfFields<R>[]>('items', doc, Type.Array(recordSchema(fields))), {
      'x-items': fields,
    }),
} as const;

/** No member is known. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- emptiness is meant
type NoMembers = Record<never, never>;

/** The JSON Schema of a record: every declared field present, in order, and no other. */
export function recordSchema(fields: RecordFields): TSchema {
  return Type.Object({ ...fields }, { additionalProperties: false });
}

function schemaOf(members: Members | undefined): object {
  return members === undefined ? {} : membersSchema(members);
}

function withMembers<T>(plain: Field<T>, members: Members | undefined): Field<T> {
  return members === undefined ? plain : Object.assign(plain, { 'x-members': members });
}

function nullable<T>(type: FieldType, doc: string, schema: TSchema): Field<T | null> {
  const union = Type.Union([schema, Type.Null()]);
  return Object.assign(union, { description: doc, 'x-field': type, 'x-always': false });
}

function always<T>(type: FieldType, doc: string, schema: TSchema): Field<T> {
  return Object.assign(schema, { description: doc, 'x-field': type, 'x-always': true });
}
