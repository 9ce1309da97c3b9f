import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Client } from 'pg';

/** Runs statements on the database of a benchmark. */
export interface Statements extends AsyncDisposable {
  run(statement: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Copies a table into another of the same columns; returns how long the COPY into it took. */
  copy(from: string, into: string): Promise<{ readonly seconds: number }>;
}

/** A database of a benchmark's own, dropped when it is disposed of. */
export interface BenchDatabase extends AsyncDisposable {
  readonly name: string;
  /** Environment variables for a process that opens it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Opens it; an embedded one only while no other process has it open. */
  connect(): Promise<Statements>;
}

/**
 * Creates one on the server at that URL; without a URL an embedded one in a temporary folder.
 *
 * @param name Tells it from others of the same process.
 */
export async function createBenchDatabase(
  serverUrl: string | undefined,
  name = 'measured',
): Promise<BenchDatabase> {
  return openBenchDatabase(serverUrl, {
    name: `${name}_${process.pid}`,
    isNew: true,
    stays: false,
  });
}

/** A database by name: a new one in place of any of that name, or the one that there is. */
export async function openBenchDatabase(
  serverUrl: string | undefined,
  kept: KeptDatabase,
): Promise<BenchDatabase> {
  return serverUrl === undefined ? openEmbedded(kept) : openOnServer(serverUrl, kept);
}

interface KeptDatabase {
  readonly name: string;
  readonly isNew: boolean;
  /** It is not dropped when it is disposed of. */
  readonly stays: boolean;
}

async function openOnServer(
  serverUrl: string,
  { name, isNew, stays }: KeptDatabase,
): Promise<BenchDatabase> {
  const database = `patchbay_bench_${name}`;
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  const drop = () => onServer(serverUrl, `drop database if exists ${database} with (force)`);
  if (isNew) {
    await drop();
    await onServer(serverUrl, `create database ${database}`);
  }
  return {
    name: 'PostgreSQL',
    environment: { BENCH_DATABASE: url.href },
    connect: () => statementsAt(url.href),
    [Symbol.asyncDispose]: async () => {
      if (!stays) await drop();
    },
  };
}

/** Runs statements on the database at that URL. */
export async function statementsAt(url: string): Promise<Statements> {
  const client = new Client(url);
  await client.connect();
  return statementsOn(client);
}

function statementsOn(client: Client): Statements {
  const run: Statements['run'] = async (statement, values = []) => {
    // Rows of `pg` are objects by column name.
    const result = await client.query<Record<string, unknown>>(statement, [...values]);
    return result.rows;
  };
  return {
    run,
    copy: async (from, into) => {
      const file = join(tmpdir(), `patchbay-bench-${process.pid}.copy`);
      // The server writes and reads the file, so it has to be on this machine.
      await run(`copy ${from} to '${file}' with (format binary)`);
      const startedAt = performance.now();
      await run(`copy ${into} from '${file}' with (format binary)`);
      const seconds = (performance.now() - startedAt) / 1000;
      await rm(file, { force: true });
      return { seconds };
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new Client(serverUrl);
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function openEmbedded({ name, isNew, stays }: KeptDatabase): Promise<BenchDatabase> {
  const parent = join(tmpdir(), `patchbay-bench-${name}`);
  const folder = join(parent, 'data');
  if (isNew) await rm(parent, { recursive: true, force: true });
  await mkdir(parent, { recursive: true });
  return {
    name: 'embedded PGlite',
    environment: { BENCH_FOLDER: folder },
    connect: async () => {
      const database = await PGlite.create(join(folder, 'postgres'));
      return {
        run: async (statement, values = []) => {
          const result = await database.query<Record<string, unknown>>(statement, [...values]);
          return result.rows;
        },
        copy: async (from, into) => {
          const { blob } = await database.query(`copy ${from} to '/dev/blob' with (format binary)`);
          const startedAt = performance.now();
          await database.query(`copy ${into} from '/dev/blob' with (format binary)`, [], {
            blob: blob ?? new Blob([]),
          });
          return { seconds: (performance.now() - startedAt) / 1000 };
        },
        [Symbol.asyncDispose]: () => database.close(),
      };
    },
    [Symbol.asyncDispose]: async () => {
      if (!stays) await rm(parent, { recursive: true });
    },
  };
}
