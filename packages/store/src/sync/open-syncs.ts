import type { CopyContext } from '../copies/open-copy.ts';
import type { Database } from '../database.ts';
import type { Lane } from '../contract/lane-use.ts';
import { repeatedRead } from '../repeated-read.ts';
import { clearSome } from './clearing.ts';
import type { Syncs } from '../contract/syncs.ts';
import { DueConnectors } from './due-connectors.ts';
import { listEntitySyncs } from './entity-syncs.ts';
import { releaseLease, renewLease, takeLease } from './leases.ts';
import { wakeMisdated } from './misdated.ts';
import {
  beginRead,
  commitBatch,
  deleteOrphansOf,
  failRead,
  finishRead,
  noteTrouble,
} from './reads.ts';
import { demandRun, finishRun, listRunHistory, listRuns, requestRun, startRun } from './runs.ts';
import { listStandings } from './standings.ts';
import { isDue, keepUncleared, listUncleared, takeUncleared } from '../sync-queue.ts';

/** State of replication in a database. */
export function openSyncs(
  { control, calls, replication }: Readonly<Record<Lane, Database>>,
  copies: CopyContext,
): Syncs {
  const storage = { database: replication, copies };
  const due = new DueConnectors(replication);
  return {
    takeLease: (request) => takeLease(control, request),
    renewLease: (lease, ttlMs) => renewLease(control, lease, ttlMs),
    releaseLease: (lease) => releaseLease(control, lease),
    requestRun: (connectorId, run) => requestRun(calls, connectorId, run),
    demandRun: (connectorId, run) => demandRun(calls, connectorId, run),
    startRun: (lease, scheduled) => startRun(replication, lease, scheduled),
    finishRun: (lease, end) => finishRun(replication, lease, end),
    runs: (connectorId) => repeatedRead(() => listRuns(calls, connectorId)),
    runHistory: (connectorId, page) => repeatedRead(() => listRunHistory(calls, connectorId, page)),
    standings: (of) => repeatedRead(() => listStandings(calls, of)),
    dueConnectors: (limit, except) => repeatedRead(() => due.list(limit, except)),
    wakeMisdated: (dates) => wakeMisdated(replication, dates),
    isDue: (connectorId) => repeatedRead(() => isDue(replication, connectorId)),
    entities: (connectorId, names) =>
      repeatedRead(() => listEntitySyncs(calls, connectorId, names)),
    beginRead: (lease, read) => beginRead(replication, lease, read),
    commitBatch: (lease, batch) => commitBatch(storage, lease, batch),
    finishRead: (lease, read) => finishRead(storage, lease, read),
    deleteOrphans: (lease, orphans) => deleteOrphansOf(storage, lease, orphans),
    noteTrouble: (lease, trouble) => noteTrouble(replication, lease, trouble),
    failRead: (lease, failure) => failRead(replication, lease, failure),
    uncleared: (limit) => repeatedRead(() => listUncleared(replication, limit)),
    takeUncleared: (ttlMs) => takeUncleared(replication, ttlMs),
    keepUncleared: (connectorId, ttlMs) => keepUncleared(replication, connectorId, ttlMs),
    clearSome: (connector, limit) => clearSome(replication, connector, limit),
  };
}
