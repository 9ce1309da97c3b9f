import type { ConnectSessionInfo, ConnectSessionInfoPage } from '@patchbay/client';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useService } from '../../../service/service.tsx';

/** How far sessions can be, those first in which somebody has to do something. */
export const STATUSES = ['unconfirmed', 'open', 'succeeded', 'expired'] as const;

const SESSIONS_KEY = ['connect-sessions'] as const;
const PAGE_SIZE = 50;
const REFRESH_MS = 5_000;
/** With more pages a refresh takes as many calls. */
const FEW_PAGES = 2;
const FIRST_PAGE: string | undefined = undefined;

/** The sessions of the application that the service is called for, newest first, kept up to date. */
export function useSessionPages(status: string) {
  const service = useService();
  return useInfiniteQuery({
    queryKey: [...SESSIONS_KEY, status],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
      if (status !== '') query.set('status', status);
      if (cursor !== undefined) query.set('cursor', cursor);
      // docs/wire.md#list-sessions
      return (await service.request('GET', `/v1/connect-sessions?${query.toString()}`, {
        signal,
      })) as ConnectSessionInfoPage;
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (earlier) => earlier,
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) <= FEW_PAGES ? REFRESH_MS : false,
  });
}

/** Says that a session is its external user's: what was given in it is used from then on. */
export function useSessionConfirmation({ id, external_user_id: user }: ConnectSessionInfo) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      service.request('POST', `/v1/connect-sessions/${id}/confirm`, {
        body: { external_user_id: user },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: SESSIONS_KEY }),
  });
}
