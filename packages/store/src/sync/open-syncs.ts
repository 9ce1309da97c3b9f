import { repeatedRead } from '../repeated-read.ts';
import { clearSome, listUncleared } from './clearing.ts';
import type { Syncs } from '../contract/syncs.ts';
import { listDueConnectors } from './due-connectors.ts';
import { listEntitySyncs } from './entity-syncs.ts';
import { releaseLease, renewLease, takeLease } from './leases.ts';
import {
  beginRead,
  commitBatch,
  deleteOrphansOf,
  failRead,
  finishRead,
  type SyncStorage,
} from './reads.ts';
import { demandRun, finishRun, listRuns, requestRun, startRun } from './runs.ts';

/** State of replication in a database. */
export function openSyncs(storage: SyncStorage): Syncs {
  const { database } = storage;
  return {
    takeLease: (request) => takeLease(database, request),
    renewLease: (lease, ttlMs) => renewLease(database, lease, ttlMs),
    releaseLease: (lease) => releaseLease(database, lease),
    requestRun: (connectorId, run) => requestRun(database, connectorId, run),
    demandRun: (connectorId, run) => demandRun(database, connectorId, run),
    startRun: (lease) => startRun(database, lease),
    finishRun: (lease, end) => finishRun(database, lease, end),
    runs: (connectorId) => repeatedRead(() => listRuns(database, connectorId)),
    dueConnectors: (limit) => repeatedRead(() => listDueConnectors(database, limit)),
    entities: (connectorId, names) =>
      repeatedRead(() => listEntitySyncs(database, connectorId, names)),
    beginRead: (lease, read) => beginRead(database, lease, read),
    commitBatch: (lease, batch) => commitBatch(storage, lease, batch),
    finishRead: (lease, read) => finishRead(storage, lease, read),
    deleteOrphans: (lease, orphans) => deleteOrphansOf(storage, lease, orphans),
    failRead: (lease, failure) => failRead(database, lease, failure),
    uncleared: (limit) => repeatedRead(() => listUncleared(database, limit)),
    clearSome: (connector, limit) => clearSome(database, connector, limit),
  };
}
