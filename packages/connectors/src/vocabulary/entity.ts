import { SEARCH, type Actions, type WriteAction, type WrittenTo } from './action.ts';
import type { RecordFields } from './field.ts';
import type { Policies } from './policies.ts';
import type { Replicate } from './replicate.ts';

/**
 * What the synchronised copy of an entity can be searched by, in the order of the service
 * reference.
 */
export interface SearchFields {
  readonly fields: readonly string[];
  /** Searchable fields that are in no record, or whose type differs there. */
  readonly only?: RecordFields;
  /** Scalars that get an index of their own to sort by. */
  readonly sortable?: readonly string[];
  /** Text fields that get an index for substrings. */
  readonly text?: readonly string[];
  /** Fields, all of them in `only`, that records have from the params that listed them. */
  readonly fromParams?: { readonly [field: string]: string };
}

/** One entity of a connector kind. */
export interface Entity<
  R extends RecordFields = RecordFields,
  A extends Actions = Actions,
  S extends SearchFields | undefined = SearchFields | undefined,
> {
  readonly name: string;
  readonly doc: string;
  readonly reference: string;
  /**
   * The record fields that identify a record, joined by `:` in hit ids; `params.<name>` where a
   * part is only in the params that listed it. At least one field is always there. Empty where
   * records have no identity.
   */
  readonly key: readonly string[];
  readonly record: R;
  /** Fields that the vendor is known to send besides, and no record has: they are no drift. */
  readonly leftOut?: readonly string[];
  readonly actions: A;
  readonly search: S;
  /** How the copy is kept; of a searchable entity, by reading its list in full, unless it says else. */
  readonly replicate?: Replicate;
  readonly policies?: Policies;
}

const IN_FULL: Replicate = { fullEveryHours: 24 };

/** Declares an entity. Its key is `id` by default; `key: 'ts'` is short for `key: ['ts']`. */
export function entity<
  const R extends RecordFields,
  const A extends Actions,
  const S extends SearchFields | undefined = undefined,
>(
  definition: Omit<Entity<R, A, S>, 'key' | 'search'> & {
    readonly key?: string | readonly string[];
    readonly search?: S;
  },
): Entity<R, A, S> {
  const { key = 'id', search, replicate = search === undefined ? undefined : IN_FULL } = definition;
  return {
    ...definition,
    ...(replicate === undefined ? {} : { replicate }),
    key: typeof key === 'string' ? [key] : key,
    // Absent means undefined, and S is then inferred as its default, undefined.
    search: search as S,
  };
}

/** The names of what can be done with an entity, `search` included where a service can search it. */
export function actionNamesOf({ actions, search }: Entity): readonly string[] {
  return [...Object.keys(actions), ...(search === undefined ? [] : [SEARCH])];
}

const knownFields = new WeakMap<Entity, ReadonlySet<string>>();

/** The fields of an upstream's record that are no news: copied or given out, or known to be left out. */
export function knownFieldsOf(one: Entity): ReadonlySet<string> {
  let known = knownFields.get(one);
  if (known === undefined) {
    const { record, search, leftOut = [], replicate } = one;
    const deleted = replicate?.deleted === undefined ? [] : [replicate.deleted.field];
    known = new Set([...Object.keys(record), ...(search?.fields ?? []), ...leftOut, ...deleted]);
    knownFields.set(one, known);
  }
  return known;
}

/** The field that alone identifies a record of the entity; `undefined` where it takes several. */
export function keyFieldOf({ key }: Entity): string | undefined {
  return key.length === 1 ? key[0] : undefined;
}

/** The copies that take over what a write to the entity answers. */
export function copiesOf({ name, search }: Entity, { copies }: WriteAction): readonly WrittenTo[] {
  return copies ?? (search === undefined ? [] : [{ entity: name }]);
}

/** The params of its list without which a record of the entity cannot go into its copy. */
export function listParamsOf({ key, search }: Entity): readonly string[] {
  const inKey = key
    .filter((part) => part.startsWith(PARAM_PART))
    .map((part) => part.slice(PARAM_PART.length));
  return [...new Set([...inKey, ...Object.values(search?.fromParams ?? {})])];
}

/** What a part of a key begins with that is in no record. */
export const PARAM_PART = 'params.';
