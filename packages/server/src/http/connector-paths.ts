import { pathParameter } from './require-body.ts';
import type { Call } from './route.ts';

export const COLLECTION = '/v1/integrations/connectors';
/** For clients of other generations. */
export const ALSO_COLLECTION = '/api/v1/integrations/connectors';
export const ITEM = `${COLLECTION}/:id`;
export const ALSO_ITEM = `${ALSO_COLLECTION}/:id`;

/** The connector id of the path, noted for the log where it can be one. */
export function noteConnector(call: Call): string {
  const id = pathParameter(call, 'id');
  call.log.connectorId = id.slice(0, 36);
  return id;
}
