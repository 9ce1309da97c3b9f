import { sql, type RawBuilder } from 'kysely';
import { HEAD_CHARACTERS, type SealedCount, type SealedValue } from '../contract/sealed-values.ts';
import { SCHEMA, type Database } from '../database.ts';
import { checkStorable } from '../storable-text.ts';

/** A column of which every text is sealed. */
interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key; rows are read in its order. */
  readonly key: readonly string[];
  /** Of the rows that have one, where the column holds other things too. */
  readonly where?: RawBuilder<boolean>;
  /** What else changes with the row. */
  readonly also?: RawBuilder<unknown>;
}

/** Settings that are sealed; others are none of anybody's secrets. */
const SEALED_SETTINGS = ['vault_check', 'vault_digest_key'] as const;

/** Every column of the schema that is called `sealed_…`, and the settings. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'connectors',
    column: 'sealed_credentials',
    key: ['id'],
    // Memory takes a row over only if it counts higher.
    also: sql`, revision = revision + 1`,
  },
  { table: 'revocations', column: 'sealed_credentials', key: ['id'] },
  { table: 'connect_sessions', column: 'sealed_credentials', key: ['id'] },
  { table: 'consents', column: 'sealed_verifier', key: ['state_hash'] },
  { table: 'creations', column: 'sealed_answer', key: ['scope', 'key'] },
  { table: 'oauth_apps', column: 'sealed_app', key: ['application_id', 'kind'] },
  { table: 'signing_keys', column: 'sealed_key', key: ['id'] },
  {
    table: 'settings',
    column: 'value',
    key: ['name'],
    where: sql<boolean>`name in (${sql.join([...SEALED_SETTINGS])})`,
  },
];

export async function countSealed(database: Database): Promise<readonly SealedCount[]> {
  const all = sql.join(
    SEALED_COLUMNS.map(
      (each) => sql`select left(${sql.ref(each.column)}, ${HEAD_CHARACTERS}::integer) as head
        from ${tableOf(each)} where ${isSealed(each)}`,
    ),
    sql` union all `,
  );
  const { rows } = await sql<SealedCount>`
    select head, count(*) as count from (${all}) as sealed group by head order by head
  `.execute(database);
  return rows;
}

export async function listSealedUnlike(
  database: Database,
  head: string,
  { after, limit }: { readonly after?: SealedValue | undefined; readonly limit: number },
): Promise<readonly SealedValue[]> {
  const found: SealedValue[] = [];
  const first = after === undefined ? 0 : SEALED_COLUMNS.indexOf(columnOf(after));
  for (const column of SEALED_COLUMNS.slice(first)) {
    const within = after?.table === column.table ? after.key : undefined;
    found.push(
      ...(await listColumn(database, column, { head, within, limit: limit - found.length })),
    );
    if (found.length >= limit) break;
  }
  return found;
}

interface ColumnPage {
  readonly head: string;
  /** Key of the row to go on after. */
  readonly within: readonly unknown[] | undefined;
  readonly limit: number;
}

async function listColumn(
  database: Database,
  column: SealedColumn,
  { head, within, limit }: ColumnPage,
): Promise<readonly SealedValue[]> {
  const keys = sql.join(column.key.map((name) => sql.ref(name)));
  const { rows } = await sql<Record<string, unknown> & { readonly sealed_text: string }>`
    select ${keys}, ${sql.ref(column.column)} as sealed_text from ${tableOf(column)}
    where ${isSealed(column)}
      and left(${sql.ref(column.column)}, ${HEAD_CHARACTERS}::integer) <> ${head}
      and ${within === undefined ? sql`true` : sql`(${keys}) > (${sql.join([...within])})`}
    order by ${keys} limit ${limit}
  `.execute(database);
  return rows.map((row) => ({
    table: column.table,
    key: column.key.map((name) => row[name]),
    sealed: row.sealed_text,
  }));
}

export async function resealValue(
  database: Database,
  value: SealedValue,
  resealed: string,
): Promise<boolean> {
  checkStorable({ 'sealed text': resealed });
  if (value.table !== 'connectors') return await replaceText(database, value, resealed);
  // Two statements: the second sees a renewal that began while the first one waited for its lock.
  return await database.transaction().execute(async (transaction) => {
    if (!(await replaceText(transaction, value, resealed))) return false;
    await followRenewal(transaction, value, resealed);
    return true;
  });
}

async function replaceText(
  database: Database,
  value: SealedValue,
  resealed: string,
): Promise<boolean> {
  const column = columnOf(value);
  const { rows } = await sql`
    update ${tableOf(column)}
    set ${sql.ref(column.column)} = ${resealed} ${column.also ?? sql``}
    where (${sql.join(column.key.map((name) => sql.ref(name)))}) = (${sql.join([...value.key])})
      and ${sql.ref(column.column)} = ${value.sealed}
    returning true
  `.execute(database);
  return rows.length > 0;
}

/** A renewal is of these credentials however they are sealed: it ends with what it was given. */
async function followRenewal(
  database: Database,
  { key: [connectorId], sealed }: SealedValue,
  resealed: string,
): Promise<void> {
  await sql`
    update patchbay.credential_renewals
    set of_credentials = sha256(convert_to(${resealed}::text, 'UTF8'))
    where connector_id = ${connectorId}
      and of_credentials = sha256(convert_to(${sealed}::text, 'UTF8'))
  `.execute(database);
}

function columnOf({ table }: SealedValue): SealedColumn {
  const column = SEALED_COLUMNS.find((each) => each.table === table);
  if (column === undefined) throw new TypeError(`nothing in ${table} is sealed`);
  return column;
}

function tableOf({ table }: SealedColumn): RawBuilder<unknown> {
  return sql.id(SCHEMA, table);
}

function isSealed({ column, where = sql<boolean>`true` }: SealedColumn): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} is not null and ${where}`;
}
