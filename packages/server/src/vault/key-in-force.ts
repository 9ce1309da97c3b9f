import type { Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import { FreshCache } from '../fresh-cache.ts';
import { ServiceError } from '../service-error.ts';
import type { Keyring, SealingKey } from './keyring.ts';
import { keyIdOf, openText } from './sealed-text.ts';

/** A text that is sealed with the key in force. */
export const CHECK_SETTING = 'vault_check';
const ALL = 'all';
/** Every process notices within a second that another key is in force. */
const REFRESH_AFTER_MS = 300;
const MAX_AGE_MS = 700;

interface KeyInForceParts {
  readonly store: Pick<Store, 'profile' | 'settings'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly onRefreshError: (error: unknown) => void;
}

/** The key that all processes seal with: the one that the check value of the database was sealed with. */
export class KeyInForce {
  readonly #known: FreshCache<SealingKey>;

  constructor({ store, keyring, clock, onRefreshError }: KeyInForceParts) {
    // Where one process alone uses the database, nobody else can have rotated it.
    const { isExclusive } = store.profile;
    this.#known = new FreshCache<SealingKey>({
      clock,
      maxEntries: 1,
      refreshAfterMs: isExclusive ? Infinity : REFRESH_AFTER_MS,
      maxAgeMs: isExclusive ? Infinity : MAX_AGE_MS,
      load: async () => keyOfCheck(keyring, await store.settings.get(CHECK_SETTING)),
      onRefreshError,
    });
  }

  /** @throws ServiceError `master_key_wrong` where this process does not have it. */
  get(): SealingKey | Promise<SealingKey> {
    const known = this.#known.get(ALL);
    return known instanceof Promise ? known.then(required) : known;
  }

  /** The same, from what the database has now. */
  async reload(): Promise<SealingKey> {
    return required(await this.#known.reload(ALL));
  }
}

/**
 * The key that a check value was sealed with.
 *
 * @throws ServiceError `master_key_wrong` where it is none of the keyring.
 */
export async function keyOfCheck(keyring: Keyring, check: string | undefined): Promise<SealingKey> {
  try {
    return (await openText(keyring, check ?? '')).key;
  } catch (error) {
    const id = check === undefined ? undefined : keyIdOf(check);
    const which = id === undefined ? '' : `, ${id}`;
    const given = keyring.all.map((key) => key.id).join(', ');
    throw new ServiceError(
      'master_key_wrong',
      `The master key is not the one that this database was sealed with${which}, so no stored credential could be opened; given was ${given}. Give the original key (PATCHBAY_MASTER_KEY or its key file), or, to rotate it, as PATCHBAY_OLD_MASTER_KEY beside the new one; or start with an empty database.`,
      { cause: error },
    );
  }
}

function required(key: SealingKey | undefined): SealingKey {
  if (key === undefined) throw new TypeError('a key in force is never absent');
  return key;
}
