import type { ConnectorFilter, ConnectorInfo } from '@patchbay/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useService } from './service.tsx';

/** How old the copies of a connector are, all together. */
export type CopyFreshness = NonNullable<ConnectorInfo['freshness']>;

/** What a list is narrowed down to; empty texts narrow nothing. */
export interface ConnectorQuestion {
  /** Part of a name, an account or an external user. */
  readonly text: string;
  readonly status: string;
}

/** All states there are, those first in which somebody has to do something. */
export const STATES = [
  'reauth_required',
  'degraded',
  'pending',
  'active',
  'paused',
  'disabled',
] as const;

const PAGE_SIZE = 200;
const REFRESH_MS = 10_000;
/** With more pages a refresh takes as many calls, so it comes more rarely. */
const RARE_REFRESH_MS = 60_000;
const FEW_PAGES = 3;

const FIRST_PAGE: string | undefined = undefined;

/** What the service is asked for; a state of the address that is none narrows nothing. */
function filterOf({ text, status }: ConnectorQuestion): ConnectorFilter {
  const known = STATES.find((state) => state === status);
  return {
    ...(text === '' ? {} : { q: text }),
    ...(known === undefined ? {} : { status: known }),
  };
}

/** The connectors that a question finds, page by page, kept up to date. */
export function useConnectorPages(question: ConnectorQuestion) {
  const service = useService();
  return useInfiniteQuery({
    queryKey: ['connectors', question.text, question.status],
    queryFn: ({ pageParam: cursor, signal }) =>
      service.connectors.list(
        { ...filterOf(question), limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) },
        { signal },
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (earlier) => earlier,
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) <= FEW_PAGES ? REFRESH_MS : RARE_REFRESH_MS,
  });
}

/** The first connectors in a state, for what needs attention. */
export function useConnectorsIn(status: string) {
  const service = useService();
  return useQuery({
    queryKey: ['connectors', '', status, 'first'],
    queryFn: ({ signal }) =>
      service.connectors.list({ ...filterOf({ text: '', status }), limit: 20 }, { signal }),
    refetchInterval: REFRESH_MS,
  });
}

/** A connector, kept up to date; asks nothing where an address names none. */
export function useConnector(id: string) {
  const service = useService();
  return useQuery({
    queryKey: ['connector', id],
    queryFn: ({ signal }) => service.connectors.get(id, { signal }),
    refetchInterval: REFRESH_MS,
    enabled: id !== '',
  });
}
