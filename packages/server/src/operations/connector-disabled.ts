import { ConnectorError } from '@patchbay/connectors';
import type { ConnectorRow } from '@patchbay/store';

/**
 * Lets pass what may be asked of a connector.
 *
 * @throws `connector_disabled`, with the request that ends it.
 */
export function requireEnabled({ id, isDisabled }: Pick<ConnectorRow, 'id' | 'isDisabled'>): void {
  if (!isDisabled) return;
  throw new ConnectorError(
    'connector_disabled',
    {},
    {
      message: `The connector is disabled: it answers no calls and searches, and is not copied. Its application can enable it: PATCH /v1/integrations/connectors/${id} {"disabled":false}`,
    },
  );
}
