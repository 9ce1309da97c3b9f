import { ConnectorError } from '@patchbay/connectors';

/** Of a path that no route has, or that does not want to be found. */
export function routeNotFound(): ConnectorError<'route_not_found'> {
  return new ConnectorError(
    'route_not_found',
    {},
    { message: 'There is no such route; / says where they are listed.' },
  );
}
