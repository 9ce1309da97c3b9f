import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import {
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { explainStatementError } from '../src/connection-errors.ts';
import { databaseNotWritable, ensureDataFolder } from '../src/embedded/data-folder.ts';
import { isStoreError, openStore, type OpeningStep } from '../src/index.ts';
import { NODE_FLAGS } from './support/node-flags.ts';
import { queryOnce } from './support/open-test-store.ts';
import { addConnector, sampleIntent } from './support/sample-rows.ts';
import { startStoreProcess } from './support/start-store-process.ts';
import { useDataFolder, useEmptyFolder } from './support/temporary-folder.ts';
import { embeddedConnection } from './support/test-databases.ts';

const TOO_LITTLE =
  /too little can be written there \(ENOSPC\): see that its disk has free space .*is not lost\.$/;

test('a first start makes a database, over the rest of a broken first start', async () => {
  await using parent = await useEmptyFolder();
  const dataFolder = join(parent.path, 'new', 'data');
  await mkdir(join(dataFolder, 'postgres.incomplete'), { recursive: true });
  await writeFile(join(dataFolder, 'postgres.incomplete', 'PG_VERSION'), '');
  const steps: OpeningStep[] = [];
  const store = await openStore({ dataFolder, onProgress: (step) => steps.push(step) });
  await store.organizations.create({ id: randomUUID(), name: 'First' });
  await store.close();
  assert.deepEqual(steps, ['connecting', 'creating', 'migrating']);
  assert.equal(existsSync(join(dataFolder, 'postgres.incomplete')), false);
  assert.equal(statSync(join(dataFolder, 'postgres')).mode & 0o777, 0o700);

  steps.length = 0;
  await using again = await openStore({ dataFolder, onProgress: (step) => steps.push(step) });
  assert.deepEqual(steps, ['connecting', 'migrating']);
  assert.equal((await again.organizations.list()).length, 1);
  assert.deepEqual(again.profile, {
    name: 'embedded PGlite',
    isExclusive: true,
    sharesOneSession: true,
    keepsStatements: false,
    isDistributed: false,
  });
});

test('a database that must exist is not made', async () => {
  await using parent = await useEmptyFolder();
  const dataFolder = join(parent.path, 'data');
  const opening = () => openStore({ dataFolder, mustExist: true });
  await assert.rejects(opening(), { code: 'database_absent' });
  assert.deepEqual(await readdir(parent.path), []);
  await mkdir(join(dataFolder, 'postgres.incomplete'), { recursive: true });
  await assert.rejects(opening(), { code: 'database_absent' });
  assert.deepEqual(await readdir(dataFolder), ['postgres.incomplete']);
});

test('a new data folder is for its owner alone', async () => {
  await using parent = await useEmptyFolder();
  const folder = ensureDataFolder(join(parent.path, 'new', 'data'));
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test('a data folder that cannot be made is told, wherever it is', async () => {
  await using parent = await useEmptyFolder();
  const file = join(parent.path, 'file');
  await writeFile(file, '');
  for (const path of ['/proc/patchbay', '/proc/patchbay/data', file, join(file, 'data')])
    assert.throws(() => ensureDataFolder(path), { code: 'folder_not_usable' }, path);
});

test('another process is refused until the first one ends', async () => {
  await using folder = await useDataFolder();
  const options = { dataFolder: folder.path };
  const first = startStoreProcess(options);
  assert.equal(await first.nextLine(), 'opened');
  const second = startStoreProcess(options);
  assert.equal(await second.nextLine(), 'folder_in_use');
  await second.finish();
  await first.finish();
  await using store = await openStore(options);
  await store.ping();
});

test('of processes that start at once, one opens the folder', async () => {
  await using folder = await useDataFolder();
  const processes = Array.from({ length: 3 }, () => startStoreProcess({ dataFolder: folder.path }));
  const lines = await Promise.all(processes.map((process) => process.nextLine()));
  assert.equal(lines.filter((line) => line === 'opened').length, 1);
  assert.equal(lines.filter((line) => line === 'folder_in_use').length, 2);
  await Promise.all(processes.map((process) => process.finish()));
});

test('the same folder is refused under another path, with a sentence that says what to do', async () => {
  await using folder = await useDataFolder();
  await using elsewhere = await useEmptyFolder();
  const alias = join(elsewhere.path, 'alias');
  await symlink(folder.path, alias);
  await using store = await openStore({ dataFolder: folder.path });
  await assert.rejects(openStore({ dataFolder: alias }), {
    code: 'folder_in_use',
    message: `The data folder ${folder.path} is in use by another Patchbay process; stop that one, or give this one another data folder, or give both one PostgreSQL database.`,
  });
  await store.ping();
});

test('after kill -9 every acknowledged row is there, and nobody counts as alive', async () => {
  await using folder = await useDataFolder();
  const options = { dataFolder: folder.path };
  const killed = startStoreProcess(options, 100_000);
  assert.equal(await killed.nextLine(), 'opened');
  const acknowledged: string[] = [];
  while (acknowledged.length < 200) acknowledged.push((await killed.nextLine()) ?? '');
  await queryOnce(
    await embeddedConnection(folder.path),
    `insert into patchbay.instances (id) values ('killed')`,
  );
  const runFolder = readFileSync(join(folder.path, 'run-folder'), 'utf8');
  await killed.kill();

  await using store = await openStore(options);
  const stored = new Set((await store.organizations.list()).map(({ id }) => id));
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  );
  const { id } = await addConnector(store);
  const intent = sampleIntent({ scope: id });
  await store.idempotency.begin(intent);
  assert.equal((await store.idempotency.begin(intent))?.isOwnerAlive, false);
  assert.equal(existsSync(runFolder), false);
  assert.equal(locksIn(folder.path).length, 1);
});

test('a database that can write its log no more says so at once; nothing acknowledged is lost', async () => {
  await using folder = await useDataFolder();
  const log = join(folder.path, 'postgres', 'pg_wal');
  const told = Promise.withResolvers<Error>();
  const store = await openStore({ dataFolder: folder.path, onBroken: told.resolve });
  const { id } = await addConnector(store);
  // As on a full disk, no further piece of the log can be made.
  await rename(log, `${log}-elsewhere`);
  const connection = await embeddedConnection(folder.path);
  const filling = queryOnce(
    connection,
    `select pg_logical_emit_message(true, 'x', repeat('x', 1000000)) from generate_series(1, 40)`,
  ).catch(() => undefined);
  const error = await told.promise;
  assert.ok(isStoreError(error, 'database_broken'));
  assert.match(error.message, /broken down .*Nothing that was acknowledged is lost: see that/);
  const startedAt = performance.now();
  await store.close();
  assert.ok(performance.now() - startedAt < 10_000);
  await filling;

  await rename(`${log}-elsewhere`, log);
  await using again = await openStore({ dataFolder: folder.path });
  assert.equal((await again.connectors.find(id))?.id, id);
});

test('a database that cannot be opened since its disk is full is not called damaged', async (t) => {
  await using folder = await useDataFolder();
  await using parent = await useEmptyFolder();
  await using disk = await mountDisk(parent.path, 128).catch(() => undefined);
  if (disk === undefined) return t.skip('this user may not mount a file system');
  const dataFolder = join(parent.path, 'data');
  await cp(folder.path, dataFolder, { recursive: true });
  const filling = join(parent.path, 'filling');
  await assert.rejects(writeFile(filling, Buffer.alloc(134_217_728)), { code: 'ENOSPC' });
  await assert.rejects(openStore({ dataFolder }), {
    code: 'folder_not_usable',
    message: TOO_LITTLE,
  });
  // Enough for its files, too little for a database.
  await truncate(filling, (await stat(filling)).size - 16_777_216);
  await assert.rejects(openStore({ dataFolder: join(parent.path, 'another') }), {
    code: 'folder_not_usable',
    message: TOO_LITTLE,
  });
  await rm(filling);
  await (await openStore({ dataFolder })).close();
});

test('a process that may open too few files is told which limit to raise', async () => {
  await using folder = await useDataFolder();
  const store = new URL('../src/index.ts', import.meta.url).href;
  const script = `import { openStore } from ${JSON.stringify(store)};
await openStore({ dataFolder: process.argv[1] }).catch(({ message }) => console.log(message));`;
  // A process of Node has some thirty open when it begins.
  const limited = ['-c', 'ulimit -n 44; exec "$@"', 'sh', process.execPath, ...NODE_FLAGS];
  const { stdout } = await promisify(execFile)('sh', [
    ...limited,
    '--input-type=module',
    '-e',
    script,
    folder.path,
  ]);
  assert.match(stdout, /too many files are open \(EMFILE\): raise the limit \(ulimit -n/);
});

test('what the system refuses the database at its start is told with what it may lack', () => {
  for (const code of ['58P02', '53000', '53100', '42P01']) {
    const error = Object.assign(new Error('could not create file: File exists'), { code });
    for (const thrown of [error, explainStatementError(error, 'the database')]) {
      const told = databaseNotWritable('/data', thrown)?.message;
      if (code === '42P01') assert.equal(told, undefined);
      else assert.match(told ?? '', /File exists\. .* open 1,024 files \(ulimit -n.*free space/);
    }
  }
});

test('a folder may have a path that is far too long for a socket', async () => {
  await using folder = await useDataFolder();
  const long = join(folder.path, 'x'.repeat(200), 'é'.repeat(100));
  await mkdir(long, { recursive: true });
  await cp(join(folder.path, 'postgres'), join(long, 'postgres'), { recursive: true });
  await using store = await openStore({ dataFolder: long });
  await store.ping();
  await assert.rejects(openStore({ dataFolder: long }), { code: 'folder_in_use' });
});

test('a closed store leaves no socket behind, and closing twice is fine', async () => {
  await using folder = await useDataFolder();
  const store = await openStore({ dataFolder: folder.path });
  const runFolder = readFileSync(join(folder.path, 'run-folder'), 'utf8');
  await Promise.all(Array.from({ length: 10 }, () => store.ping()));
  const startedAt = performance.now();
  await store.close();
  await store.close();
  assert.ok(performance.now() - startedAt < 2_000);
  assert.equal(existsSync(runFolder), false);
  assert.deepEqual(locksIn(folder.path), []);
  await assert.rejects(store.ping(), { code: 'database_unreachable' });
});

test('what is noted as the run folder is removed only if it is one of this data folder', async () => {
  await using folder = await useDataFolder();
  await using precious = await useEmptyFolder();
  await writeFile(join(precious.path, 'file'), 'precious');
  await writeFile(join(folder.path, 'run-folder'), precious.path);
  await (await openStore({ dataFolder: folder.path })).close();
  assert.deepEqual(await readdir(precious.path), ['file']);
});

test('a data folder that was moved after a crash opens at its new place', async () => {
  await using folder = await useDataFolder();
  await using run = await useEmptyFolder();
  // As a killed process leaves it: its run folder leads to where the data folder was.
  const left = await mkdtemp(join(run.path, 'patchbay-'));
  await symlink(join(run.path, 'where-it-was'), join(left, 'data'));
  await writeFile(join(folder.path, 'run-folder'), left);
  await (await openStore({ dataFolder: folder.path })).close();
  assert.equal(existsSync(left), true);
});

test('a folder that cannot be made is refused, with its path', async () => {
  await using folder = await useEmptyFolder();
  await writeFile(join(folder.path, 'file'), '');
  const dataFolder = join(folder.path, 'file', 'data');
  await assert.rejects(openStore({ dataFolder }), {
    code: 'folder_not_usable',
    message: `Cannot make or enter the data folder ${dataFolder} (ENOTDIR); give a folder that this user may write to.`,
  });
});

test('a damaged database is refused, and its folder is free again', async () => {
  await using folder = await useDataFolder();
  await truncate(join(folder.path, 'postgres', 'global', 'pg_control'), 0);
  await assert.rejects(openStore({ dataFolder: folder.path }), (error) => {
    assert.ok(error instanceof Error && 'code' in error);
    assert.equal(error.code, 'folder_damaged');
    assert.match(error.message, new RegExp(basename(folder.path)));
    return true;
  });
  assert.deepEqual(locksIn(folder.path), []);
});

test('root does not write into the database of another user, who could not open it then', async (t) => {
  if (process.geteuid?.() !== 0) return t.skip('only root may give folders away');
  await using folder = await useDataFolder();
  await chown(join(folder.path, 'postgres'), 65_534, 65_534);
  const refused = {
    code: 'folder_not_usable',
    message: /belongs to another user \(65534; this is 0\)/,
  };
  await assert.rejects(openStore({ dataFolder: folder.path }), refused);
  assert.deepEqual(await readdir(folder.path), ['postgres']);
});

test('a database that this user cannot look at is no fault of ours', async () => {
  await using folder = await useEmptyFolder();
  // A way that ends nowhere is as closed as a folder of somebody else.
  await symlink('postgres', join(folder.path, 'postgres'));
  await assert.rejects(openStore({ dataFolder: folder.path }), {
    code: 'folder_not_usable',
    message: /run this as the user that it belongs to/,
  });
});

test('what a killed restore has left goes when the folder is opened again', async () => {
  await using folder = await useDataFolder();
  const left = join(folder.path, 'restoring', 'postgres');
  await mkdir(left, { recursive: true });
  await writeFile(join(left, 'PG_VERSION'), '');
  // As every version makes it: a data folder in the data folder.
  await writeFile(join(folder.path, 'restoring', 'run-folder'), '/tmp/patchbay-nobody');
  await writeFile(join(folder.path, 'restoring', 'lock-0123456789ab'), '');
  const store = await openStore({ dataFolder: folder.path });
  await store.close();
  assert.ok(!existsSync(join(folder.path, 'restoring')));
});

const THESES = [
  ['postgres', 'init', '01.sql'],
  ['postgres', 'base', 'kustomization.yaml'],
  ['postgres', 'global', 'main.tf'],
  ['restoring', 'thesis.txt'],
  ['restoring', 'postgres', 'thesis.txt'],
  ['postgres.replaced', 'thesis.txt'],
  ['postgres.restored', 'thesis.txt'],
] as const;
for (const path of THESES)
  test(`what somebody else keeps as ${path.join('/')} is refused, and stays`, async () => {
    await using folder = await useDataFolder();
    await using elsewhere = await useEmptyFolder();
    const database = join(folder.path, 'postgres');
    const aside = join(elsewhere.path, 'postgres');
    if (path[0] === 'postgres') await rename(database, aside);
    await assertKept(folder.path, path);
    await rm(join(folder.path, path[0]), { recursive: true });
    if (path[0] === 'postgres') await rename(aside, database);
    await (await openStore({ dataFolder: folder.path })).close();
  });

for (const name of ['postgres.incomplete', 'postgres.replaced'])
  test(`what a cut of the power has left half written as ${name} is our own`, async () => {
    await using folder = await (name === 'postgres.replaced' ? useDataFolder() : useEmptyFolder());
    const left = join(folder.path, name);
    await mkdir(join(left, 'global'), { recursive: true });
    for (const file of ['PG_VERSION', 'postmaster.pid', join('global', 'pg_control')])
      await writeFile(join(left, file), '');
    await (await openStore({ dataFolder: folder.path })).close();
    assert.ok(!existsSync(left));
  });

test('what only begins like a name of ours stays', async () => {
  await using folder = await useDataFolder();
  await writeFile(join(folder.path, 'lock-codes.txt'), 'keep');
  await mkdir(join(folder.path, 'lock-0123456789ab'));
  await writeFile(join(folder.path, 'trial'), 'keep');
  await (await openStore({ dataFolder: folder.path })).close();
  for (const name of ['lock-codes.txt', 'trial'])
    assert.equal(readFileSync(join(folder.path, name), 'utf8'), 'keep');
});

test('so is what stands where a database is to be made', async () => {
  await using folder = await useEmptyFolder();
  await assertKept(folder.path, ['postgres.incomplete', 'thesis.txt']);
  await using other = await useEmptyFolder();
  await writeFile(join(other.path, 'restoring'), 'no folder at all');
  await assert.rejects(openStore({ dataFolder: other.path }), { code: 'folder_not_usable' });
  assert.equal(readFileSync(join(other.path, 'restoring'), 'utf8'), 'no folder at all');
});

test('where somebody else keeps a folder beside a database, nothing of ours goes, either', async () => {
  await using folder = await useDataFolder();
  const restored = join(folder.path, 'postgres.restored');
  await cp(join(folder.path, 'postgres'), restored, { recursive: true });
  await assertKept(folder.path, ['postgres.replaced', 'thesis.txt']);
  assert.ok(existsSync(join(restored, 'PG_VERSION')));
  assert.ok(existsSync(join(folder.path, 'postgres', 'PG_VERSION')));
});

test('neither a folder nor a URL is refused', async () => {
  await assert.rejects(openStore({}), { code: 'database_not_given' });
});

/** Opens a data folder in which somebody else keeps a file there. */
async function assertKept(dataFolder: string, path: readonly string[]): Promise<void> {
  const thesis = join(dataFolder, ...path);
  await mkdir(dirname(thesis), { recursive: true });
  await writeFile(thesis, 'precious');
  await assert.rejects(openStore({ dataFolder }), (error) => {
    assert.ok(isStoreError(error, 'folder_not_usable'));
    assert.ok(error.message.includes(` ${join(dataFolder, path[0] ?? '')} `), error.message);
    assert.match(error.message, /move it elsewhere, or delete it .*Nothing of it was deleted\.$/);
    return true;
  });
  assert.equal(readFileSync(thesis, 'utf8'), 'precious');
}

/** A file system of its own, in memory. */
async function mountDisk(folder: string, mib: number): Promise<AsyncDisposable> {
  const run = promisify(execFile);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'store-test', folder]);
  return {
    [Symbol.asyncDispose]: async () => {
      await run('umount', ['--lazy', folder]);
    },
  };
}

function locksIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => /^(?:lock|draft)-/.test(name));
}
