import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useService } from './service.tsx';

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
    queryFn: ({ signal }) => service.connectors.list({ limit: PAGE_SIZE }, { signal }),
  });
  const areMany = all.data !== undefined && all.data.next !== null;
  const found = useQuery({
    queryKey: ['connector-choices', text],
    queryFn: ({ signal }) => service.connectors.list({ limit: FOUND_SIZE, q: text }, { signal }),
    enabled: areMany && text !== '',
    placeholderData: keepPreviousData,
  });
  return areMany && text !== '' ? found : all;
}
