import { Keyring } from '../../src/vault/keyring.ts';
import { deriveDigestKey } from '../../src/vault/open-vault.ts';
import { Vault } from '../../src/vault/vault.ts';

/** A vault as a service has it on a database that was sealed with that key alone. */
export function vaultOf(masterKey: Uint8Array): Vault {
  const keyring = new Keyring(masterKey);
  return new Vault({
    keyring,
    digestKey: deriveDigestKey(masterKey),
    sealingKey: () => keyring.newest,
  });
}
