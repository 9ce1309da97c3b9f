import type { Store } from '@patchbay/store';
import { loadMasterKey, type MasterKeySource } from './load-master-key.ts';
import { isSealed, openVault } from './vault.ts';

/**
 * Makes sure that the master key opens what is sealed in a database; makes none.
 *
 * @param warn Told of what is not refused, but should be mended.
 * @throws ServiceError `master_key_unusable`, `master_key_wrong`.
 */
export async function checkMasterKey(
  source: MasterKeySource,
  store: Pick<Store, 'settings'>,
  warn?: (problem: string) => void,
): Promise<void> {
  // A service has not run on it yet.
  if (!(await isSealed(store))) return;
  await openVault(store, await loadMasterKey(source, store, warn));
}
