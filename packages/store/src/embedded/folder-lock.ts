import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { StoreError } from '../store-error.ts';

const LOCK_PREFIX = 'lock-';
const LOCK_NAME = /^lock-[0-9a-f]{12}$/;
const HELD = 'held';

/** How long another process may take to say whether it holds the lock; a stopped one never does. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * Makes sure that one process at a time uses a folder, for as long as that process lives: each one
 * listens on a socket in the folder, which dies with it. A file with a process id would still be
 * there after `kill -9`, and means nothing to another container that shares the folder.
 *
 * There is no single name to fight over. Everybody first publishes a socket under a name of its
 * own, then asks all the others. So of two that start at once at least one sees the other; the one
 * with the lower name goes first, and the lower one waits to hear what became of the higher one.
 * A published socket that refuses connections belongs to a dead process, and since no name is ever
 * used twice, it can be removed without a race.
 */
export class FolderLock {
  readonly #folder: string;
  readonly #name: string;
  readonly #server: Server;
  readonly #waiting = new Set<Socket>();
  #isHeld = false;

  /**
   * @param folder The folder to lock.
   * @param shortFolder The same folder under a short path, as socket paths are limited.
   * @throws `folder_in_use`, `folder_not_usable`
   */
  static async acquire(folder: string, shortFolder: string): Promise<FolderLock> {
    const lock = new FolderLock(shortFolder);
    try {
      await lock.#publish(folder);
      await lock.#outlastOthers(folder);
    } catch (error) {
      await lock.release();
      throw error;
    }
    lock.#hold();
    return lock;
  }

  private constructor(shortFolder: string) {
    this.#folder = shortFolder;
    this.#name = LOCK_PREFIX + randomBytes(6).toString('hex');
    this.#server = createServer((socket) => {
      this.#answer(socket);
    });
  }

  async release(): Promise<void> {
    rmSync(join(this.#folder, this.#name), { force: true });
    for (const socket of this.#waiting) socket.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => {
      resolve();
    });
    await promise;
  }

  /** Listens before the name is published: a published name that refuses is surely dead. */
  async #publish(folder: string): Promise<void> {
    const draft = join(this.#folder, this.#name.replace(LOCK_PREFIX, 'draft-'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(draft, resolve);
    try {
      await promise;
      renameSync(draft, join(this.#folder, this.#name));
    } catch (error) {
      throw new StoreError(
        'folder_not_usable',
        `Cannot lock the data folder ${folder} (${reasonOf(error)}); it must be writable and on a file system that holds Unix sockets.`,
        { cause: error },
      );
    }
  }

  async #outlastOthers(folder: string): Promise<void> {
    for (const name of lockNames(this.#folder)) {
      if (name === this.#name) continue;
      if (await this.#yieldsTo(name)) throw folderInUse(folder);
    }
  }

  /** Whether this process must give way to the one behind the other name. */
  async #yieldsTo(name: string): Promise<boolean> {
    const path = join(this.#folder, name);
    const socket = connect(path);
    try {
      if (!(await isAlive(socket))) {
        rmSync(path, { force: true });
        return false;
      }
      // One that is too busy to take the connection, or is stopped, says nothing more.
      return name < this.#name || socket.destroyed || (await isHeldBehind(socket));
    } finally {
      socket.destroy();
    }
  }

  #hold(): void {
    this.#isHeld = true;
    for (const socket of this.#waiting) socket.end(HELD);
  }

  #answer(socket: Socket): void {
    this.#waiting.add(socket);
    socket.on('close', () => this.#waiting.delete(socket));
    // Whoever asked has gone; `close` follows.
    socket.on('error', () => socket.destroy());
    if (this.#isHeld) socket.end(HELD);
  }
}

/**
 * Whether a process holds the lock of a folder now. Unlike whoever wants it, this changes nothing there.
 *
 * @param shortFolder The folder under a short path, as socket paths are limited.
 */
export async function isHeld(shortFolder: string): Promise<boolean> {
  for (const name of lockNames(shortFolder)) {
    const socket = connect(join(shortFolder, name));
    try {
      // One that is too busy to take the connection says nothing more.
      if ((await isAlive(socket)) && (socket.destroyed || (await isHeldBehind(socket))))
        return true;
    } finally {
      socket.destroy();
    }
  }
  return false;
}

function lockNames(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => LOCK_NAME.test(entry.name) && !entry.isDirectory())
    .map(({ name }) => name);
}

async function isAlive(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => {
    resolve(true);
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    // Anything else, such as a full backlog, is a sign of life.
    resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
  });
  return await promise;
}

async function isHeldBehind(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.setTimeout(ANSWER_WITHIN_MS, () => {
    resolve(true);
  });
  socket.once('data', () => {
    resolve(true);
  });
  socket.once('close', () => {
    resolve(false);
  });
  return await promise;
}

function folderInUse(folder: string): StoreError {
  return new StoreError(
    'folder_in_use',
    `The data folder ${folder} is in use by another Patchbay process; stop that one, or give this one another data folder, or give both one PostgreSQL database.`,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
