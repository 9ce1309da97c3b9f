import { createBenchDatabase, type Statements } from '../support/bench-database.ts';
import { startBenchFleet } from './bench-fleet.ts';
import type { BenchOptions } from '../support/bench-options.ts';
import { syncLoad } from './fleet-load.ts';
import type { BenchResult } from '../support/measure.ts';

const DEFAULT_ROWS = 10_000;
const DEFAULT_DATABASE = 'postgres://postgres@127.0.0.1:5432/postgres';
const BYTES = 'bytes per contact';

/** Columns that take less for each record are told together. */
const LEAST_BYTES = 16;

/**
 * What a copied contact costs a worker, and what it takes in a server's database: rows, what is stored
 * beside them (TOAST), each index, and each column as it is stored there.
 */
export async function costOfStoredRecords({
  rows,
  databaseUrl,
}: BenchOptions): Promise<readonly BenchResult[]> {
  await using database = await createBenchDatabase(databaseUrl ?? DEFAULT_DATABASE);
  const contacts = rows ?? DEFAULT_ROWS;
  await using fleet = await startBenchFleet(database, { contacts, apis: 1 });
  await fleet.startWorker();
  const { cpuMicroseconds, perSecond, records } = await syncLoad(fleet, ['bench']);
  await using statements = await database.connect();
  return [
    { name: `sync of ${records} records by 1 worker`, value: Math.round(perSecond), unit: '/s' },
    {
      name: 'CPU of the worker',
      value: Math.round(cpuMicroseconds),
      unit: 'µs per synced record',
    },
    ...(await sizesOf(statements, await contactsTable(statements), contacts)),
  ];
}

async function contactsTable(statements: Statements): Promise<string> {
  const [table] = await statements.run(
    `select format('patchbay.%I', name) as name from patchbay.copy_tables where name like '%contacts%'`,
  );
  return String(table?.['name']);
}

async function sizesOf(
  statements: Statements,
  table: string,
  contacts: number,
): Promise<readonly BenchResult[]> {
  const line = (name: string, bytes: unknown): BenchResult => ({
    name,
    value: Math.round(Number(bytes) / contacts),
    unit: BYTES,
  });
  await statements.run(`vacuum analyze ${table}`);
  const [total] = await statements.run(
    `select pg_total_relation_size(c.oid) as total, pg_relation_size(c.oid) as heap,
      coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0) as toast,
      pg_indexes_size(c.oid) as indexes
    from pg_class c where c.oid = $1::regclass`,
    [table],
  );
  const indexes = await statements.run(
    `select indexrelid::regclass::text as name, pg_relation_size(indexrelid) as bytes
    from pg_index where indrelid = $1::regclass order by 2 desc`,
    [table],
  );
  return [
    line('all of it', total?.['total']),
    line('rows', total?.['heap']),
    line('TOAST', total?.['toast']),
    line('indexes', total?.['indexes']),
    ...indexes.map(({ name, bytes }) => line(`index ${String(name)}`, bytes)),
    line('indexes, built anew', await rebuiltIndexes(statements, table)),
    ...(await columnSizes(statements, table, line)),
  ];
}

/** Without the room that pages of an index have when rows came one batch after another. */
async function rebuiltIndexes(statements: Statements, table: string): Promise<unknown> {
  await statements.run(`reindex table ${table}`);
  const [sizes] = await statements.run('select pg_indexes_size($1::regclass) as bytes', [table]);
  return sizes?.['bytes'];
}

async function columnSizes(
  statements: Statements,
  table: string,
  line: (name: string, bytes: unknown) => BenchResult,
): Promise<readonly BenchResult[]> {
  const columns = await statements.run(
    `select quote_ident(attname) as name from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  const names = columns.map(({ name }) => String(name));
  const sums = names.map((name, index) => `sum(pg_column_size(${name})) as c${index}`);
  const [sizes = {}] = await statements.run(
    `select count(*) as rows, ${sums.join(', ')} from ${table}`,
  );
  const rows = Number(sizes['rows']);
  const all = names.map((name, index) => ({ name, bytes: Number(sizes[`c${index}`] ?? 0) }));
  const large = all.filter(({ bytes }) => bytes / rows >= LEAST_BYTES);
  const rest = all.filter((column) => !large.includes(column));
  return [
    ...large
      .toSorted((a, b) => b.bytes - a.bytes)
      .map(({ name, bytes }) => line(`column ${name}`, bytes)),
    line(
      `${rest.length} smaller columns`,
      rest.reduce((sum, { bytes }) => sum + bytes, 0),
    ),
  ];
}
