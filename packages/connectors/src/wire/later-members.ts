import { ADDED_LATER } from './shape.ts';

/** The words of a schema that lead to others. */
interface Words {
  readonly anyOf?: readonly object[];
  readonly items?: object;
  readonly properties?: Readonly<Record<string, object>>;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * An answer of a service that may be older than the schema: members that came later, and are absent, are null in what
 * comes back. All else is as it was sent, whether or not it is right.
 */
export function withLaterMembers(schema: object, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !mayLackMembers(schema)) return value;
  const { anyOf = [], items, properties = {} }: Words = schema;
  // What may be null is something else first.
  const [something] = anyOf;
  if (something !== undefined) return withLaterMembers(something, value);
  if (Array.isArray(value))
    return items === undefined ? value : value.map((each) => withLaterMembers(items, each));
  // An object of JSON that is no array.
  const given = value as Members;
  const changed: Record<string, unknown> = { ...given };
  for (const [name, member] of Object.entries(properties)) {
    if (Object.hasOwn(given, name)) changed[name] = withLaterMembers(member, given[name]);
    else if (ADDED_LATER in member) changed[name] = null;
  }
  return changed;
}

const known = new WeakMap<object, boolean>();

/** Whether there is anything to fill in anywhere below a schema: most answers are left as they are. */
function mayLackMembers(schema: object): boolean {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const { anyOf = [], items, properties = {} }: Words = schema;
  const below = [...anyOf, ...(items === undefined ? [] : [items]), ...Object.values(properties)];
  const mayLack = below.some((each) => ADDED_LATER in each || mayLackMembers(each));
  known.set(schema, mayLack);
  return mayLack;
}
