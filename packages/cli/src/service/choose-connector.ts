import { ConnectorError, type ConnectorInfo, type Patchbay } from '@patchbay/client';
import { quote } from '@patchbay/connectors/definitions';
import { printable } from '../output/printable.ts';

/** Which connector is meant: by its id, or as the only one of a kind, or as the only one at all. */
export interface ConnectorFlags {
  readonly connector?: string;
  readonly kind?: string;
}

/** At most so many candidates are listed in an error. */
const MAX_TOLD = 20;

/**
 * The connector that is meant.
 *
 * @throws `connector_not_found`; `invalid_request` listing the candidates where there are several;
 * `unknown_connector_type`.
 */
export async function chooseConnector(
  patchbay: Patchbay,
  { connector, kind }: ConnectorFlags,
  signal: AbortSignal,
): Promise<ConnectorInfo> {
  if (connector !== undefined) return await patchbay.connectors.get(connector, { signal });
  const filter = { limit: MAX_TOLD, ...(kind === undefined ? {} : { connector_type: kind }) };
  const { data, next } = await patchbay.connectors.list(filter, { signal });
  const [first, second] = data;
  if (first === undefined) throw noneOf(kind);
  if (second !== undefined) throw severalOf(kind, data, next !== null);
  return first;
}

function noneOf(kind: string | undefined): ConnectorError {
  const which = kind === undefined ? 'no connector' : `no connector of the kind ${quote(kind)}`;
  return new ConnectorError(
    'connector_not_found',
    { id: kind ?? '' },
    { message: `There is ${which}; make one with \`patchbay connector create\`.` },
  );
}

function severalOf(
  kind: string | undefined,
  found: readonly ConnectorInfo[],
  hasMore: boolean,
): ConnectorError {
  const ofKind = kind === undefined ? '' : ` of the kind ${quote(kind)}`;
  const told = found.map(
    ({ id, connector_type: type, name, status }) =>
      `  ${id}  ${type}  ${printable(name)}  (${status})`,
  );
  const message = [
    `There are several connectors${ofKind}; say with --connector which one is meant:`,
    ...told,
    ...(hasMore ? ['  … and more: patchbay connector list'] : []),
  ].join('\n');
  const allowed = found.map(({ id }) => id).join(', ');
  return new ConnectorError(
    'invalid_request',
    { faults: [{ field: 'connector', errorCode: 'conflict', message, allowed }] },
    { message },
  );
}
