import { Type, type Static, type TSchema } from 'typebox';
import { faultIn } from './shape-fault.ts';

/** What every schema of this folder is. */
export type Schema = TSchema;

/** A value of a schema of this folder; what came over the wire is not to be changed. */
export type Wire<S extends TSchema> = DeepReadonly<Static<S>>;

/** Of objects and arrays; a text that may be any, `string & {}`, would pass for an object. */
type DeepReadonly<T> = T extends string
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/**
 * Whether a value has a shape of the wire contract. What later services add is no fault: members
 * that the schema does not name, and names in lists that may grow.
 */
export function hasShape<S extends TSchema>(schema: S, value: unknown): value is Wire<S> {
  return faultIn(schema, value) === undefined;
}

/** Where a value first departs from a shape, and how; nothing of the value itself. */
export function shapeFault(schema: TSchema, value: unknown): string {
  return faultIn(schema, value)?.trim() ?? '';
}

/** One of a list of names that later versions may add to: readers take others as text. */
export function oneOfOpen<const N extends string>(names: readonly N[], description?: string) {
  // `string & {}` keeps the known names in what editors propose.
  return Type.Unsafe<N | (string & {})>({
    type: 'string',
    'x-extensible-enum': names,
    ...described(description),
  });
}

/** A JSON object of whatever members. */
export function anyObject(description?: string) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    ...described(description),
  });
}

/**
 * An object of whatever members, whose values are all of the schema. `Type.Record` makes the same schema, and brings
 * what computes types along: a tenth of what the console's first page loads.
 */
export function recordOf<S extends TSchema>(schema: S, description?: string) {
  return Type.Unsafe<Readonly<Record<string, Static<S>>>>({
    type: 'object',
    patternProperties: { '^.*$': schema },
    ...described(description),
  });
}

/** A value of the schema, or null. */
export function orNull<S extends TSchema>(schema: S, description?: string) {
  return Type.Union([schema, Type.Null()], described(description));
}

/** What marks members that earlier services do not send. */
export const ADDED_LATER = 'x-added-later';

/** A member that earlier services do not send; clients read its absence as null (`withLaterMembers`). */
export function addedLater<S extends TSchema>(schema: S, description?: string) {
  return Type.Union([schema, Type.Null()], { [ADDED_LATER]: true, ...described(description) });
}

/** An instant in UTC, as in `2026-01-01T00:00:00.000Z`. */
export function instant(description?: string) {
  return Type.String({ format: 'date-time', ...described(description) });
}

/** An instant in UTC, or null. */
export function instantOrNull(description?: string) {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    ...described(description),
  });
}

/** An id that the service made. */
export function uuid(description?: string) {
  return Type.String({ format: 'uuid', ...described(description) });
}

/** A whole number from 0 on. */
export function count(description?: string) {
  return Type.Integer({ minimum: 0, ...described(description) });
}

/** A whole number from 0 on, or null. */
export function countOrNull(description?: string) {
  return Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    ...described(description),
  });
}

/** A text, whatever it says. */
export function text(description?: string) {
  return Type.String(described(description));
}

/** A text, or null. */
export function textOrNull(description?: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...described(description) });
}

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}
