import type { Store } from '@patchbay/store';
import { loadKeyFile } from './key-file.ts';
import { isSealed } from './vault.ts';

/** Where the master key comes from. */
export type MasterKeySource =
  | { readonly from: 'environment'; readonly key: Uint8Array }
  | {
      readonly from: 'file';
      readonly path: string;
      readonly mayCreate: boolean;
      /** A file that the operator names: its mode may be out of their hands, as that of a mounted secret is. */
      readonly isOthers?: boolean;
    };

/**
 * The master key that the configuration names. A key file is made only for a database in which
 * nothing is sealed: a new key beside old data would hide that the old key is lost.
 *
 * @param warn Told of what is not refused, but should be mended.
 * @throws ServiceError `master_key_unusable`, also where others may read a file of our own.
 */
export async function loadMasterKey(
  source: MasterKeySource,
  store: Pick<Store, 'settings'>,
  warn?: (problem: string) => void,
): Promise<Uint8Array> {
  if (source.from === 'environment') return source.key;
  const { path, isOthers = false } = source;
  const mayCreate = source.mayCreate && !(await isSealed(store));
  return loadKeyFile(path, {
    mayCreate,
    ...(isOthers ? { onReadable: warn ?? (() => undefined) } : {}),
  });
}
