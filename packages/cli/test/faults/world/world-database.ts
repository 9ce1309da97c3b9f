import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openStore } from '@patchbay/store';
import {
  EMBEDDED,
  queryOnce,
  SERVER,
  startCluster,
  type CitusCluster,
} from '@patchbay/store/testing';
import { startDatabaseProxy, type DatabaseProxy } from './database-proxy.ts';

export type DatabaseName = 'embedded' | 'server' | 'citus';

/** A PostgreSQL database of one run's own, behind a proxy. */
export interface ServerDatabase {
  readonly proxy: DatabaseProxy;
  /** The name of the database, as an identifier. */
  readonly identifier: string;
  /** Runs a statement beside the proxy. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The database of one run. */
export interface WorldDatabase extends AsyncDisposable {
  /** Settings that lead a service to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** One that is not distributed. */
  readonly server?: ServerDatabase;
  /** Of a run's own, with the tables on its nodes. */
  readonly cluster?: CitusCluster;
  /** Where its files are; of a server's, where nothing is. */
  readonly folder: string;
}

const run = promisify(execFile);

/** Makes an empty one. An embedded one gets a disk of its own where `diskMib` says how large. */
export async function makeWorldDatabase(
  name: DatabaseName,
  diskMib: number | undefined,
): Promise<WorldDatabase> {
  if (name === 'server') return await makeOnServer();
  if (name === 'citus') return await makeOnCluster();
  return diskMib === undefined ? await makeInFolder() : await makeOnDisk(diskMib);
}

/** Why there can be no disk of one's own, or `undefined`. */
export async function whyNoDisk(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-faults-'));
  try {
    await mountDisk(folder, 1);
    await run('umount', [folder]);
    return undefined;
  } catch {
    return 'this user may not mount a file system';
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function makeInFolder(): Promise<WorldDatabase> {
  const place = await EMBEDDED.make();
  const folder = place.options.dataFolder ?? '';
  return {
    environment: { PATCHBAY_DATA: folder },
    folder,
    [Symbol.asyncDispose]: () => place.remove(),
  };
}

async function makeOnDisk(diskMib: number): Promise<WorldDatabase> {
  const disk = await mkdtemp(join(tmpdir(), 'patchbay-faults-'));
  await mountDisk(disk, diskMib);
  const place = await EMBEDDED.make();
  const folder = join(disk, 'data');
  await cp(place.options.dataFolder ?? '', folder, { recursive: true });
  await place.remove();
  return {
    environment: { PATCHBAY_DATA: folder },
    folder,
    [Symbol.asyncDispose]: async () => {
      await run('umount', [disk]);
      await rm(disk, { recursive: true });
    },
  };
}

async function mountDisk(folder: string, mib: number): Promise<void> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, `faults-${randomUUID()}`, folder]);
}

async function makeOnServer(): Promise<WorldDatabase> {
  if (SERVER.skip !== false) throw new Error(SERVER.skip);
  const place = await SERVER.make();
  const connection = await place.connection();
  const direct = new URL(place.options.databaseUrl ?? '');
  const proxy = await startDatabaseProxy(direct.hostname, Number(direct.port || 5432));
  const proxied = new URL(direct);
  proxied.host = `127.0.0.1:${proxy.port}`;
  return {
    environment: {
      DATABASE_URL: proxied.href,
      PATCHBAY_DATA: join(tmpdir(), `patchbay-faults-${randomUUID()}`),
    },
    server: {
      proxy,
      identifier: direct.pathname.slice(1),
      query: (sql) => queryOnce(connection, sql),
    },
    folder: tmpdir(),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await place.remove();
    },
  };
}

async function makeOnCluster(): Promise<WorldDatabase> {
  const cluster = await startCluster();
  const { databaseUrl } = cluster;
  const store = await openStore({ databaseUrl, distribute: () => undefined });
  await store.close();
  return {
    environment: {
      DATABASE_URL: databaseUrl,
      PATCHBAY_DATA: join(tmpdir(), `patchbay-faults-${randomUUID()}`),
    },
    cluster,
    folder: tmpdir(),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
