import type { ConnectorChange } from '@patchbay/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useService } from '../../service/service.tsx';

/** Changes a connector, and has whatever shows it read it anew. */
export function useConnectorChange(id: string) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: ConnectorChange) => service.connectors.update(id, change),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['connector', id] }),
  });
}
