import { ConnectorError } from './errors.ts';
import { nearestName } from './nearest-name.ts';
import { quote } from './json-value.ts';
import { KINDS } from './kinds/index.ts';
import { distributed, distributionNamesOf, type ConnectorKind } from './vocabulary/index.ts';

/** The kinds by every name they are known by, spelled as `normalise` spells it. */
const BY_NAME: ReadonlyMap<string, ConnectorKind> = new Map(
  Object.values(KINDS).flatMap((kind: ConnectorKind) =>
    [kind.kind, ...kind.aliases].map((name) => [normalise(name), kind] as const),
  ),
);

/**
 * The kind of a name or alias, in any case, with spaces, `-` and `_` alike.
 *
 * @throws `unknown_connector_type` with the names there are, aliases too.
 * @see docs/wire.md#identifiers
 */
export function findKind(name: string): ConnectorKind {
  const kind = BY_NAME.get(normalise(name));
  if (kind !== undefined) return kind;
  const likely = likelyNames(name);
  const [only] = likely;
  const hint =
    only === undefined ? '' : ` Did you mean ${likely.map((each) => `"${each}"`).join(' or ')}?`;
  throw new ConnectorError(
    'unknown_connector_type',
    {
      given: normalise(name).slice(0, 80),
      allowed: allKinds().flatMap(({ kind: canonical, aliases }) => [canonical, ...aliases]),
      // Of several, none is what was meant rather than another.
      ...(only === undefined || likely.length > 1 ? {} : { didYouMean: only }),
    },
    { message: `There is no connector kind of that name; there are ${kindsInWords()}.${hint}` },
  );
}

/** Every kind with its aliases, for people: `chat-workspace (or slack), …`. */
export function kindsInWords(kinds: readonly ConnectorKind[] = allKinds()): string {
  return kinds.map(({ kind, aliases }) => `${kind} (or ${aliases.join(', ')})`).join(', ');
}

/** The name that is misspelled, or those that have the given one among their words, one of each kind. */
function likelyNames(given: string): readonly string[] {
  const nearest = nearestName(given, BY_NAME.keys());
  if (nearest !== undefined) return [nearest];
  const word = `-${normalise(given)}-`;
  return allKinds().flatMap(({ kind, aliases }) => {
    const name = [kind, ...aliases].find((each) => `-${normalise(each)}-`.includes(word));
    return name === undefined ? [] : [name];
  });
}

/**
 * The kind as it is for an app that is distributed in one of the ways it knows, or in the usual one.
 *
 * @throws `unknown_connector_type`; `invalid_config` with the distributions of the kind.
 */
export function findKindOfApp(name: string, distribution: unknown): ConnectorKind {
  const kind = findKind(name);
  if (distribution === undefined) return kind;
  const names = distributionNamesOf(kind);
  const found = names.find((each) => each === distribution);
  if (found !== undefined) return distributed(kind, found);
  const isAlike = names.length === 0;
  const allowed = isAlike ? 'absent, since all apps are alike here' : `one of ${names.join(', ')}`;
  const message = `must be ${allowed}, got ${quote(distribution)}`;
  throw new ConnectorError(
    'invalid_config',
    { faults: [{ field: 'distribution', errorCode: 'not_allowed', message, allowed }] },
    { message: `Wrong options: distribution ${message}` },
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
