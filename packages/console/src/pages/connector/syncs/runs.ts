import { useInfiniteQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.tsx';

const RUNS_A_PAGE = 20;
const FIRST_PAGE: string | undefined = undefined;

/** The last syncs of a connector, newest first, page by page. */
export function useRuns(connectorId: string) {
  const service = useService();
  return useInfiniteQuery({
    queryKey: runsKey(connectorId),
    queryFn: ({ pageParam: cursor, signal }) =>
      service.connectors.sync.runs(connectorId, { limit: RUNS_A_PAGE, cursor, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

/** What the pages of a connector's syncs are kept under. */
export function runsKey(connectorId: string): readonly string[] {
  return ['connector', connectorId, 'runs'];
}
