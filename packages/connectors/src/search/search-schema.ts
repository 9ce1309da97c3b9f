import { memberPathsIn } from '../member-paths.ts';
import type { Entity, FieldType } from '../vocabulary/index.ts';

/** The types that searchable fields have in the service reference. */
export type SearchType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

export interface SearchField {
  readonly name: string;
  readonly type: SearchType;
  /** Has an index of its own to sort and range by. */
  readonly isSortable: boolean;
  /** Has an index for substrings and word prefixes. */
  readonly isText: boolean;
}

/** What the copy of an entity can be searched by, in the order of the service reference. */
export interface SearchSchema {
  readonly entity: string;
  readonly fields: readonly SearchField[];
  readonly byName: ReadonlyMap<string, SearchField>;
  /** Dotted paths of the members of objects that the definition declares. */
  readonly memberPaths: readonly string[];
}

const schemas = new WeakMap<Entity, SearchSchema>();

/** The search schema of an entity, or `undefined` where it cannot be searched. */
export function searchSchemaOf(entity: Entity): SearchSchema | undefined {
  if (entity.search === undefined) return undefined;
  let schema = schemas.get(entity);
  if (schema === undefined) {
    schema = buildSchema(entity, entity.search);
    schemas.set(entity, schema);
  }
  return schema;
}

function buildSchema(entity: Entity, search: NonNullable<Entity['search']>): SearchSchema {
  const declared = search.fields.map((name) => {
    const field = search.only?.[name] ?? entity.record[name];
    if (field === undefined) throw new Error(`${entity.name}.search.${name} is declared nowhere`);
    return { name, field };
  });
  const fields = declared.map(({ name, field }): SearchField => ({
    name,
    type: searchTypeOf(field['x-field']),
    isSortable: search.sortable?.includes(name) === true,
    isText: search.text?.includes(name) === true,
  }));
  return {
    entity: entity.name,
    fields,
    byName: new Map(fields.map((each) => [each.name, each])),
    memberPaths: memberPathsIn(
      Object.fromEntries(declared.map(({ name, field }) => [name, field])),
    ),
  };
}

function searchTypeOf(type: FieldType): SearchType {
  switch (type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'object':
    case 'array':
      return type;
    case 'obj*':
      return 'object';
    case 'items':
    case 'array<integer>':
      return 'array';
    case 'string | integer':
      // The reference has no such searchable field, and none could be ordered.
      throw new Error('a searchable field has exactly one type');
  }
}
