import {
  allKinds,
  ConnectorError,
  describeKind,
  findKind,
  isConnectorError,
} from '@patchbay/connectors/definitions';
import type { Connector } from '@patchbay/connectors/wire';
import type { RequestOptions } from './call-options.ts';
import type { Connectors } from './connectors.ts';
import { makeSurface, type UntypedConnector } from './hosted-connector.ts';
import { RemoteConnector } from './remote-connector.ts';
import type { ServiceClient } from './service-client.ts';
import type { ConnectorSync, RunListOptions, SyncConnectors, WatchOptions } from './sync-status.ts';

interface SurfaceParts {
  readonly info: Connector;
  /** The name or alias of the kind that it has to be of; any unless said. */
  readonly wanted: string | undefined;
  readonly service: ServiceClient;
  readonly connectors: Connectors;
  readonly options: RequestOptions;
}

/**
 * The call surface of a connector, by the definition of its kind.
 *
 * @throws `connector_not_found` where it is of another kind than the one wanted.
 */
export async function openSurface({
  info: { id, connector_type: type },
  wanted,
  service,
  connectors,
  options,
}: SurfaceParts): Promise<UntypedConnector> {
  if (wanted !== undefined && canonicalName(wanted) !== type)
    throw new ConnectorError(
      'connector_not_found',
      { id },
      { message: `The connector ${id} is of the kind ${type}, not ${wanted}.` },
    );
  const kind = allKinds().find((each) => each.kind === type);
  // Only the service can describe a kind that came after this version.
  const told = kind === undefined ? await connectors.describe(id, options) : undefined;
  return makeSurface({
    remote: new RemoteConnector(service, id, kind),
    describe: () => told ?? describeKind(findKind(type)),
    check: (callOptions) => connectors.check(id, callOptions),
    sync: syncOf(connectors.sync, id),
  });
}

function syncOf(sync: SyncConnectors, id: string): ConnectorSync {
  return Object.assign((options?: RequestOptions) => sync(id, options), {
    status: (options?: RequestOptions) => sync.status(id, options),
    runs: (options?: RunListOptions) => sync.runs(id, options),
    watch: (options?: WatchOptions) => sync.watch(id, options),
  });
}

/** A name that only the service knows stays as it is. */
function canonicalName(name: string): string {
  try {
    return findKind(name).kind;
  } catch (error) {
    if (isConnectorError(error, 'unknown_connector_type')) return name;
    throw error;
  }
}
