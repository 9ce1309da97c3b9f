import type { CopyContext } from '../copies/copy-context.ts';
import { settleCopy } from '../copies/settle-copy.ts';
import type { Database } from '../database.ts';
import { clearSome, listUncleared } from './clearing.ts';
import type { Syncs } from './contract.ts';
import { listDueConnectors } from './due-connectors.ts';
import { listEntitySyncs } from './entity-syncs.ts';
import { releaseLease, renewLease, takeLease } from './leases.ts';
import { beginRead, commitPage, deleteOrphansOf, failRead, finishRead } from './reads.ts';
import { finishRun, listRuns, requestRun, startRun } from './runs.ts';

/** State of replication in a database. */
export function openSyncs(database: Database, context: CopyContext): Syncs {
  return {
    takeLease: (request) => takeLease(database, request),
    renewLease: (lease, ttlMs) => renewLease(database, lease, ttlMs),
    releaseLease: (lease) => releaseLease(database, lease),
    requestRun: (connectorId, run) => requestRun(database, connectorId, run),
    startRun: (lease) => startRun(database, lease),
    finishRun: (lease, runId, outcome) => finishRun(database, lease, runId, outcome),
    runs: (connectorId) => listRuns(database, connectorId),
    dueConnectors: (limit) => listDueConnectors(database, limit),
    entities: (connectorId, names) => listEntitySyncs(database, connectorId, names),
    beginRead: (lease, read) => beginRead(database, lease, read),
    commitPage: (lease, page) => commitPage(database, context, lease, page),
    finishRead: async (lease, read) => {
      // Before the read counts as complete: should it fail, the end of the read is taken again.
      await settleCopy(database, context, read);
      return await finishRead(database, context, lease, read);
    },
    deleteOrphans: (lease, orphans) => deleteOrphansOf(database, context, lease, orphans),
    failRead: (lease, failure) => failRead(database, lease, failure),
    uncleared: (limit) => listUncleared(database, limit),
    clearSome: (connector, limit) => clearSome(database, connector, limit),
  };
}
