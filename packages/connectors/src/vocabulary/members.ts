import { ELEMENTS } from '../written-path.ts';

/** A free-form object of the upstream, handed on verbatim. */
export type FreeForm = { readonly [key: string]: unknown };

/** The JSON types that a value may be known to be of, and what they are here. */
interface JsonTypes {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly object: FreeForm;
  readonly array: unknown[];
  readonly 'string | integer': string | number;
  readonly any: unknown;
}

/** What an element of an array is known to be: a JSON type or any of them, or an object with known members. */
export type Element = keyof JsonTypes | Members;

/** What a member of an object is known to be: the same, or, in brackets, an array of such elements. */
export type Member = Element | readonly [Element];

/**
 * The members that the vendor documents of an object which is handed on verbatim, by name. There may be
 * others, and each of these may be missing.
 */
export interface Members {
  readonly [name: string]: Member;
}

/**
 * An object that is handed on verbatim, with what is known of it. Nothing of it is checked, so each
 * member may be missing or null, and there may be others.
 */
export type ObjectOf<M extends Members> = [keyof M] extends [never]
  ? FreeForm
  : FreeForm & { readonly [K in keyof M]?: ValueOfMember<M[K]> | null };

/** An element of an array that is handed on verbatim. */
export type ElementOf<E extends Element> = E extends keyof JsonTypes
  ? JsonTypes[E]
  : E extends Members
    ? ObjectOf<E>
    : never;

type ValueOfMember<M extends Member> = M extends readonly [infer E extends Element]
  ? ElementOf<E>[]
  : M extends Element
    ? ElementOf<M>
    : never;

/** A member at any depth. */
export interface MemberPath {
  /** From the field on, and with it. */
  readonly segments: readonly string[];
  /** `array` and `object` where there are members below, too. */
  readonly type: string;
}

/** The members of a field at every depth, each before those below it. */
export function memberPathsOf(
  field: string,
  members: Members,
  { isArray }: { readonly isArray: boolean },
): readonly MemberPath[] {
  return pathsBelow(isArray ? [field, ELEMENTS] : [field], members);
}

/** JSON Schema of an object with these members, all of which may be null or missing. */
export function membersSchema(members: Members): object {
  return {
    properties: Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, memberSchema(member)]),
    ),
  };
}

/** JSON Schema of the elements of an array, of which the members of objects may be null or missing. */
export function elementSchema(element: Element): object {
  if (typeof element !== 'string') return membersSchema(element);
  if (element === 'any') return {};
  const types = element.split(' | ');
  return { type: types.length === 1 ? element : types };
}

function pathsBelow(above: readonly string[], members: Members): readonly MemberPath[] {
  return Object.entries(members).flatMap(([name, member]): readonly MemberPath[] => {
    const segments = [...above, name];
    if (typeof member === 'string') return [{ segments, type: member }];
    if (!isListOf(member)) return [{ segments, type: 'object' }, ...pathsBelow(segments, member)];
    const [element] = member;
    const below = typeof element === 'string' ? {} : element;
    return [{ segments, type: 'array' }, ...pathsBelow([...segments, ELEMENTS], below)];
  });
}

function memberSchema(member: Member): object {
  if (member === 'any') return {};
  if (typeof member === 'string') return { type: [...member.split(' | '), 'null'] };
  return isListOf(member)
    ? { type: ['array', 'null'], items: elementSchema(member[0]) }
    : { type: ['object', 'null'], ...membersSchema(member) };
}

function isListOf(member: Members | readonly [Element]): member is readonly [Element] {
  return Array.isArray(member);
}
