import type { ConnectorInfo, Patchbay } from '@patchbay/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useService } from './service.tsx';

interface ConnectorPage {
  readonly data: readonly ConnectorInfo[];
  readonly next: string | null;
}

/** The largest page there is. */
const PAGE_SIZE = 1_000;
/** Who looks for one types on where there are more. */
const FOUND_SIZE = 50;

/**
 * Connectors to choose from: all of them where they are few, whatever the text is, since the choice narrows them
 * down by itself; else those that the service finds by the text.
 */
export function useConnectorChoices(text: string) {
  const service = useService();
  const all = useQuery({
    queryKey: ['connector-choices', ''],
    queryFn: ({ signal }) => listConnectors(service, '', signal),
  });
  const areMany = all.data !== undefined && all.data.next !== null;
  const found = useQuery({
    queryKey: ['connector-choices', text],
    queryFn: ({ signal }) => listConnectors(service, text, signal),
    enabled: areMany && text !== '',
    placeholderData: keepPreviousData,
  });
  return areMany && text !== '' ? found : all;
}

/** The connector that an address names; asks nothing where it names none. */
export function useConnectorInfo(id: string) {
  const service = useService();
  return useQuery({
    queryKey: ['connector', id],
    queryFn: ({ signal }) => service.connectors.get(id, { signal }),
    enabled: id !== '',
  });
}

/** @see docs/wire.md#list-connectors */
async function listConnectors(
  service: Patchbay,
  text: string,
  signal: AbortSignal,
): Promise<ConnectorPage> {
  const query = new URLSearchParams(
    text === '' ? { limit: String(PAGE_SIZE) } : { limit: String(FOUND_SIZE), q: text },
  );
  const path = `/v1/integrations/connectors?${query.toString()}`;
  return (await service.request('GET', path, { signal })) as ConnectorPage;
}
