import type { Patchbay, SyncRun, SyncStatus } from '@patchbay/client';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { failureOf, type Failure } from './failure.ts';
import { useService } from './service.tsx';

/** A run as the history has it. */
export interface PastRun extends SyncRun {
  readonly entities: readonly string[];
  readonly records_read: number;
  readonly records_written: number;
  readonly records_deleted: number;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const POLL_MS = 5_000;
const HISTORY_SIZE = 50;

/**
 * How the syncs of a connector stand: told by the service as it happens while a run is under way, and asked for now
 * and then in between.
 */
export function useSyncStatus(id: string) {
  const service = useService();
  const queries = useQueryClient();
  const [lost, setLost] = useState<Failure>();
  const status = useQuery({
    queryKey: statusKey(id),
    queryFn: ({ signal }) => service.connectors.sync.status(id, { signal }),
    refetchInterval: POLL_MS,
  });
  const runId = status.data?.current?.run_id;
  useEffect(() => {
    if (runId === undefined) return;
    const watching = new AbortController();
    setLost(undefined);
    follow({ service, queries, id, runId, signal: watching.signal }).catch((error: unknown) => {
      if (!watching.signal.aborted) setLost(failureOf(error));
    });
    return () => watching.abort();
  }, [service, queries, id, runId]);
  return { ...status, isLive: runId !== undefined && lost === undefined, lost };
}

/** The runs of a connector, newest first. */
export function useRunHistory(id: string) {
  const service = useService();
  return useQuery({
    queryKey: ['connector', id, 'runs'],
    queryFn: async ({ signal }) => {
      const path = `/v1/integrations/connectors/${id}/sync/runs?limit=${HISTORY_SIZE}`;
      const answer = await service.request('GET', path, { signal });
      // docs/wire.md, "History of syncs"
      return (answer as { readonly data: readonly PastRun[] }).data;
    },
  });
}

interface Following {
  readonly service: Patchbay;
  readonly queries: QueryClient;
  readonly id: string;
  readonly runId: string;
  readonly signal: AbortSignal;
}

async function follow({ service, queries, id, runId, signal }: Following): Promise<void> {
  for await (const status of service.connectors.sync.watch(id, { runId, signal }))
    queries.setQueryData<SyncStatus>(statusKey(id), status);
  // The run is over: what it changed is read anew, the connector's state and figures included.
  await queries.invalidateQueries({ queryKey: ['connector', id] });
}

function statusKey(id: string) {
  return ['connector', id, 'sync'];
}
