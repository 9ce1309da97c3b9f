import { ELEMENTS } from '../written-path.ts';

/**
 * What a member of an object is known to be: a JSON type or any of them, an object with known members,
 * or, in brackets, an array of such objects.
 */
export type Member =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | 'string | integer'
  | 'any'
  | Members
  | readonly [Members];

/**
 * The members that the vendor documents of an object which is handed on verbatim, by name. There may be
 * others, and each of these may be missing.
 */
export interface Members {
  readonly [name: string]: Member;
}

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

function pathsBelow(above: readonly string[], members: Members): readonly MemberPath[] {
  return Object.entries(members).flatMap(([name, member]): readonly MemberPath[] => {
    const segments = [...above, name];
    if (typeof member === 'string') return [{ segments, type: member }];
    return isListOf(member)
      ? [{ segments, type: 'array' }, ...pathsBelow([...segments, ELEMENTS], member[0])]
      : [{ segments, type: 'object' }, ...pathsBelow(segments, member)];
  });
}

function memberSchema(member: Member): object {
  if (member === 'any') return {};
  if (typeof member === 'string') return { type: [...member.split(' | '), 'null'] };
  return isListOf(member)
    ? { type: ['array', 'null'], items: membersSchema(member[0]) }
    : { type: ['object', 'null'], ...membersSchema(member) };
}

function isListOf(member: Members | readonly [Members]): member is readonly [Members] {
  return Array.isArray(member);
}
