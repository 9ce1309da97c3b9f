import type { Store } from '@patchbay/store';
import { loadKeyFile } from './key-file.ts';
import { isSealed } from './vault.ts';

/** Where the master key comes from. */
export type MasterKeySource =
  | { readonly from: 'environment'; readonly key: Uint8Array }
  | { readonly from: 'file'; readonly path: string; readonly mayCreate: boolean };

/**
 * The master key that the configuration names. A key file is made only for a database in which
 * nothing is sealed: a new key beside old data would hide that the old key is lost.
 *
 * @throws ServiceError `master_key_unusable`.
 */
export async function loadMasterKey(
  source: MasterKeySource,
  store: Pick<Store, 'settings'>,
): Promise<Uint8Array> {
  if (source.from === 'environment') return source.key;
  return loadKeyFile(source.path, { mayCreate: source.mayCreate && !(await isSealed(store)) });
}
