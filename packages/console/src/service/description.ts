import type { KindDescription } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { useService } from './service.tsx';

export type EntityDescription = KindDescription['entities'][number];
export type ActionDescription = EntityDescription['actions'][number];
export type ParamDescription = ActionDescription['params'][number];
export type FieldDescription = EntityDescription['record'][number];

/** It changes with versions of the service, and with the paths that a copy has been seen to hold. */
const FRESH_MS = 300_000;

/** What a connector can do; asks nothing where there is no connector. */
export function useDescription(connectorId: string) {
  const service = useService();
  return useQuery({
    queryKey: ['connector', connectorId, 'describe'],
    queryFn: ({ signal }) => service.connectors.describe(connectorId, { signal }),
    staleTime: FRESH_MS,
    enabled: connectorId !== '',
  });
}
