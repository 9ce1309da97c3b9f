import type { Patchbay, SyncRun } from '@patchbay/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.tsx';

/** A sync of a connector with what it did. */
export interface SyncRunReport extends SyncRun {
  /** Those that it has read, or tried to. */
  readonly entities: readonly string[];
  readonly records_read: number;
  readonly records_written: number;
  readonly records_deleted: number;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly entity: string | null;
  } | null;
}

interface SyncRunPage {
  readonly data: readonly SyncRunReport[];
  readonly next: string | null;
}

const RUNS_A_PAGE = 20;

/** The last syncs of a connector, newest first, page by page. */
export function useRuns(connectorId: string) {
  const service = useService();
  return useInfiniteQuery({
    queryKey: runsKey(connectorId),
    queryFn: ({ pageParam: cursor, signal }) => listRuns(service, connectorId, { cursor, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

/** What the pages of a connector's syncs are kept under. */
export function runsKey(connectorId: string): readonly string[] {
  return ['connector', connectorId, 'runs'];
}

/** @see docs/wire.md#syncs */
async function listRuns(
  service: Patchbay,
  connectorId: string,
  { cursor, signal }: { readonly cursor: string; readonly signal: AbortSignal },
): Promise<SyncRunPage> {
  const query = new URLSearchParams({ limit: String(RUNS_A_PAGE) });
  if (cursor !== '') query.set('cursor', cursor);
  const path = `/v1/integrations/connectors/${connectorId}/sync/runs?${query.toString()}`;
  return (await service.request('GET', path, { signal })) as SyncRunPage;
}
