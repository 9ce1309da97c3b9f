import { Type, type Static, type TNull, type TSchema, type TUnion } from 'typebox';
import { membersSchema, type Members } from './members.ts';

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

/** A free-form object of the upstream, handed on verbatim. */
export type FreeForm = { readonly [key: string]: unknown };

/** A record field: a TypeBox schema that carries its own documentation and reference type. */
export type Field<S extends TSchema = TSchema> = S & FieldFacts;

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

/** The static type of a record with the given fields. */
export type RecordOfFields<R extends RecordFields> = {
  readonly [K in keyof R]: Static<R[K]>;
};

type Nullable<S extends TSchema> = Field<TUnion<[S, TNull]>>;

interface Scalar<S extends TSchema> {
  /** `T?`: null where the upstream leaves it out. */
  (doc: string): Nullable<S>;
  /** `T`: always there; a record without it breaks the contract. */
  (doc: string, options: { readonly always: true }): Field<S>;
}

function scalar<S extends TSchema>(type: FieldType, schema: () => S): Scalar<S> {
  function declare(doc: string): Nullable<S>;
  function declare(doc: string, options: { readonly always: true }): Field<S>;
  function declare(doc: string, options?: { readonly always: true }): Nullable<S> | Field<S> {
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
  string: scalar('string', () => Type.String()),
  integer: scalar('integer', () => Type.Integer()),
  number: scalar('number', () => Type.Number()),
  boolean: scalar('boolean', () => Type.Boolean()),

  /** `string?` that the upstream sends as the member of an object, or as it is. */
  stringIn: (doc: string, member: string) =>
    Object.assign(nullable('string', doc, Type.String()), { 'x-member': member }),

  /** `object?`: an object handed on verbatim. */
  object: (doc: string, members?: Members) =>
    withMembers(
      nullable('object', doc, Type.Unsafe<FreeForm>({ type: 'object', ...schemaOf(members) })),
      members,
    ),

  /** `obj*`: whatever the upstream sends, in practice an object, handed on verbatim. */
  freeForm: (doc: string, members?: Members) =>
    withMembers(nullable('obj*', doc, Type.Unsafe<FreeForm>(schemaOf(members))), members),

  /** `array?`: an array handed on verbatim; `members` are those of its elements. */
  array: (doc: string, members?: Members) =>
    withMembers(
      nullable('array', doc, Type.Array(Type.Unsafe<unknown>(schemaOf(members)))),
      members,
    ),

  /** `array<integer>`: never null, empty where the upstream leaves it out. */
  integers: (doc: string) => always('array<integer>', doc, Type.Array(Type.Integer())),

  /** `string | integer | null`. */
  stringOrInteger: (doc: string) =>
    nullable('string | integer', doc, Type.Union([Type.String(), Type.Integer()])),

  /** `array?` of objects whose fields the reference lists; each is projected like a record. */
  items: <const R extends RecordFields>(doc: string, fields: R) =>
    Object.assign(
      nullable('items', doc, Type.Array(Type.Unsafe<RecordOfFields<R>>(recordSchema(fields)))),
      { 'x-items': fields },
    ),
} as const;

/** The JSON Schema of a record: every declared field present, in order, and no other. */
export function recordSchema(fields: RecordFields): TSchema {
  return Type.Object({ ...fields }, { additionalProperties: false });
}

function schemaOf(members: Members | undefined): object {
  return members === undefined ? {} : membersSchema(members);
}

function withMembers<F extends Field>(plain: F, members: Members | undefined): F {
  return members === undefined ? plain : Object.assign(plain, { 'x-members': members });
}

function nullable<S extends TSchema>(type: FieldType, doc: string, schema: S): Nullable<S> {
  const union = Type.Union([schema, Type.Null()]);
  return Object.assign(union, { description: doc, 'x-field': type, 'x-always': false });
}

function always<S extends TSchema>(type: FieldType, doc: string, schema: S): Field<S> {
  return Object.assign(schema, { description: doc, 'x-field': type, 'x-always': true });
}
