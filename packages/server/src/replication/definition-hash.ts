import { createHash } from 'node:crypto';
import type { Entity } from '@patchbay/connectors';
import { copyDefinitionHash, type ConnectorRow } from '@patchbay/store';

/** Counts changes of how copies are made that no definition shows; a new number has all read anew. */
const VERSION = 1;

/** Words about the definition, which change nothing of a copy. */
const WORDS: ReadonlySet<string> = new Set(['doc', 'reference', 'description', 'howToFindOut']);

/** What of a connector decides what its copies hold. */
type Settings = Pick<ConnectorRow, 'config' | 'replicationConfig' | 'credentialsEpoch'>;

/**
 * A hash of all that decides what a copy holds: searchable fields and how the store keeps them, how
 * the entity is read, and the settings of the connector. Behind a dot, the epoch of its credentials:
 * others may reach another account, or more or less of the same one. A copy made by another one is read
 * anew, in full; a read that was begun with other credentials only goes on before that.
 */
export function definitionHashOf(
  kind: string,
  entity: Entity,
  { config, replicationConfig, credentialsEpoch }: Settings,
): string {
  const { name, key, search, replicate, actions } = entity;
  const made = {
    version: VERSION,
    entity: name,
    key,
    copy: copyDefinitionHash(kind, entity),
    fromParams: search?.fromParams,
    replicate,
    list: actions.list,
    // The config says which account of the upstream it is.
    config: sorted(config),
    replicationConfig: sorted(replicationConfig ?? {}),
  };
  const text = JSON.stringify(made, (member, value: unknown) =>
    WORDS.has(member) ? undefined : value,
  );
  return `${hashOf(text)}.${credentialsEpoch}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function sorted(settings: Readonly<Record<string, unknown>>): readonly (readonly unknown[])[] {
  return Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
