import { createHash } from 'node:crypto';
import type { Entity } from '@patchbay/connectors';
import { isJsonObject } from '@patchbay/connectors/engine';
import { copyDefinitionHash, type ConnectorRow } from '@patchbay/store';

/** Counts changes of how copies are made that no definition shows; a new number has all read anew. */
const VERSION = 2;

/** Members of definitions that change nothing of a copy: words, how the params of callers are checked, and what a read waits for, or whom. */
const IDLE: ReadonlySet<string> = new Set([
  'doc',
  'reference',
  'description',
  'howToFindOut',
  'schema',
  'expects',
  'isRequired',
  'role',
  'unit',
  'hiddenSeconds',
  'budget',
]);

/** What of a connector decides what its copies hold. */
type Settings = Pick<ConnectorRow, 'config' | 'replicationConfig' | 'credentialsEpoch'>;

/**
 * A hash of all that decides what a copy holds: searchable fields and how the store keeps them, how
 * the entity is read, and the settings of the connector. Params that only callers give decide nothing.
 * Behind a dot, the epoch of its credentials: others may reach another account, or more or less of the
 * same one. A copy made by another one is read anew, in full; a read that was begun with other
 * credentials only goes on before that.
 */
export function definitionHashOf(
  kind: string,
  entity: Entity,
  { config, replicationConfig, credentialsEpoch }: Settings,
): string {
  const { name, key, search, replicate, actions } = entity;
  const { list } = actions;
  const paging = list?.verb === 'list' ? list.paging : undefined;
  const given = new Set(namesIn([replicate, paging]));
  const made = {
    version: VERSION,
    entity: name,
    key,
    copy: copyDefinitionHash(kind, entity),
    fromParams: search?.fromParams,
    replicate,
    list,
    // The config says which account of the upstream it is.
    config: sorted(config),
    replicationConfig: sorted(replicationConfig ?? {}),
  };
  const text = JSON.stringify(made, (member, value: unknown) => {
    if (IDLE.has(member)) return undefined;
    return isDeclaredParams(value) ? only(value, given) : value;
  });
  return `${hashOf(text)}.${credentialsEpoch}`;
}

/** Whether a copy with the hash `made` is what `wanted` stands for. */
export function isSameMaking(made: string | null, wanted: string, settings: Settings): boolean {
  return made === wanted || made === hashOfFirstRelease(settings);
}

/**
 * What step 4 of the schema has put in place of the hashes of version 0.1 that matched: that version
 * took more of the definitions into its hashes, so that they cannot be told from those of today. Copies
 * get one of today with their next full read, within a week. To be removed in version 0.3.
 */
function hashOfFirstRelease({ config, replicationConfig, credentialsEpoch }: Settings): string {
  const settings = JSON.stringify(config) + JSON.stringify(replicationConfig);
  return `first-release-${hashOf(settings)}.${credentialsEpoch}`;
}

/** The params of a list or action, by name. */
function isDeclaredParams(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) return false;
  const params = Object.values(value);
  return params.length > 0 && params.every((each) => isJsonObject(each) && 'expects' in each);
}

function only(
  params: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => names.has(name)));
}

/** Every text in a definition that may be the name of a param; those of declared params are not. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isJsonObject(value) || isDeclaredParams(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...namesIn(each)]);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function sorted(settings: Readonly<Record<string, unknown>>): readonly (readonly unknown[])[] {
  return Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
