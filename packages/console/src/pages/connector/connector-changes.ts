import type { ConnectorChange, ConnectorInfo } from '@patchbay/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useService } from '../../service/service.tsx';

/** Changes a connector; what is shown of it follows. */
export function useConnectorChange(id: string) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    // `connectors.update` switches `disabled` for clients with a secret only, and a page has none.
    mutationFn: async (change: ConnectorChange) =>
      (await service.request('PATCH', `/v1/integrations/connectors/${id}`, {
        body: change,
      })) as ConnectorInfo,
    onSuccess: (connector) => {
      queries.setQueryData(['connector', id], connector);
      return queries.invalidateQueries({ queryKey: ['connectors'] });
    },
  });
}

/** Asks for a sync now; one that waits already serves both. */
export function useSyncRequest(id: string, onAsked: () => void) {
  const service = useService();
  return useMutation({ mutationFn: () => service.connectors.sync(id), onSuccess: onAsked });
}

/** Tries the credentials of a connector; what the upstream refuses is in the report. */
export function useCheck(id: string) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => service.connectors.check(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['connector', id], exact: true }),
  });
}

/** Where to send somebody whose consent gives a connector other credentials. */
export function useConsent(id: string) {
  const service = useService();
  return useMutation({
    mutationFn: (redirectUrl: string) =>
      service.connectors.initiateOAuth({ connector_id: id, redirect_url: redirectUrl }),
  });
}

/** Deletes a connector, its credentials and its copies. */
export function useDeletion(id: string, onDeleted: () => void) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ revoke }: { readonly revoke: boolean }) =>
      service.connectors.delete(id, { revoke }),
    onSuccess: () => {
      onDeleted();
      queries.removeQueries({ queryKey: ['connector', id] });
      return queries.invalidateQueries({ queryKey: ['connectors'] });
    },
  });
}
