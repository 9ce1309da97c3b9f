import { randomBytes } from 'node:crypto';
import type { Clock } from '@patchbay/connectors';
import type { Store, StoredSigningKey } from '@patchbay/store';
import { FreshCache } from '../fresh-cache.ts';
import { newUuid } from '../uuid.ts';
import type { Vault } from '../vault/vault.ts';

/** A key that signs tokens, or has signed some that still live. */
interface OpenKey {
  readonly id: string;
  readonly secret: Uint8Array;
  /** By the monotonic clock. */
  readonly madeAt: number;
}

/** The keys that there are, by id. */
interface KnownKeys {
  readonly all: ReadonlyMap<string, OpenKey>;
  readonly newest: OpenKey | undefined;
}

/** What may be told of a key. */
export interface SigningKeyInfo {
  readonly id: string;
  /** By the database's clock. */
  readonly ageMs: number;
  /** It is the newest. */
  readonly signs: boolean;
}

export interface SigningKeysParts {
  readonly store: Pick<Store, 'profile' | 'signingKeys'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly onRefreshError: (error: unknown) => void;
}

const ALL = 'all';
const SIGNS_FOR_MS = 24 * 3_600_000;
/** After another key has taken its place: longer than any token lives. */
const KEPT_FOR_MS = 3_600_000;
/** A key whose age is below that was made while the database's clock was ahead. */
const FUTURE_MS = -60_000;
/** Every process notices within a second that keys were made or deleted. */
const REFRESH_AFTER_MS = 300;
const MAX_AGE_MS = 700;
/** Tokens with made-up key ids must not turn into a query each: they share ten a second. */
const RELOAD_PAUSE_MS = 100;

/**
 * The keys that sign tokens: in the database, sealed, shared by all processes, a new one every
 * day. A key's age is what the database says, and grows by a clock that nobody sets.
 */
export class SigningKeys {
  readonly #parts: SigningKeysParts;
  readonly #known: FreshCache<KnownKeys>;
  #loadedAt = -Infinity;
  #rotating: Promise<OpenKey> | undefined;
  /** A load that has not begun yet, and the end of the one before. */
  #nextLoad: Promise<void> | undefined;
  #lastLoad: Promise<unknown> = Promise.resolve();

  constructor(parts: SigningKeysParts) {
    const { store, clock, onRefreshError } = parts;
    // Where one process alone uses the database, nobody else makes or deletes any.
    const { isExclusive } = store.profile;
    this.#parts = parts;
    this.#known = new FreshCache<KnownKeys>({
      clock,
      maxEntries: 1,
      refreshAfterMs: isExclusive ? Infinity : REFRESH_AFTER_MS,
      maxAgeMs: isExclusive ? Infinity : MAX_AGE_MS,
      load: (_, known) => this.#load(known),
      onRefreshError,
    });
  }

  /** The key to sign with. */
  async current(): Promise<OpenKey> {
    const newest = (await this.#known.get(ALL))?.newest;
    if (newest !== undefined && this.#ageMs(newest) < SIGNS_FOR_MS) return newest;
    this.#rotating ??= this.#rotate().finally(() => {
      this.#rotating = undefined;
    });
    return this.#rotating;
  }

  /** The key of that id, also one that another process has made this moment; or `undefined`. */
  async find(id: string): Promise<OpenKey | undefined> {
    const known = (await this.#known.get(ALL))?.all.get(id);
    if (known !== undefined) return known;
    // A load that is under way may have asked the database before the key was there.
    this.#nextLoad ??= this.#loadInTurn();
    await this.#nextLoad;
    return this.#known.peek(ALL)?.all.get(id);
  }

  /** Whether there still is a key of that id; at once where the keys were read lately. */
  isKept(id: string): boolean | Promise<boolean> {
    const known = this.#known.get(ALL);
    return known instanceof Promise
      ? known.then((keys) => keys?.all.has(id) === true)
      : known.all.has(id);
  }

  /**
   * Makes another key, which signs from now on, in every process within a second.
   *
   * @param options.endsOthers Deletes all others, which ends the tokens that they signed.
   */
  async replace({ endsOthers }: { readonly endsOthers: boolean }): Promise<string> {
    const { id } = await this.#make();
    if (endsOthers) await this.#parts.store.signingKeys.deleteOthers(id);
    await this.#known.reload(ALL);
    return id;
  }

  /** All keys, newest first. */
  async list(): Promise<readonly SigningKeyInfo[]> {
    const stored = await this.#parts.store.signingKeys.list();
    const { newest } = await this.#load(this.#known.peek(ALL), stored);
    return stored.map(({ id, ageMs }) => ({ id, ageMs, signs: id === newest?.id }));
  }

  async #loadInTurn(): Promise<void> {
    const { clock } = this.#parts;
    await this.#lastLoad;
    const pauseMs = this.#loadedAt + RELOAD_PAUSE_MS - clock.monotonic();
    if (pauseMs > 0) await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
    this.#nextLoad = undefined;
    const load = this.#known.reload(ALL);
    // Whoever waits for this load gets its failure; the next load only waits for its end.
    this.#lastLoad = load.catch(() => undefined);
    await load;
  }

  async #rotate(): Promise<OpenKey> {
    const { signingKeys } = this.#parts.store;
    const newest = (await this.#known.reload(ALL))?.newest;
    if (newest !== undefined && this.#ageMs(newest) < SIGNS_FOR_MS) return newest;
    const key = await this.#make();
    await signingKeys.deleteSucceeded(KEPT_FOR_MS);
    const known = await this.#known.reload(ALL);
    return known?.all.get(key.id) ?? key;
  }

  async #make(): Promise<OpenKey> {
    const { store, vault, clock } = this.#parts;
    const id = newUuid(clock.now());
    const key = { id, secret: new Uint8Array(randomBytes(32)), madeAt: clock.monotonic() };
    const text = Buffer.from(key.secret).toString('base64url');
    await store.signingKeys.create({ id, sealedKey: await vault.seal(`signing-key:${id}`, text) });
    return key;
  }

  async #load(known: KnownKeys | undefined, given?: readonly StoredSigningKey[]) {
    const { store, clock } = this.#parts;
    this.#loadedAt = clock.monotonic();
    const all = new Map<string, OpenKey>();
    let newest: OpenKey | undefined;
    for (const stored of given ?? (await store.signingKeys.list())) {
      const key = known?.all.get(stored.id) ?? (await this.#open(stored));
      all.set(key.id, key);
      // One from the future would stay the newest until that has come.
      if (stored.ageMs < FUTURE_MS) continue;
      if (newest === undefined || key.madeAt > newest.madeAt) newest = key;
    }
    return { all, newest };
  }

  async #open({ id, sealedKey, ageMs }: StoredSigningKey): Promise<OpenKey> {
    const { vault, clock } = this.#parts;
    const secret = await vault.open(`signing-key:${id}`, sealedKey);
    const madeAt = clock.monotonic() - ageMs;
    return { id, secret: new Uint8Array(Buffer.from(secret, 'base64url')), madeAt };
  }

  #ageMs({ madeAt }: OpenKey): number {
    return this.#parts.clock.monotonic() - madeAt;
  }
}
