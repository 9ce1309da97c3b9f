import type { UntypedHit } from '@patchbay/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useService } from './service.tsx';

/** A page of the copy of an entity. */
export interface RecordPage {
  readonly hits: readonly UntypedHit[];
  readonly next_cursor: string | null;
  readonly took_ms: number;
  readonly sync: {
    readonly state: string;
    readonly as_of: string | null;
    readonly complete: boolean;
    readonly lag_seconds: number | null;
  };
}

const PAGE_SIZE = 100;

/** The copy of an entity from its beginning on: a search without conditions. */
export function useRecords(id: string, entity: string) {
  const service = useService();
  return useInfiniteQuery({
    queryKey: ['connector', id, 'records', entity],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const params = {
        query: { filter: {} },
        limit: PAGE_SIZE,
        ...(cursor === '' ? {} : { cursor }),
      };
      const path = `/api/v1/connectors/sources/${id}/execute`;
      const body = { entity, action: 'search', params };
      const answer = await service.request('POST', path, { body, signal });
      // docs/wire.md#search
      return (answer as { readonly result: RecordPage }).result;
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
}
