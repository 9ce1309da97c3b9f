import type { EntitySyncStatus, SyncRun } from '@patchbay/connectors/wire';
import type { JsonObject } from '../host.ts';
import { CONNECTOR_ARGUMENT, resolveConnector } from './resolve-connector.ts';
import { callOptionsOf, READS, type Tool } from './tool.ts';

const NO_COPY =
  'Open source mode keeps no copy: nothing is synced, and search is not available. Read with execute, which asks the upstream itself.';

/** How fresh the copies are that searches read. */
export const syncStatus: Tool = {
  name: 'sync_status',
  title: 'Sync status',
  describe: ({ mode }) =>
    mode === 'hosted'
      ? 'Tells how fresh and complete the searchable copy of each entity of a connector is, and whether a sync runs.'
      : 'Tells about the searchable copies of a connector; there are none in open source mode.',
  annotate: () => READS,
  argumentsOf: () => ({ connector: CONNECTOR_ARGUMENT }),
  run: async (args, context) => {
    const id = await resolveConnector(context, args);
    const status = await context.host.syncStatus(id, callOptionsOf(context));
    if (status === undefined) return { connector: id, has_copy: false, note: NO_COPY };
    const { current, last, entities } = status;
    return {
      connector: id,
      has_copy: true,
      current: current === null ? null : runOf(current),
      last: last === null ? null : runOf(last),
      entities: entities.map(entityOf),
    };
  },
};

function runOf({ run_id, cause, state, started_at, finished_at }: SyncRun): JsonObject {
  return { run_id, cause, state, started_at, finished_at };
}

/** What decides whether a search can be trusted; the rest is for operators. */
function entityOf(sync: EntitySyncStatus): JsonObject {
  const { entity, state, complete, as_of, entity_count, records, error } = sync;
  return {
    entity,
    state,
    complete,
    as_of,
    entity_count,
    ...(records === null ? {} : { records_in_this_read: records }),
    ...(error === null ? {} : { error }),
  };
}
