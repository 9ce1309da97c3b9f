import { ConnectorError } from './errors.ts';
import { nearestName } from './nearest-name.ts';
import { KINDS } from './kinds/index.ts';
import type { ConnectorKind } from './vocabulary/index.ts';

/** The kinds by every name they are known by, spelled as `normalise` spells it. */
const BY_NAME: ReadonlyMap<string, ConnectorKind> = new Map(
  Object.values(KINDS).flatMap((kind: ConnectorKind) =>
    [kind.kind, ...kind.aliases].map((name) => [normalise(name), kind] as const),
  ),
);

/**
 * The kind of a name or alias, in any case, with spaces, `-` and `_` alike.
 *
 * @throws `unknown_connector_type` with the kinds there are.
 * @see docs/wire.md#identifiers
 */
export function findKind(name: string): ConnectorKind {
  const kind = BY_NAME.get(normalise(name));
  if (kind !== undefined) return kind;
  const allowed = Object.keys(KINDS);
  const nearest = nearestName(name, BY_NAME.keys());
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  throw new ConnectorError(
    'unknown_connector_type',
    {
      given: normalise(name).slice(0, 80),
      allowed,
      ...(nearest === undefined ? {} : { didYouMean: nearest }),
    },
    { message: `There is no connector kind of that name; there are ${allowed.join(', ')}.${hint}` },
  );
}

/** The kind with a definition id, or `undefined`. */
export function findKindByDefinitionId(definitionId: string): ConnectorKind | undefined {
  return Object.values(KINDS).find(
    (kind: ConnectorKind) => kind.definitionId === definitionId.toLowerCase(),
  );
}

/** Every kind, in the order of the service reference. */
export function allKinds(): readonly ConnectorKind[] {
  return Object.values(KINDS);
}

/** Callers without types may give anything. */
function normalise(name: unknown): string {
  return String(name)
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '-');
}
