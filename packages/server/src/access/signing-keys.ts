import { randomBytes } from 'node:crypto';
import type { Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import { newUuid } from '../uuid.ts';
import type { Vault } from '../vault/vault.ts';

/** A key that signs tokens, or has signed some that still live. */
interface OpenKey {
  readonly id: string;
  readonly secret: Uint8Array;
  /** By the monotonic clock. */
  readonly madeAt: number;
}

const SIGNS_FOR_MS = 24 * 3_600_000;
/** After another key has taken its place: longer than any token lives. */
const KEPT_FOR_MS = 3_600_000;
/** A key whose age is below that was made while the database's clock was ahead. */
const FUTURE_MS = -60_000;
/** Tokens with made-up key ids must not turn into a query each: they share ten a second. */
const RELOAD_PAUSE_MS = 100;

/**
 * The keys that sign tokens: in the database, sealed, shared by all processes, a new one every
 * day. A key's age is what the database says, and grows by a clock that nobody sets.
 */
export class SigningKeys {
  readonly #store: Pick<Store, 'signingKeys'>;
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #keys = new Map<string, OpenKey>();
  #newest: OpenKey | undefined;
  #loadedAt = -Infinity;
  #rotating: Promise<OpenKey> | undefined;
  /** A load that has not begun yet, and the end of the one before. */
  #nextLoad: Promise<void> | undefined;
  #lastLoad: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<Store, 'signingKeys'>, vault: Vault, clock: Clock) {
    this.#store = store;
    this.#vault = vault;
    this.#clock = clock;
  }

  /** The key to sign with. */
  async current(): Promise<OpenKey> {
    const newest = this.#newest;
    if (newest !== undefined && this.#ageMs(newest) < SIGNS_FOR_MS) return newest;
    this.#rotating ??= this.#rotate().finally(() => {
      this.#rotating = undefined;
    });
    return this.#rotating;
  }

  /** The key of that id, also one that another process has made this moment; or `undefined`. */
  async find(id: string): Promise<OpenKey | undefined> {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    // A load that is under way may have asked the database before the key was there.
    this.#nextLoad ??= this.#loadInTurn();
    await this.#nextLoad;
    return this.#keys.get(id);
  }

  async #loadInTurn(): Promise<void> {
    await this.#lastLoad;
    const pauseMs = this.#loadedAt + RELOAD_PAUSE_MS - this.#clock.monotonic();
    if (pauseMs > 0) await new Promise<void>((resolve) => void this.#clock.after(pauseMs, resolve));
    this.#nextLoad = undefined;
    const load = this.#load();
    // Whoever waits for this load gets its failure; the next load only waits for its end.
    this.#lastLoad = load.catch(() => undefined);
    await load;
  }

  async #rotate(): Promise<OpenKey> {
    await this.#load();
    if (this.#newest !== undefined && this.#ageMs(this.#newest) < SIGNS_FOR_MS) return this.#newest;
    const key = {
      id: newUuid(this.#clock.now()),
      secret: new Uint8Array(randomBytes(32)),
      madeAt: this.#clock.monotonic(),
    };
    const sealedKey = await this.#vault.seal(
      `signing-key:${key.id}`,
      Buffer.from(key.secret).toString('base64url'),
    );
    await this.#store.signingKeys.create({ id: key.id, sealedKey });
    this.#keys.set(key.id, key);
    this.#newest = key;
    await this.#store.signingKeys.deleteSucceeded(KEPT_FOR_MS);
    for (const old of this.#keys.values())
      if (this.#ageMs(old) >= SIGNS_FOR_MS + KEPT_FOR_MS) this.#keys.delete(old.id);
    return key;
  }

  async #load(): Promise<void> {
    this.#loadedAt = this.#clock.monotonic();
    for (const { id, sealedKey, ageMs } of await this.#store.signingKeys.list()) {
      if (this.#keys.has(id)) continue;
      const secret = await this.#vault.open(`signing-key:${id}`, sealedKey);
      const madeAt = this.#clock.monotonic() - ageMs;
      const key = { id, secret: new Uint8Array(Buffer.from(secret, 'base64url')), madeAt };
      this.#keys.set(id, key);
      // One from the future would stay the newest until that has come.
      if (ageMs < FUTURE_MS) continue;
      if (this.#newest === undefined || madeAt > this.#newest.madeAt) this.#newest = key;
    }
  }

  #ageMs({ madeAt }: OpenKey): number {
    return this.#clock.monotonic() - madeAt;
  }
}
