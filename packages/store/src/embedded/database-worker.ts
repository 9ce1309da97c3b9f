/** The thread that runs the embedded database, so that a long query never stalls the main one. */
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { createDatabase, openDatabase } from './create-database.ts';
import { hasDatabase } from './data-folder.ts';
import { DoorSigns } from './door-signs.ts';
import { shortenLog, tidyTables } from './maintenance.ts';
import { WireServer } from './wire-server.ts';
import { CLOSE, type WorkerInput, type WorkerMessage } from './worker-messages.ts';

const SHORTEN_LOG_EVERY_MS = 1_000;
const TIDY_TABLES_EVERY_MS = 10_000;
const BEAT_EVERY_MS = 500;

// Proof: openEmbedded, the only one to start this file, passes a `WorkerInput`.
await serve(workerData as WorkerInput).catch((error: unknown) => {
  tell({ type: 'failed', reason: error instanceof Error ? error.message : inspect(error) });
});

async function serve(input: WorkerInput): Promise<void> {
  if (!hasDatabase(input.databaseFolder)) {
    tell({ type: 'creating' });
    await createDatabase(input.databaseFolder, input.modules);
  }
  const database = await openDatabase(input.databaseFolder, input.modules);
  const signs = new DoorSigns(input.signs);
  const beating = setInterval(() => signs.beat(), BEAT_EVERY_MS);
  const server = new WireServer({
    database,
    signs,
    onBroken: (reason) => {
      tell({ type: 'broken', reason });
    },
    onWarning: (message) => {
      tell({ type: 'warning', message });
    },
  });
  await server.listen(input.socketPath);
  const maintain = (work: (database: PGlite) => Promise<void>, everyMs: number) =>
    setInterval(() => {
      server.runAlone('replication', work).catch((error: unknown) => {
        tell({ type: 'warning', message: `Database maintenance failed: ${String(error)}` });
      });
    }, everyMs);
  const shortening = maintain(shortenLog, SHORTEN_LOG_EVERY_MS);
  const tidying = maintain((open) => tidyTables(open, signs.quietMs), TIDY_TABLES_EVERY_MS);
  parentPort?.on('message', (message: unknown) => {
    if (message !== CLOSE) return;
    clearInterval(shortening);
    clearInterval(tidying);
    clearInterval(beating);
    void close(server, database);
  });
  tell({ type: 'opened' });
}

async function close(
  server: WireServer,
  database: Awaited<ReturnType<typeof openDatabase>>,
): Promise<void> {
  await server.close();
  await database.close();
  tell({ type: 'closed' });
  parentPort?.close();
}

function tell(message: WorkerMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}
