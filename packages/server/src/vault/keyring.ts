import { hkdfSync } from 'node:crypto';
import { isPassphrase, type MasterKey } from './master-key.ts';
import { deriveUnstretched, stretch } from './passphrase.ts';

/** A key that seals. */
export interface SealingKey {
  /** 16 hex digits, made of the key: they tell keys apart, and nothing of them. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const KEY_BYTES = 32;
const ID_BYTES = 8;
const ID_USE = 'patchbay key id v1';

/** The keys that a process was given: what was sealed with any of them opens. */
export class Keyring {
  /** All are to be sealed with this one, in the end. */
  readonly newest: SealingKey;
  readonly all: readonly SealingKey[];

  /** @param newest 32 bytes, as all of them. */
  constructor(newest: Uint8Array, ...older: readonly Uint8Array[]) {
    this.newest = sealingKey(newest);
    const known = new Map([newest, ...older].map((bytes) => [idOf(bytes), sealingKey(bytes)]));
    this.all = [...known.values()];
  }

  find(id: string): SealingKey | undefined {
    return this.all.find((key) => key.id === id);
  }
}

/**
 * The keys that given ones stand for. A passphrase stands for two: a database that was sealed before
 * passphrases were stretched has the other one.
 *
 * @param salt Of the database; without one, nothing in it was sealed with a stretched passphrase.
 */
export async function makeKeyring(
  given: { readonly masterKey: MasterKey; readonly oldMasterKey?: MasterKey | undefined },
  salt: string | undefined,
): Promise<Keyring> {
  const { masterKey, oldMasterKey } = given;
  const [newest, ...older] = await keysOf(masterKey, salt);
  const oldOnes = oldMasterKey === undefined ? [] : await keysOf(oldMasterKey, salt);
  return new Keyring(newest, ...older, ...oldOnes);
}

async function keysOf(
  given: MasterKey,
  salt: string | undefined,
): Promise<readonly [Uint8Array, ...Uint8Array[]]> {
  if (!isPassphrase(given)) return [given];
  const unstretched = deriveUnstretched(given.passphrase());
  return salt === undefined
    ? [unstretched]
    : [await stretch(given.passphrase(), salt), unstretched];
}

function sealingKey(bytes: Uint8Array): SealingKey {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`a master key has ${KEY_BYTES} bytes`);
  return { id: idOf(bytes), bytes: Uint8Array.from(bytes) };
}

function idOf(bytes: Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', bytes, '', ID_USE, ID_BYTES)).toString('hex');
}
