import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PoolConfig } from 'pg';
import { ResourceStack } from '../resource-stack.ts';
import { StoreError } from '../store-error.ts';
import type { StoreLogger } from '../store-options.ts';
import {
  ensureDataFolder,
  makeRunFolder,
  removeRunFolder,
  replaceRunFolder,
  requireRoom,
} from './data-folder.ts';
import {
  databaseFolderOf,
  finishReplacing,
  removeIncomplete,
  requireNotMoved,
  requireOwnDatabase,
} from './database-folder.ts';
import { DoorSigns } from './door-signs.ts';
import { FolderLock } from './folder-lock.ts';
import { markOurs, requireOurDatabase } from './our-folders.ts';
import { loadWasmModules } from './wasm-modules.ts';
import { Watchdog } from './watchdog.ts';
import { CLOSE, type WorkerInput, type WorkerMessage } from './worker-messages.ts';

/** `pg` looks for the socket of this name in the folder that is given as the host. */
const PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${PORT}`;

/** The database has little to do when it is asked to close; if it cannot, a crash loses nothing. */
const CLOSE_WITHIN_MS = 5_000;

interface EmbeddedDatabase {
  /** How to connect to it. */
  readonly connection: PoolConfig;
  /** What its thread shows of itself. */
  readonly signs: DoorSigns;
  /** From now on no statement takes long, so that one which does counts as stuck. */
  watch(): void;
  /** Ends the database, then the hold on the folder. Connections should have ended before. */
  close(): Promise<void>;
}

interface EmbeddedOptions {
  readonly dataFolder: string;
  readonly logger: StoreLogger;
  /** Called before an empty database is made, which takes seconds. */
  readonly onCreating: () => void;
  /** Called once if the database, once open, ends by itself or gets stuck; it is of no more use. */
  readonly onBroken: (error: StoreError) => void;
}

/** The thread of a database, and whether it still is of use. */
class DatabaseThread {
  readonly worker: Worker;
  readonly #tell: (reason: string) => void;
  state: 'opening' | 'open' | 'broken' | 'closing' = 'opening';

  /** @param tell Is told once why an open database broke. */
  constructor(worker: Worker, tell: (reason: string) => void) {
    this.worker = worker;
    this.#tell = tell;
  }

  break(reason: string): void {
    if (this.state !== 'open') return;
    this.state = 'broken';
    this.#tell(reason);
  }
}

/**
 * Starts the database in a data folder, or makes one there, and holds the folder until closed.
 *
 * @throws `folder_in_use`, `folder_not_usable`, `folder_moved`, `folder_damaged`
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const resources = new ResourceStack();
  const signs = new DoorSigns();
  try {
    const { connection, thread } = await start({ ...options, signs }, resources);
    const watchdog = new Watchdog(signs, (reason) => thread.break(reason));
    resources.add(() => watchdog.stop());
    return {
      connection,
      signs,
      watch: () => watchdog.start(),
      close: () => resources.close(),
    };
  } catch (error) {
    await resources.close();
    throw error;
  }
}

/** A data folder that nobody else uses until what was added to the stack is closed. */
interface HeldFolder {
  /** Its real path. */
  readonly folder: string;
  /** Of a short private folder for sockets. */
  readonly runPath: string;
}

/**
 * Makes the data folder if it is not there, keeps every other process out, and ends what a crash has
 * cut off there.
 *
 * @throws `folder_in_use`, `folder_not_usable`
 */
export async function holdFolder(
  dataFolder: string,
  resources: ResourceStack,
): Promise<HeldFolder> {
  const folder = ensureDataFolder(dataFolder);
  requireOwnDatabase(folder);
  const runFolder = makeRunFolder(folder);
  resources.add(() => {
    removeRunFolder(runFolder);
  });
  const lock = await FolderLock.acquire(folder, runFolder.link);
  resources.add(() => lock.release());
  replaceRunFolder(folder, runFolder);
  finishReplacing(folder);
  removeIncomplete(folder);
  requireOurDatabase(databaseFolderOf(folder));
  return { folder, runPath: runFolder.path };
}

async function start(
  options: EmbeddedOptions & { readonly signs: DoorSigns },
  resources: ResourceStack,
): Promise<{ readonly connection: PoolConfig; readonly thread: DatabaseThread }> {
  const { folder, runPath } = await holdFolder(options.dataFolder, resources);
  requireNotMoved(folder);
  const worker = startWorker({
    databaseFolder: databaseFolderOf(folder),
    socketPath: join(runPath, SOCKET_NAME),
    modules: await loadWasmModules(),
    signs: options.signs.memory,
  });
  const thread = new DatabaseThread(worker, (reason) => options.onBroken(broken(folder, reason)));
  resources.add(() => endWorker(thread, options.logger));
  await untilOpened(thread, folder, options);
  // Those of earlier versions have no mark.
  markOurs(databaseFolderOf(folder));
  const connection = {
    host: runPath,
    port: PORT,
    user: 'postgres',
    database: 'postgres',
    // Spelled out, since `pg` would otherwise take them from the environment.
    password: '',
    ssl: false,
  };
  return { connection, thread };
}

function startWorker(input: WorkerInput): Worker {
  // The file has another name once compiled, and unlike an import a URL is not rewritten.
  const name = import.meta.url.endsWith('.ts') ? './database-worker.ts' : './database-worker.js';
  return new Worker(new URL(name, import.meta.url), {
    workerData: input,
    // Flags such as `--input-type` or `--test` are about the main program.
    execArgv: [],
    stdout: true,
    stderr: true,
  });
}

async function untilOpened(
  thread: DatabaseThread,
  folder: string,
  options: EmbeddedOptions,
): Promise<void> {
  const { worker } = thread;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let output = '';
  worker.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2_000);
  });
  worker.stdout.resume();
  const fail = (reason: string): void => {
    const why = complaintIn(output) ?? reason;
    if (thread.state === 'opening') reject(notOpened(folder, why));
    else thread.break(why);
  };
  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'creating') options.onCreating();
    if (message.type === 'opened') {
      thread.state = 'open';
      resolve();
    }
    if (message.type === 'failed') fail(message.reason);
    if (message.type === 'broken') thread.break(message.reason);
    if (message.type === 'warning') options.logger.warn({}, message.message);
  });
  worker.on('error', (error: Error) => {
    options.logger.warn(
      { err: error, complaint: complaintIn(output) },
      'The embedded database broke down.',
    );
    fail(error.message);
  });
  worker.on('exit', () => {
    fail('its thread ended');
  });
  await promise;
}

/** PGlite does not say that the disk is full, and a whole database is not to be restored for that. */
function notOpened(folder: string, reason: string): unknown {
  try {
    requireRoom(folder);
  } catch (error) {
    return error;
  }
  return new StoreError(
    'folder_damaged',
    `The database in the data folder ${folder} cannot be opened (${reason}); restore the folder from a backup, or give an empty one.`,
  );
}

function broken(folder: string, reason: string): StoreError {
  return new StoreError(
    'database_broken',
    `The embedded database in ${folder} has broken down (${reason}; noticed at ${new Date().toISOString()}). Nothing that was acknowledged is lost: see that its disk has free space, then start again.`,
  );
}

/** The last line of PostgreSQL's own that matters; others may quote records. */
function complaintIn(output: string): string | undefined {
  return output.match(/(?:FATAL|PANIC): .*/)?.[0];
}

async function endWorker(thread: DatabaseThread, logger: StoreLogger): Promise<void> {
  const { worker, state } = thread;
  thread.state = 'closing';
  if (state === 'broken') {
    await worker.terminate();
    return;
  }
  const { promise, resolve } = Promise.withResolvers<boolean>();
  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'closed') resolve(true);
  });
  worker.once('exit', () => {
    resolve(true);
  });
  const timer = setTimeout(() => {
    resolve(false);
  }, CLOSE_WITHIN_MS);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(CLOSE);
  if (!(await promise)) {
    logger.warn({}, 'The embedded database did not close in time; it recovers at the next start.');
  }
  clearTimeout(timer);
  await worker.terminate();
}
