import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { standardTables } from '../../src/copies/copy-table.ts';
import { databaseFolderOf } from '../../src/embedded/database-folder.ts';
import { MIGRATIONS } from '../../src/migrations/all.ts';
import { openStore } from '../../src/open-store.ts';

/**
 * PGlite fills its buffers with zeros when it opens, which takes half a second of a processor for those
 * 128 MB that it has otherwise; tests have few records.
 */
const SETTINGS = 'shared_buffers = 8MB';

/**
 * Copies a data folder with an empty, migrated database: a tenth of a second in place of three.
 *
 * @returns The new folder, which the caller removes.
 */
export async function makeDataFolder(): Promise<string> {
  const template = await ensureTemplate();
  const folder = await makeEmptyFolder();
  // In one go: three times as fast as the asynchronous copy of a thousand small files.
  cpSync(template, folder, { recursive: true });
  return folder;
}

/** A new empty folder, which the caller removes; in memory where `.ci/test` has found room there. */
export async function makeEmptyFolder(): Promise<string> {
  return await mkdtemp(join(process.env['TEST_FOLDER'] ?? tmpdir(), 'store-test-'));
}

/** Kept between runs; another schema makes another template. */
async function ensureTemplate(): Promise<string> {
  const schema = [
    SETTINGS,
    MIGRATIONS,
    standardTables().all.map(({ definitionHash }) => definitionHash),
  ];
  const digest = createHash('sha256').update(JSON.stringify(schema)).digest('hex');
  const template = join(tmpdir(), `store-test-template-${userInfo().uid}-${digest.slice(0, 12)}`);
  if (existsSync(template)) return template;
  // On the file system of the template: it is renamed.
  const draft = await mkdtemp(join(tmpdir(), 'store-test-'));
  const store = await openStore({ dataFolder: draft });
  await store.close();
  await rm(join(draft, 'run-folder'));
  appendFileSync(join(databaseFolderOf(draft), 'postgresql.conf'), `\n${SETTINGS}\n`);
  try {
    renameSync(draft, template);
  } catch (error) {
    // Another test process was faster: its template is as good.
    if (!existsSync(template)) throw error;
    await rm(draft, { recursive: true });
  }
  return template;
}
