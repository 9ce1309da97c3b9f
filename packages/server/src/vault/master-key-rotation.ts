import type { Clock } from '@patchbay/connectors';
import type { SealedValue, Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { CHECK_SETTING, type KeyInForce } from './key-in-force.ts';
import type { Keyring, SealingKey } from './keyring.ts';
import { headOf, keyIdOf, resealText } from './sealed-text.ts';

/** What one step came to. */
export interface RotationStep {
  /** The key that everything is sealed with in the end. */
  readonly key: string;
  /** Running processes that do not have it: nothing is done before there are none. */
  readonly lackedBy: number;
  readonly resealed: number;
  /** What is sealed with another key of this process. */
  readonly left: number;
  /** What no key of this process opens. */
  readonly unreadable: number;
}

/** A master key, or what has none of the known ones. */
export interface MasterKeyUse {
  /** Null for what was sealed before keys had ids. */
  readonly id: string | null;
  /** What is sealed now is sealed with it. */
  readonly isInForce: boolean;
  /** This process has it. */
  readonly isKnown: boolean;
  /** How much was sealed with it. */
  readonly sealed: number;
}

interface MasterKeyRotationParts {
  readonly store: Pick<Store, 'sealedValues' | 'instances' | 'settings'>;
  readonly keyring: Keyring;
  readonly inForce: KeyInForce;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MISSING =
  'Some values are sealed with a master key that was not given, and open nowhere: give it as PATCHBAY_OLD_MASTER_KEY.';
/** A step ends with the page that reaches either: whoever asked for it is to see how far it is. */
const STEP = 500;
const STEP_MS = 2_000;
const PAGE = 100;
/** Who asks for a step after longer than that begins at the beginning: others may have gone on meanwhile. */
const WALK_MS = 60_000;

/** Where the steps of this process are, in the order of tables and keys. */
interface Walk {
  after: SealedValue | undefined;
  /** As last counted; absent before that. */
  counted: Pick<RotationStep, 'left' | 'unreadable'> | undefined;
  /** By the clock that only goes forward. */
  steppedAt: number;
}

/**
 * Puts the newest key of this process in the place of the one in force, in steps: what is sealed with
 * another one is sealed anew, while all processes go on, each of which has both keys. A step goes on where
 * the last one of this process ended. To count or to look from the beginning reads every sealed text, so
 * that is done at both ends of a walk, not in each step. Nothing is left only where a count says so:
 * it does not matter who took the steps before, nor how they ended.
 *
 * @see docs/decisions/2026-11-23-keys-rotate.md
 */
export class MasterKeyRotation {
  readonly #parts: MasterKeyRotationParts;
  #walk: Walk | undefined;

  constructor(parts: MasterKeyRotationParts) {
    this.#parts = parts;
  }

  /** Seals some hundred texts anew, the check value before all others. */
  async step(): Promise<RotationStep> {
    const { store, keyring } = this.#parts;
    const key = keyring.newest.id;
    const lackedBy = await store.instances.countWithoutKey(key);
    if (lackedBy > 0) {
      this.#walk = undefined;
      return { key, lackedBy, resealed: 0, ...(await this.#count()) };
    }
    const walk = this.#currentWalk();
    const { resealed, isAtEnd } = await this.#resealSome(walk);
    const left = Math.max(0, (walk.counted?.left ?? 0) - resealed);
    // Others may have sealed some of these anew, or more with another key: then it is counted again.
    const counted =
      walk.counted === undefined || isAtEnd || left === 0
        ? await this.#count()
        : { ...walk.counted, left };
    walk.counted = counted;
    walk.steppedAt = this.#parts.clock.monotonic();
    if ((isAtEnd || counted.left === 0) && this.#walk === walk) this.#walk = undefined;
    return { key, lackedBy, resealed, ...counted };
  }

  /** The keys that this process has, newest first, and whatever else something is sealed with. */
  async masterKeys(): Promise<readonly MasterKeyUse[]> {
    const { store, keyring, inForce } = this.#parts;
    const { id: idInForce } = await inForce.reload();
    const counts = new Map<string | null, number>(keyring.all.map(({ id }) => [id, 0]));
    for (const { head, count } of await store.sealedValues.count()) {
      const id = keyIdOf(head) ?? null;
      counts.set(id, (counts.get(id) ?? 0) + count);
    }
    return [...counts].map(([id, sealed]) => ({
      id,
      isInForce: id === idInForce,
      isKnown: id === null || keyring.find(id) !== undefined,
      sealed,
    }));
  }

  /** Logs which keys are needed that this process does not have: whoever took one away too early is to see it. */
  async tellOfMissing(): Promise<void> {
    const { logger } = this.#parts;
    for (const { id, isKnown, sealed } of await this.masterKeys())
      if (!isKnown) logger.error({ key: id, sealed }, MISSING);
  }

  #currentWalk(): Walk {
    const now = this.#parts.clock.monotonic();
    if (this.#walk === undefined || now - this.#walk.steppedAt > WALK_MS)
      this.#walk = { after: undefined, counted: undefined, steppedAt: now };
    return this.#walk;
  }

  async #count(): Promise<Pick<RotationStep, 'left' | 'unreadable'>> {
    const others = (await this.masterKeys()).filter(
      ({ id }) => id !== this.#parts.keyring.newest.id,
    );
    return {
      left: sumOf(others.filter(({ isKnown }) => isKnown)),
      unreadable: sumOf(others.filter(({ isKnown }) => !isKnown)),
    };
  }

  async #resealSome(walk: Walk): Promise<{ readonly resealed: number; readonly isAtEnd: boolean }> {
    const { store, keyring, clock } = this.#parts;
    const endsAt = clock.monotonic() + STEP_MS;
    await this.#putInForce(keyring.newest);
    const head = headOf(keyring.newest);
    let resealed = 0;
    while (resealed < STEP && clock.monotonic() < endsAt) {
      const page = await store.sealedValues.listUnlike(head, { after: walk.after, limit: PAGE });
      for (const value of page) if (await this.#reseal(value)) resealed++;
      walk.after = page.at(-1) ?? walk.after;
      if (page.length < PAGE) return { resealed, isAtEnd: true };
    }
    return { resealed, isAtEnd: false };
  }

  /** From then on every process seals with it, within a second. */
  async #putInForce(key: SealingKey): Promise<void> {
    const { store, keyring, inForce, logger } = this.#parts;
    const before = await inForce.reload();
    if (before.id === key.id) return;
    const sealed = await store.settings.get(CHECK_SETTING);
    if (sealed === undefined) throw new Error('the check value of the database is gone');
    const value = { table: 'settings', key: [CHECK_SETTING], sealed };
    const resealed = await resealText(keyring, key, sealed);
    if (await store.sealedValues.reseal(value, resealed))
      logger.info({ key: key.id, before: before.id }, 'Another master key is in force.');
    await inForce.reload();
  }

  async #reseal(value: SealedValue): Promise<boolean> {
    const { store, keyring, logger } = this.#parts;
    let resealed: string;
    try {
      resealed = await resealText(keyring, keyring.newest, value.sealed);
    } catch (err) {
      // The others do not wait for it; it is counted as long as it is there.
      const key = keyIdOf(value.sealed) ?? null;
      logger.error({ err, table: value.table, key }, 'A sealed text could not be opened.');
      return false;
    }
    return store.sealedValues.reseal(value, resealed);
  }
}

function sumOf(uses: readonly MasterKeyUse[]): number {
  return uses.reduce((sum, { sealed }) => sum + sealed, 0);
}
