import { ConnectorError, isConnectorError } from '@patchbay/connectors';
import { isStoreError } from '@patchbay/store';

/** An error in the terms of the error table: what nobody foresaw is `internal`. */
export function asConnectorError(error: unknown): ConnectorError {
  if (isConnectorError(error)) return error;
  if (isStoreError(error))
    return new ConnectorError(
      'not_ready',
      { retryAfterSeconds: 1 },
      { message: 'The database cannot be used at the moment.', cause: error },
    );
  return new ConnectorError('internal', {}, { cause: error });
}
