import type { KnownSettings } from '@patchbay/store';
import { loadKeyFile } from './key-file.ts';
import type { MasterKey } from './master-key.ts';
import { isSealed, type GivenKeys } from './open-vault.ts';
import type { SecretSource } from './secret-file.ts';

/** Where a master key comes from. */
export type MasterKeySource = SecretSource<MasterKey>;

/** Where the master key comes from, and, as long as it is rotated, the one before. */
export interface MasterKeySources {
  readonly masterKey: MasterKeySource;
  readonly oldMasterKey: MasterKeySource | undefined;
}

/** The variables that give the two keys themselves. */
const MASTER_KEY_VARIABLES = {
  masterKey: 'PATCHBAY_MASTER_KEY',
  oldMasterKey: 'PATCHBAY_OLD_MASTER_KEY',
} as const;

/**
 * The master keys that the configuration names. A key file is made only for a database in which
 * nothing is sealed: a new key beside old data would hide that the old key is lost.
 *
 * @param warn Told of what is not refused, but should be mended.
 * @throws ServiceError `master_key_unusable`, also where others may read a file of our own.
 */
export async function loadMasterKeys(
  { masterKey, oldMasterKey }: MasterKeySources,
  store: { readonly settings: KnownSettings },
  warn: (problem: string) => void = () => undefined,
): Promise<GivenKeys> {
  const load = async (name: keyof MasterKeySources, source: MasterKeySource) => {
    if (source.from === 'environment') return source.key;
    const { path, isNamedByOperator = false } = source;
    return loadKeyFile(path, {
      mayCreate: source.mayCreate && !(await isSealed(store)),
      variable: MASTER_KEY_VARIABLES[name],
      ...(isNamedByOperator ? { onReadable: warn } : {}),
    });
  };
  return {
    masterKey: await load('masterKey', masterKey),
    oldMasterKey: oldMasterKey && (await load('oldMasterKey', oldMasterKey)),
  };
}
