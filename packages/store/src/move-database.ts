import type { Transaction } from 'kysely';
import { listCarriedTables, type CarriedTable } from './backup/carried-tables.ts';
import { fingerprint, ORIGIN_SETTING, type TableFingerprint } from './backup/fingerprint.ts';
import { isEmpty, loadRows } from './backup/load-rows.ts';
import { readParts } from './backup/read-parts.ts';
import { ALL_AT_ONCE } from './pace.ts';
import { standardTables } from './copies/copy-table.ts';
import type { KnownSettings } from './contract/store.ts';
import type { Database, Tables } from './database.ts';
import { folderState, markMoved, readMove, requireNotMoved } from './embedded/database-folder.ts';
import { MIGRATIONS } from './migrations/all.ts';
import { countApplied, holdSchema } from './migrations/migrate.ts';
import { findDatabase, onOneConnection, prepare, type FoundDatabase } from './find-database.ts';
import { ResourceStack } from './resource-stack.ts';
import type { CarriedRows } from './restore-backup.ts';
import { parseDatabaseUrl } from './server-connection.ts';
import { findSetting } from './statements/settings.ts';
import { StoreError } from './store-error.ts';

export interface MoveOptions {
  readonly dataFolder: string;
  /** Of a PostgreSQL server's database, which has to be empty. */
  readonly databaseUrl: string;
  /** Rejects where what is to be moved would be of no use there; nothing is moved then. */
  readonly check: (source: { readonly settings: KnownSettings }) => Promise<void>;
  readonly onProgress?: (rows: CarriedRows) => void;
  readonly signal?: AbortSignal;
}

/** A database that has been moved. */
export interface MovedDatabase {
  /** Where it is now, in words that hold no password. */
  readonly to: string;
  /** Rows by table, the same in both; none where an earlier call had moved them. */
  readonly counts: Readonly<Record<string, number>>;
  /** Whether an earlier call had copied everything already. */
  readonly wasCopied: boolean;
}

/**
 * Copies the embedded database of a folder to a server, compares, and marks the folder as moved, which
 * nobody opens any more. All of it is one transaction there: until it ends there is nothing, and an
 * interrupted move begins anew.
 *
 * @throws `folder_in_use`, `folder_moved`, `database_not_empty`, `copy_differs`, and those of `openStore`.
 */
export async function moveDatabase(options: MoveOptions): Promise<MovedDatabase> {
  const { dataFolder, databaseUrl } = options;
  const to = parseDatabaseUrl(databaseUrl).description;
  const move = readMove(dataFolder);
  if (move?.to === to) return { to, counts: {}, wasCopied: true };
  requireNotMoved(dataFolder);
  if (folderState(dataFolder) === 'absent')
    throw new StoreError(
      'database_not_given',
      `There is no database in the data folder ${dataFolder}; PATCHBAY_DATA says where one is.`,
    );
  const resources = new ResourceStack();
  try {
    // First the server, whose address may be wrong.
    const target = await findDatabase({ databaseUrl, ...signalOf(options) }, resources);
    const source = await findDatabase({ dataFolder, ...signalOf(options) }, resources);
    const moved = await carryOver(source, target, options);
    markMoved(dataFolder, { to, at: new Date().toISOString() });
    return { ...moved, to };
  } finally {
    await resources.close();
  }
}

function signalOf({ signal }: MoveOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

async function carryOver(
  source: FoundDatabase,
  target: FoundDatabase,
  options: MoveOptions,
): Promise<Omit<MovedDatabase, 'to'>> {
  const { signal, check } = options;
  await prepare(source, standardTables(), signalOf(options));
  return await onOneConnection(source, signal, async (from) => {
    await check({ settings: { get: (name) => findSetting(from, name) } });
    await onOneConnection(target, signal, requireCurrentOrEmpty);
    await prepare(target, standardTables(), signalOf(options));
    return await onOneConnection(target, signal, async (to) => {
      const tables = await listCarriedTables(to);
      // Before a transaction begins there: the server ends one that waits for so long as this takes for a large folder.
      const wanted = await from.transaction().execute((reading) => fingerprint(reading, tables));
      return await to
        .transaction()
        .execute((transaction) => copyAll({ from, tables, wanted }, transaction, options));
    });
  });
}

/** A database in use keeps its schema: those who work on it may be of an earlier version. */
async function requireCurrentOrEmpty(to: Database): Promise<void> {
  if ((await countApplied(to)) >= MIGRATIONS.length || (await isEmpty(to))) return;
  throw notEmpty(await findSetting(to, ORIGIN_SETTING));
}

/** What is to be copied. */
interface Source {
  readonly from: Database;
  /** Those of the other database. */
  readonly tables: readonly CarriedTable[];
  readonly wanted: readonly TableFingerprint[];
}

async function copyAll(
  { from, tables, wanted }: Source,
  to: Transaction<Tables>,
  { onProgress }: MoveOptions,
): Promise<Omit<MovedDatabase, 'to'>> {
  // Nobody starts on that database meanwhile.
  await holdSchema(to);
  const counts = Object.fromEntries(wanted.map(({ table, rows }) => [table, rows]));
  if (!(await isEmpty(to))) {
    await requireSameOrigin(to, wanted);
    return { counts, wasCopied: true };
  }
  const all = wanted.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  onProgress?.({ done, of: all });
  for await (const part of readParts(from, ALL_AT_ONCE)) {
    if (part.type !== 'rows') continue;
    await loadRows(to, tables, part);
    done += part.count;
    onProgress?.({ done, of: all });
  }
  requireSame(wanted, await fingerprint(to, tables));
  await noteOrigin(to, wanted);
  return { counts, wasCopied: false };
}

/** Whether the rows that are there are ours, from a call that ended before the folder was marked. */
async function requireSameOrigin(
  to: Transaction<Tables>,
  wanted: readonly TableFingerprint[],
): Promise<void> {
  const origin = await findSetting(to, ORIGIN_SETTING);
  if (origin === JSON.stringify(wanted)) return;
  throw notEmpty(origin);
}

function notEmpty(origin: string | undefined): StoreError {
  return new StoreError(
    'database_not_empty',
    origin === undefined
      ? 'The database to move to has data of a Patchbay service already; give an empty one, or drop its schema "patchbay".'
      : 'The database to move to holds what was moved there before, and the data folder has changed since, or is another one: drop its schema "patchbay" to move again, or give an empty database.',
  );
}

function requireSame(
  wanted: readonly TableFingerprint[],
  found: readonly TableFingerprint[],
): void {
  for (const [index, { table, rows, sum }] of wanted.entries()) {
    const copied = found[index];
    if (copied?.rows === rows && copied.sum === sum) continue;
    throw new StoreError(
      'copy_differs',
      `The table ${table} is not the same after it was copied (${rows} rows, then ${copied?.rows ?? 0}). Nothing was moved; if this comes again, it is a bug.`,
    );
  }
}

async function noteOrigin(
  to: Transaction<Tables>,
  origin: readonly TableFingerprint[],
): Promise<void> {
  const value = JSON.stringify(origin);
  await to
    .insertInto('settings')
    .values({ name: ORIGIN_SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
