import type { Freshness, Patchbay, SearchPage, UntypedHit } from '@patchbay/client';
import { isConnectorError } from '@patchbay/client';
import {
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { useService } from '../../../service/service.tsx';

/** A record of a copy: its key, and its searchable fields. */
export type CopiedRecord = UntypedHit;

/** The copy of an entity that is browsed. */
export interface Copy {
  readonly connectorId: string;
  readonly entity: string;
}

/** A page that has been read once: where it is, without what is in it. */
export interface KnownPage {
  /** Which page it is; empty for the first. */
  readonly cursor: string;
  /** The first record of it among all; 0 for the first page. */
  readonly first: number;
  readonly count: number;
  readonly next: string | null;
  /** How fresh the copy was when it was read. */
  readonly sync: Freshness;
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

/** A record of a known page; `undefined` while the page is read again. */
export function useRecord(copy: Copy, page: KnownPage, index: number): CopiedRecord | undefined {
  const service = useService();
  const queries = useQueryClient();
  const { data } = useQuery(pageQuery({ service, queries, copy, cursor: page.cursor }));
  return data?.hits[index - page.first];
}

/** The page with a record, by its place among all. */
export function pageWith(pages: readonly KnownPage[], index: number): KnownPage | undefined {
  let [low, high] = [0, pages.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pages[middle]?.first ?? Infinity) <= index) low = middle;
    else high = middle - 1;
  }
  const page = pages[low];
  return page !== undefined && index < page.first + page.count ? page : undefined;
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
      const params = { query: {}, limit: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) };
      return connector.search(copy.entity, params, { signal });
    },
    staleTime: Infinity,
    gcTime: KEPT_MS,
    structuralSharing: false,
  });
}

function withPlaces(read: readonly Omit<KnownPage, 'first'>[]): readonly KnownPage[] {
  let first = 0;
  return read.map((page) => {
    const placed = { ...page, first };
    first += page.count;
    return placed;
  });
}
