import { mkdirSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { sql } from 'kysely';
import { decodeBackup } from './backup/backup-file.ts';
import { listCarriedTables, type CarriedTable } from './backup/carried-tables.ts';
import { isEmpty, loadRows, mendCopies } from './backup/load-rows.ts';
import type { BackupEnd, BackupHeader, BackupRows } from './backup/parts.ts';
import { nameOf } from './backup/read-parts.ts';
import { reconcileTables } from './copies/reconcile.ts';
import { standardTables } from './copies/copy-table.ts';
import type { KnownSettings } from './contract/store.ts';
import { SCHEMA, type Database } from './database.ts';
import {
  databaseFolderOf,
  folderState,
  replaceDatabase,
  requireNotMoved,
  requireReplaceable,
  restoringIn,
} from './embedded/database-folder.ts';
import { holdFolder } from './embedded/open-embedded.ts';
import { markOurs, removeOurs } from './embedded/our-folders.ts';
import { MIGRATIONS } from './migrations/all.ts';
import { checksumOf, countApplied, holdSchema, migrate } from './migrations/migrate.ts';
import { checkServer, findDatabase, onOneConnection } from './find-database.ts';
import { ResourceStack } from './resource-stack.ts';
import { StoreError } from './store-error.ts';
import { releaseAllLeases } from './sync/leases.ts';
import { wakeAll } from './sync-queue.ts';

/** What a backup says of itself. */
export interface BackupInfo {
  readonly createdAt: Date;
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Rows of how many. */
export interface CarriedRows {
  readonly done: number;
  readonly of: number;
}

export interface RestoreOptions {
  /** Opens the file; it is read twice. */
  readonly open: () => Readable;
  /** A server's database, which has to be empty; when given, `dataFolder` is not used. */
  readonly databaseUrl?: string;
  readonly dataFolder?: string;
  /** Whether the database that is in the data folder, if any, is to be deleted. */
  readonly replaces?: boolean;
  /** Rejects where what the backup has would be of no use; nothing is restored then. */
  readonly check: (backup: { readonly settings: KnownSettings }) => Promise<void>;
  readonly onProgress?: (rows: CarriedRows) => void;
  readonly signal?: AbortSignal;
}

/**
 * Reads a backup to its end.
 *
 * @throws `backup_unusable` unless it is whole, and of no newer program.
 */
export async function checkBackup(file: Readable): Promise<BackupInfo> {
  const { header, end } = await readWhole(file);
  return infoOf(header, end);
}

/**
 * Makes a database of a backup. The one that is there, if any, stays as it is until the new one is whole
 * and has been checked; a crash leaves one or the other. What identifies people and programs for a time
 * ends: tokens, links and consents from before are good for nothing.
 *
 * @throws `backup_unusable`, `database_not_empty`, and those of `openStore`.
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupInfo> {
  const whole = await readWhole(options.open());
  const { settings } = whole;
  await options.check({ settings: { get: (name) => Promise.resolve(settings.get(name)) } });
  if (options.databaseUrl === undefined) await restoreInFolder(options, whole);
  else await restoreOnServer({ ...options, databaseUrl: options.databaseUrl }, whole);
  return infoOf(whole.header, whole.end);
}

/** How a backup that has been read to its end begins and ends, and what settings it has. */
interface WholeBackup {
  readonly header: BackupHeader;
  readonly end: BackupEnd;
  readonly settings: ReadonlyMap<string, string>;
}

async function readWhole(file: Readable): Promise<WholeBackup> {
  let header: BackupHeader | undefined;
  let end: BackupEnd | undefined;
  const settings = new Map<string, string>();
  for await (const part of decodeBackup(file)) {
    if (part.type === 'header') header = part;
    if (part.type === 'end') end = part;
    if (part.type === 'rows' && part.table === 'settings')
      for (const { name, value } of settingsIn(part)) settings.set(name, value);
  }
  if (header === undefined || end === undefined) throw unusable('it is none of Patchbay');
  requireKnown(header);
  return { header, end, settings };
}

function settingsIn({
  json,
}: BackupRows): readonly { readonly name: string; readonly value: string }[] {
  // Proof: both columns of the table are texts.
  return JSON.parse(json) as readonly { readonly name: string; readonly value: string }[];
}

function requireKnown({ migrations }: BackupHeader): void {
  const known = MIGRATIONS.length;
  if (migrations.length > known)
    throw unusable(
      `its schema version is ${migrations.length}, and this program knows ${known}: restore it with the version that made it, or a later one`,
    );
  const other = migrations.find(({ checksum }, index) => {
    const own = MIGRATIONS[index];
    return own === undefined || checksumOf(own) !== checksum;
  });
  if (other !== undefined)
    throw unusable(
      `its schema step ${other.number} ("${other.name}") is not the one of this program`,
    );
}

function infoOf({ createdAt }: BackupHeader, { counts }: BackupEnd): BackupInfo {
  return { createdAt: new Date(createdAt), counts };
}

async function restoreInFolder(options: RestoreOptions, whole: WholeBackup): Promise<void> {
  const resources = new ResourceStack();
  try {
    const { folder } = await holdFolder(options.dataFolder ?? '', resources);
    // Two would live on from one: whoever means that says so to the folder.
    requireNotMoved(folder);
    if (options.replaces !== true && folderState(folder) !== 'absent')
      throw new StoreError(
        'database_not_empty',
        `There is a database in the data folder ${folder}, which a restore would delete; give another one (PATCHBAY_DATA), or allow that (--force).`,
      );
    requireReplaceable(folder);
    // A data folder in the data folder.
    const draft = restoringIn(folder);
    mkdirSync(draft, { mode: 0o700 });
    resources.add(() => removeOurs(draft));
    markOurs(draft);
    await fill({ dataFolder: draft }, { options, whole }, (database) =>
      fillEmpty(database, options, whole),
    );
    replaceDatabase(folder, databaseFolderOf(draft));
  } finally {
    await resources.close();
  }
}

async function restoreOnServer(
  options: RestoreOptions & { readonly databaseUrl: string },
  whole: WholeBackup,
): Promise<void> {
  const { databaseUrl } = options;
  await fill({ databaseUrl }, { options, whole }, (database) =>
    // Until it ends there is nothing, and nobody starts on that database meanwhile.
    database.transaction().execute(async (transaction) => {
      await holdSchema(transaction);
      await requireEmpty(transaction);
      await fillEmpty(transaction, options, whole);
    }),
  );
}

/** Opens a database, gives it the schema that the backup has, has it filled, and brings it up to date. */
async function fill(
  place: { readonly dataFolder: string } | { readonly databaseUrl: string },
  {
    options: { signal },
    whole: { header },
  }: { readonly options: RestoreOptions; readonly whole: WholeBackup },
  fillIt: (database: Database) => Promise<void>,
): Promise<void> {
  const resources = new ResourceStack();
  try {
    const found = await findDatabase(
      { ...place, ...(signal === undefined ? {} : { signal }) },
      resources,
    );
    await onOneConnection(found, signal, async (database) => {
      await checkServer(database, found.description);
      // Before its schema is touched: those who work on it may be of an earlier version.
      await requireEmpty(database);
      await requireNoLaterSchema(database, header);
      await migrate(database, MIGRATIONS.slice(0, header.migrations.length));
      await reconcileTables(database, standardTables());
      await fillIt(database);
      await migrate(database);
      await wakeAll(database);
    });
  } finally {
    await resources.close();
  }
}

async function requireEmpty(database: Database): Promise<void> {
  if (await isEmpty(database)) return;
  throw new StoreError(
    'database_not_empty',
    'There is something in the database already; a backup is restored into an empty one only. Nothing was changed.',
  );
}

async function requireNoLaterSchema(
  database: Database,
  { migrations }: BackupHeader,
): Promise<void> {
  const applied = await countApplied(database);
  if (applied <= migrations.length) return;
  throw new StoreError(
    'database_not_empty',
    `There are no rows in the database, but a schema of version ${applied}, into which a backup of version ${migrations.length} does not fit: drop its schema "${SCHEMA}", which the restore makes anew. Nothing was changed.`,
  );
}

async function fillEmpty(
  database: Database,
  { open, onProgress }: RestoreOptions,
  { end }: WholeBackup,
): Promise<void> {
  const tables = await listCarriedTables(database);
  const all = Object.values(end.counts).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for await (const part of decodeBackup(open())) {
    if (part.type !== 'rows') continue;
    await loadRows(database, tables, part);
    done += part.count;
    onProgress?.({ done, of: all });
  }
  await requireCounts(database, tables, end);
  await mendCopies(database, tables, end);
  await endWhatPassed(database, tables);
}

async function requireCounts(
  database: Database,
  tables: readonly CarriedTable[],
  { counts }: BackupEnd,
): Promise<void> {
  for (const table of tables) {
    const wanted = counts[table.name] ?? 0;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${nameOf(table)}
    `.execute(database);
    if (rows[0]?.count === wanted) continue;
    throw new StoreError(
      'copy_differs',
      `Of the table ${table.name}, ${rows[0]?.count} rows are there, where the backup has ${wanted}. Nothing was changed.`,
    );
  }
}

/**
 * Nobody knows what has ended since the backup was made. So whatever ends by itself, ends now: keys that
 * signed tokens, links that open once, consents under way, and who was at work.
 */
async function endWhatPassed(database: Database, tables: readonly CarriedTable[]): Promise<void> {
  const has = (name: string) => tables.some((table) => table.name === name);
  await database.deleteFrom('signing_keys').execute();
  if (has('consents')) await database.deleteFrom('consents').execute();
  if (has('connect_sessions'))
    // What waits in them is revoked upstream, as at the end of any other.
    await sql`
      update ${nameOf({ name: 'connect_sessions' })} set expires_at = date_trunc('milliseconds', now())
      where expires_at > now()
    `.execute(database);
  await releaseAllLeases(database);
}

function unusable(why: string): StoreError {
  return new StoreError(
    'backup_unusable',
    `The backup cannot be used: ${why}. Nothing was changed.`,
  );
}
