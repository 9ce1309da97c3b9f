import { hkdfSync } from 'node:crypto';
import type { Clock } from '@patchbay/connectors';
import type { KnownSettings, Store } from '@patchbay/store';
import { ServiceError } from '../service-error.ts';
import { CHECK_SETTING, KeyInForce, keyOfCheck } from './key-in-force.ts';
import { makeKeyring, type Keyring, type SealingKey } from './keyring.ts';
import { isPassphrase, type MasterKey } from './master-key.ts';
import { makeSalt } from './passphrase.ts';
import { keyIdOf, openText, sealText } from './sealed-text.ts';
import { Vault } from './vault.ts';

/** The master keys that a process was given. */
export interface GivenKeys {
  readonly masterKey: MasterKey;
  /** The one before, as long as a rotation is under way. */
  readonly oldMasterKey?: MasterKey | undefined;
}

interface OpenVaultParts extends GivenKeys {
  readonly store: Pick<Store, 'profile' | 'settings'>;
  readonly clock: Clock;
  readonly onRefreshError: (error: unknown) => void;
}

/** A vault with what a rotation needs of it. */
export interface OpenVault {
  readonly vault: Vault;
  readonly keyring: Keyring;
  readonly inForce: KeyInForce;
}

const CHECK_TEXT = 'patchbay';
const SALT_SETTING = 'passphrase_salt';
const DIGEST_KEY_SETTING = 'vault_digest_key';
const DIGEST_KEY_OWNER = 'digest-key';
const DIGEST_KEY_USE = 'patchbay digests v1';

/**
 * Opens the vault of a database: the first time, leaves a check value there; later, compares.
 *
 * @throws ServiceError `master_key_wrong` when the database was sealed with a key that was not given.
 */
export async function openVault(parts: OpenVaultParts): Promise<OpenVault> {
  const { settings } = parts.store;
  const needsSalt = isPassphrase(parts.masterKey) || isPassphrase(parts.oldMasterKey);
  const salt = needsSalt ? await settings.ensure(SALT_SETTING, makeSalt()) : undefined;
  const keyring = await makeKeyring(parts, salt);
  const check =
    (await settings.get(CHECK_SETTING)) ??
    (await settings.ensure(CHECK_SETTING, await sealText(keyring.newest, 'check', CHECK_TEXT)));
  const digestKey = await ensureDigestKey(settings, keyring, await keyOfCheck(keyring, check));
  const inForce = new KeyInForce({ ...parts, keyring });
  const vault = new Vault({ keyring, digestKey, sealingKey: () => inForce.get() });
  return { vault, keyring, inForce };
}

/** Whether a master key has sealed anything in this database before. */
export async function isSealed(store: { readonly settings: KnownSettings }): Promise<boolean> {
  return (await store.settings.get(CHECK_SETTING)) !== undefined;
}

/**
 * Makes sure that the given keys open what is sealed in a database, where anything is; changes nothing.
 *
 * @throws ServiceError `master_key_wrong`.
 */
export async function requireOpening(
  given: GivenKeys,
  { settings }: { readonly settings: KnownSettings },
): Promise<void> {
  const keyring = await makeKeyring(given, await settings.get(SALT_SETTING));
  await keyOfCheck(keyring, await settings.get(CHECK_SETTING));
  const digestKey = await settings.get(DIGEST_KEY_SETTING);
  if (digestKey !== undefined) await openDigestKey(keyring, digestKey);
}

/** The first key of a database made it; sealed beside what it serves, it outlives that one. */
export function deriveDigestKey(masterKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', masterKey, '', DIGEST_KEY_USE, 32));
}

async function ensureDigestKey(
  settings: Store['settings'],
  keyring: Keyring,
  inForce: SealingKey,
): Promise<Uint8Array> {
  const seal = () => {
    const text = Buffer.from(deriveDigestKey(inForce.bytes)).toString('base64url');
    return sealText(inForce, DIGEST_KEY_OWNER, text);
  };
  const sealed =
    (await settings.get(DIGEST_KEY_SETTING)) ??
    (await settings.ensure(DIGEST_KEY_SETTING, await seal()));
  return openDigestKey(keyring, sealed);
}

/** @throws ServiceError `master_key_wrong` in the middle of a rotation, without the key from before it. */
async function openDigestKey(keyring: Keyring, sealed: string): Promise<Uint8Array> {
  const id = keyIdOf(sealed);
  if (id !== undefined && keyring.find(id) === undefined)
    throw new ServiceError(
      'master_key_wrong',
      `A rotation of the master key has not ended: the key ${id} is still needed, and was not given. Give it as PATCHBAY_OLD_MASTER_KEY (or its file as PATCHBAY_OLD_MASTER_KEY_FILE) beside the new one, start, and run \`patchbay keys rotate\` again, which goes on where it was.`,
    );
  const { owner, secret } = await openText(keyring, sealed);
  if (owner !== DIGEST_KEY_OWNER) throw new Error(`${DIGEST_KEY_SETTING} holds no digest key`);
  return Buffer.from(secret, 'base64url');
}
