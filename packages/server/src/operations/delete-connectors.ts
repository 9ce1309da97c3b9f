import type { Store } from '@patchbay/store';
import { inPieces } from '../in-pieces.ts';
import type { SyncRequests } from './connectors.ts';
import type { LiveConnectors } from './live-connectors.ts';

export interface ConnectorDeletionParts {
  readonly store: { readonly connectors: Pick<Store['connectors'], 'deleteSome'> };
  readonly live: Pick<LiveConnectors, 'forget'>;
  readonly syncs: Pick<SyncRequests, 'clear'>;
}

type Filter = Parameters<Store['connectors']['deleteSome']>[0];

/** As many as the embedded database deletes within some 30 ms, for which others wait. */
const CONNECTORS_AT_ONCE = 100;

/**
 * Deletes all connectors of an application, or of one of its external users, as calls that delete them one by one
 * would. What a crash, or the signal, leaves undone is there to be deleted again.
 *
 * @returns How many there were that nobody else deleted meanwhile.
 */
export async function deleteConnectorsOf(
  { store, live, syncs }: ConnectorDeletionParts,
  filter: Filter,
  {
    jobId,
    leavesCredentials = false,
    signal,
  }: {
    readonly jobId: string;
    readonly leavesCredentials?: boolean;
    readonly signal?: AbortSignal;
  },
): Promise<number> {
  let all = 0;
  const piece = async (limit: number) => {
    const options = { leavesCredentials, limit };
    const { ids, deleted } = await store.connectors.deleteSome(filter, jobId, options);
    for (const id of ids) {
      live.forget(id);
      syncs.clear(id, 'deleted');
    }
    all += deleted;
    return ids.length;
  };
  await inPieces(piece, {
    rowsAtOnce: CONNECTORS_AT_ONCE,
    ...(signal === undefined ? {} : { signal }),
  });
  return all;
}
