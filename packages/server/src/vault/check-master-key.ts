import type { KnownSettings } from '@patchbay/store';
import { loadMasterKeys, type MasterKeySources } from './load-master-keys.ts';
import { isSealed, requireOpening } from './open-vault.ts';

/**
 * Makes sure that the master keys open what is sealed in a database; makes none.
 *
 * @param warn Told of what is not refused, but should be mended.
 * @throws ServiceError `master_key_unusable`, `master_key_wrong`.
 */
export async function checkMasterKey(
  sources: MasterKeySources,
  store: { readonly settings: KnownSettings },
  warn?: (problem: string) => void,
): Promise<void> {
  // A service has not run on it yet.
  if (!(await isSealed(store))) return;
  await requireOpening(await loadMasterKeys(sources, store, warn), store);
}
