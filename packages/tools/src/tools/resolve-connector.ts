import {
  allKinds,
  ConnectorError,
  findKind,
  isConnectorError,
  nearestName,
  quote,
  type Fault,
  type Member,
} from '@patchbay/connectors/definitions';
import { Type } from 'typebox';
import type { HostConnector, JsonObject, ToolHost } from '../host.ts';
import { callOptionsOf, type ToolContext } from './tool.ts';

/** The argument `connector`. */
export const CONNECTOR_ARGUMENT: Member = {
  schema: Type.String({
    description: 'Id, or kind if it is the only one; may be left out if there is one connector.',
  }),
  isRequired: false,
  expects: 'the id or kind of a connector',
};

/** At most so many connectors are listed in an error. */
const MAX_TOLD = 20;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The id of the connector that is meant: by its id, by its kind or name where no other has it, or,
 * where nothing is given, the only one.
 *
 * @param args The arguments of the tool, with `connector`, and `entity` where the tool has it.
 * @throws `connector_not_found`, `invalid_request` where several fit; both list those there are, and the latter
 *   says which is the only one that has the entity.
 */
export async function resolveConnector(
  context: ToolContext,
  { connector: given, entity }: JsonObject,
): Promise<string> {
  // The host says whether there is one of that id; no need to read them all.
  if (typeof given === 'string' && context.host.mode === 'hosted' && UUID.test(given)) return given;
  const connectors = await context.host.connectors(callOptionsOf(context));
  const found = typeof given === 'string' ? findConnectors(connectors, given) : connectors;
  const [first, second] = found;
  if (first === undefined) throw noneOf(connectors, given, context.host.mode);
  if (second !== undefined) throw severalOf(found, { given, entity });
  return first.id;
}

function findConnectors(
  connectors: readonly HostConnector[],
  given: string,
): readonly HostConnector[] {
  const byId = connectors.filter(({ id }) => id === given);
  if (byId.length > 0) return byId;
  const kindName = kindNameOf(given);
  const byKind = connectors.filter(({ kind }) => kind === kindName || kind === given);
  if (byKind.length > 0) return byKind;
  return connectors.filter(({ name }) => name.toLowerCase() === given.toLowerCase());
}

function kindNameOf(given: string): string | undefined {
  try {
    return findKind(given).kind;
  } catch (error) {
    // It may be the name of a connector, or of a kind that only the service knows.
    if (isConnectorError(error, 'unknown_connector_type')) return undefined;
    throw error;
  }
}

function aliasesOf(kindName: string): readonly string[] {
  return allKinds().find(({ kind }) => kind === kindName)?.aliases ?? [];
}

function noneOf(
  connectors: readonly HostConnector[],
  given: unknown,
  mode: ToolHost['mode'],
): ConnectorError {
  if (connectors.length === 0)
    return new ConnectorError(
      'connector_not_found',
      { id: typeof given === 'string' ? given.slice(0, 64) : '' },
      {
        message:
          mode === 'hosted'
            ? 'There are no connectors yet; somebody has to create one at the service first.'
            : 'There are no connectors; whoever set up these tools has to give them some.',
      },
    );
  const names = connectors.flatMap(({ id, kind, name }) => [id, kind, ...aliasesOf(kind), name]);
  const didYouMean = nearestName(given, names);
  const hint = didYouMean === undefined ? '' : ` Did you mean ${quote(didYouMean)}?`;
  return new ConnectorError(
    'connector_not_found',
    {
      id: String(given).slice(0, 64),
      allowed: idsOf(connectors),
      ...(didYouMean === undefined ? {} : { didYouMean }),
    },
    { message: `No connector is ${quote(given)}; there are ${told(connectors)}.${hint}` },
  );
}

function severalOf(
  connectors: readonly HostConnector[],
  { given, entity }: { readonly given: unknown; readonly entity: unknown },
): ConnectorError {
  const allowed = idsOf(connectors).join(', ');
  const [only, ...others] = connectors.filter(({ kind }) => hasEntity(kind, entity));
  const didYouMean = others.length === 0 ? only?.id : undefined;
  const hint = didYouMean === undefined ? '' : `; only ${quote(didYouMean)} has ${quote(entity)}`;
  const message =
    given === undefined
      ? `is required, as there are several connectors: ${told(connectors)}${hint}`
      : `${quote(given)} fits several connectors: ${told(connectors)}${hint}`;
  const fault: Fault = {
    field: 'connector',
    errorCode: given === undefined ? 'missing' : 'conflict',
    message,
    allowed,
    ...(didYouMean === undefined ? {} : { didYouMean }),
  };
  return new ConnectorError(
    'invalid_request',
    { faults: [fault] },
    { message: `connector ${message}` },
  );
}

/** As far as this version knows the kind. */
function hasEntity(kindName: string, entity: unknown): boolean {
  const { entities = {} } = allKinds().find(({ kind }) => kind === kindName) ?? {};
  return Object.values(entities).some(({ name }) => name === entity);
}

function idsOf(connectors: readonly HostConnector[]): readonly string[] {
  return connectors.slice(0, MAX_TOLD).map(({ id }) => id);
}

function told(connectors: readonly HostConnector[]): string {
  const shown = connectors.slice(0, MAX_TOLD).map(({ id, kind, name }) => {
    const kindNames = id === kind ? aliasesOf(kind) : [kind, ...aliasesOf(kind)];
    return `${id} (${kindNames.map((each) => `${each}, `).join('')}${quote(name)})`;
  });
  const more = connectors.length > MAX_TOLD ? ', and more' : '';
  return shown.join(', ') + more;
}
