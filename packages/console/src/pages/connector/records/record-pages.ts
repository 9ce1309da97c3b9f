import type { Patchbay, SearchPage, UntypedHit } from '@patchbay/client';
import { isConnectorError } from '@patchbay/client';
import {
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { withPlaces, type KnownPage } from './known-pages.ts';
import { useService } from '../../../service/service.tsx';

/** A record of a copy: its key, and its searchable fields. */
export type CopiedRecord = UntypedHit;

/** The copy of an entity that is browsed. */
export interface Copy {
  readonly connectorId: string;
  readonly entity: string;
}

const PAGE_SIZE = 250;
/** How long the records of a page are kept that is out of sight. */
const KEPT_MS = 30_000;
/** How often a copy is asked for that has nothing to show yet. */
const NOT_READY_MS = 2_000;

/**
 * The pages of a copy, in the order of its keys. Of each only its place is kept: the records of those in sight are
 * read with `useRecord`, so that any number can be browsed.
 */
export function useRecordPages(copy: Copy) {
  const service = useService();
  const queries = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: [...keyOf(copy), 'pages'],
    queryFn: async ({ pageParam: cursor }) => {
      const page = await queries.fetchQuery(pageQuery({ service, queries, copy, cursor }));
      return { cursor, count: page.hits.length, next: page.next_cursor, sync: page.sync };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    // What is browsed stays as it was read: a place in a list that changes by itself is lost.
    staleTime: Infinity,
    refetchInterval: ({ state }) => (isNotReady(state.error) ? NOT_READY_MS : false),
  });
  const read = query.data?.pages;
  const pages = useMemo(() => (read === undefined ? undefined : withPlaces(read)), [read]);
  return { ...query, pages, readAnew: () => queries.resetQueries({ queryKey: keyOf(copy) }) };
}

/** A record of a known page, which may have to be read again first. */
export function useRecord(copy: Copy, page: KnownPage, index: number) {
  const service = useService();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(
    pageQuery({ service, queries, copy, cursor: page.cursor }),
  );
  const record: CopiedRecord | undefined = data?.hits[index - page.first];
  // Read again, a page may have lost a record that was deleted meanwhile.
  const isGone = data !== undefined && record === undefined;
  return { record, isGone, error, readAgain: () => void refetch() };
}

/** Whether there is nothing to search yet, as opposed to a failure. */
export function isNotReady(error: unknown): boolean {
  return isConnectorError(error) && error.code === 'search_not_ready';
}

function keyOf({ connectorId, entity }: Copy): readonly string[] {
  return ['records', connectorId, entity];
}

interface PageQuestion {
  readonly service: Patchbay;
  readonly queries: QueryClient;
  readonly copy: Copy;
  readonly cursor: string;
}

/** @see docs/search.md#pages */
function pageQuery({ service, queries, copy, cursor }: PageQuestion) {
  return queryOptions({
    queryKey: [...keyOf(copy), 'page', cursor],
    queryFn: async ({ signal }): Promise<SearchPage<UntypedHit>> => {
      const connector = await queries.fetchQuery({
        queryKey: ['call surface', copy.connectorId],
        queryFn: () => service.connector(copy.connectorId),
        staleTime: Infinity,
      });
      const params = {
        query: {},
        limit: PAGE_SIZE,
        freshness: true,
        ...(cursor === '' ? {} : { cursor }),
      };
      return connector.search(copy.entity, params, { signal });
    },
    staleTime: Infinity,
    gcTime: KEPT_MS,
    structuralSharing: false,
  });
}
