import { randomBytes } from 'node:crypto';
import { ServiceError } from '../service-error.ts';
import { MASTER_KEY_EXPECTS, parseMasterKey, type MasterKey } from './master-key.ts';
import { readSecretFile } from './secret-file.ts';

/**
 * The master key in a file; where there is no such file and `mayCreate`, a new random key is
 * written there first, readable by the owner alone (mode 0600).
 *
 * @throws ServiceError `master_key_unusable` when the file is missing, unreadable or no key, or
 *   others than its owner may read or change it.
 */
export async function loadKeyFile(
  path: string,
  options: {
    readonly mayCreate: boolean;
    /** The variable that gives such a key itself. */
    readonly variable: string;
    /** Told that others than the owner may read the file; without it, that is refused. */
    readonly onReadable?: (problem: string) => void;
  },
): Promise<MasterKey> {
  const text = await readSecretFile({
    path,
    noun: 'master key',
    code: 'master_key_unusable',
    variable: options.variable,
    make: options.mayCreate ? () => randomBytes(32).toString('base64') : undefined,
    missing: 'is missing, but the database was sealed with a key: restore it',
    onReadable: options.onReadable,
  });
  const key = parseMasterKey(text);
  if (key !== undefined) return key;
  throw new ServiceError(
    'master_key_unusable',
    `The file ${path} holds no master key: it must be ${MASTER_KEY_EXPECTS}.`,
  );
}
