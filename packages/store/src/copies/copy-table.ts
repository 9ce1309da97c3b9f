import { createHash } from 'node:crypto';
import type { ConnectorKind, Entity } from '@patchbay/connectors';
import {
  allKinds,
  searchSchemaOf,
  type SearchField,
  type SearchSchema,
  type SearchType,
} from '@patchbay/connectors/engine';
import type { CopyId } from '../contract/copies.ts';
import { HASH_VERSION } from './hashes.ts';

/** A searchable field and the column that holds it. */
export interface CopyColumn {
  readonly field: SearchField;
  readonly name: string;
  readonly sqlType: 'text' | 'int8' | 'float8' | 'boolean' | 'jsonb';
}

/** The table that holds the copies of one entity, those of all connectors of the kind. */
export interface CopyTable {
  readonly kind: string;
  readonly entity: string;
  readonly name: string;
  readonly schema: SearchSchema;
  /** In the order of the schema. */
  readonly columns: readonly CopyColumn[];
  readonly byField: ReadonlyMap<string, CopyColumn>;
  /** Changes with whatever the rows of this table are made by. */
  readonly definitionHash: string;
}

/** Every copy table of some kinds. */
export class CopyTables {
  readonly all: readonly CopyTable[];
  readonly #byId: ReadonlyMap<string, CopyTable>;

  constructor(kinds: readonly ConnectorKind[]) {
    this.all = kinds.flatMap((kind) =>
      Object.values(kind.entities).flatMap((entity) => copyTableOf(kind.kind, entity) ?? []),
    );
    this.#byId = new Map(this.all.map((table) => [idOf(table), table]));
  }

  /** @throws where the kind has no such searchable entity: nobody may ask. */
  of(copy: Pick<CopyId, 'kind' | 'entity'>): CopyTable {
    const table = this.#byId.get(idOf(copy));
    if (table === undefined) throw new Error(`there is no copy of ${copy.kind} ${copy.entity}`);
    return table;
  }
}

let standard: CopyTables | undefined;

/** The tables of the kinds that the program knows. */
export function standardTables(): CopyTables {
  standard ??= new CopyTables(allKinds());
  return standard;
}

/**
 * Hash of what the copy of an entity is made by: its searchable fields, their types and marks, and
 * the way terms are hashed. A copy that was made by another one has to be read anew.
 *
 * @throws where the entity cannot be searched.
 */
export function copyDefinitionHash(kind: string, entity: Entity): string {
  const table = copyTableOf(kind, entity);
  if (table === undefined) throw new Error(`${entity.name} has no searchable fields`);
  return table.definitionHash;
}

const tables = new WeakMap<Entity, CopyTable>();

function copyTableOf(kind: string, entity: Entity): CopyTable | undefined {
  const known = tables.get(entity);
  if (known?.kind === kind) return known;
  const schema = searchSchemaOf(entity);
  if (schema === undefined) return undefined;
  const table = describeTable(kind, schema);
  tables.set(entity, table);
  return table;
}

function describeTable(kind: string, schema: SearchSchema): CopyTable {
  const columns = schema.fields.map(columnOf);
  return {
    kind,
    entity: schema.entity,
    name: identifier(`${copyTablePrefix(kind)}${schema.entity}`),
    schema,
    columns,
    byField: new Map(columns.map((column) => [column.field.name, column])),
    definitionHash: hashOf([HASH_VERSION, kind, schema.entity, schema.fields]),
  };
}

/** What the names of a kind's tables begin with. */
export function copyTablePrefix(kind: string): string {
  return `copy_${kind.replaceAll('-', '_')}_`;
}

const SQL_TYPES = {
  string: 'text',
  integer: 'int8',
  number: 'float8',
  boolean: 'boolean',
  object: 'jsonb',
  array: 'jsonb',
} as const satisfies Record<SearchType, CopyColumn['sqlType']>;

/**
 * The type is part of the name: a field whose type changes gets another column, and processes that
 * know the older definition keep theirs. It also keeps fields apart from the columns of our own.
 */
function columnOf(field: SearchField): CopyColumn {
  const sqlType = SQL_TYPES[field.type];
  return { field, sqlType, name: identifier(`${sqlType}_${field.name}`) };
}

/** PostgreSQL would cut a longer name, and two could become one. */
const MAX_NAME_BYTES = 63;

/** @throws where the name is none that PostgreSQL keeps as it is. */
export function identifier(name: string): string {
  if (!/^[a-z][a-z0-9_]*$/i.test(name)) throw new Error(`${name} cannot name a table or column`);
  if (name.length <= MAX_NAME_BYTES) return name;
  const end = `_${createHash('sha256').update(name).digest('hex').slice(0, 10)}`;
  return `${name.slice(0, MAX_NAME_BYTES - end.length)}${end}`;
}

/** The name of the index of terms. */
export function termsIndexOf({ name }: CopyTable): string {
  return identifier(`${name}_terms`);
}

/** The name of the index of grams; `undefined` where no field is marked as text. */
export function gramsIndexOf({ name, columns }: CopyTable): string | undefined {
  return columns.some(({ field }) => field.isText) ? identifier(`${name}_grams`) : undefined;
}

function idOf({ kind, entity }: Pick<CopyId, 'kind' | 'entity'>): string {
  return `${kind} ${entity}`;
}

function hashOf(facts: unknown): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}
