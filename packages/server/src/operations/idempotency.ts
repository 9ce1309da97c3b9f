import { createHash } from 'node:crypto';
import { ConnectorError, isConnectorError } from '@patchbay/connectors';
import { isJsonObject } from '@patchbay/connectors/engine';
import {
  isStoreError,
  type IdempotencyRecord,
  type IntentOfCall,
  type Intents,
  type StoredAnswer,
} from '@patchbay/store';
import type { Logger } from '../log.ts';
import type { CallDeadline } from './call-deadline.ts';
import type { Kept } from './outcome.ts';

/** How answers are written down for an `Idempotency-Key`: as the first caller gets them. */
export interface AnswerKeeper<Done> {
  readonly outcome: (done: Done) => StoredAnswer | Promise<StoredAnswer>;
  readonly error: (error: unknown) => StoredAnswer | Promise<StoredAnswer>;
}

/** A write that is to happen at most once. */
export interface OnceOptions<Done> {
  /** Whose keys they are: the same key elsewhere is another one. */
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  /** What the database does longer than that, it does alone. */
  readonly deadline: CallDeadline;
  readonly keeper: AnswerKeeper<Done>;
  readonly write: () => Promise<Done>;
  /** The error for a write whose process died before it knew the outcome. */
  readonly lost: () => ConnectorError;
}

interface OnceParts {
  readonly intents: Intents;
  readonly instanceId: string;
  readonly logger: Logger;
}

/** A write with its key, while this process is at it. */
interface Once<Done> extends OnceOptions<Done> {
  readonly place: string;
  readonly callNumber: number;
  /** What the database is still to do for it; that may outlast the call. */
  readonly steps: Set<Promise<void>>;
}

/**
 * Runs writes that carry an `Idempotency-Key`: the intent is stored before anything is sent, the
 * answer before it goes out. The same key and request then get the same answer, byte for byte. A
 * write that surely did not happen frees its key; one that may have happened is never sent again.
 *
 * @see docs/wire.md#idempotency
 */
export class OncePerKey<Done extends object> {
  readonly #parts: OnceParts;
  #calls = 0;
  /** Fingerprints of what this process is writing, by scope and key. */
  readonly #underWay = new Map<string, string>();
  /**
   * Whose writes may have been sent, while the database has no outcome of theirs. None is forgotten: of any other
   * intent of this process that has no answer, nothing was sent. Only those stay that were under way when the
   * database failed, which are few.
   */
  readonly #unsettled = new Set<string>();
  /** What the database could not be told of a key: to repeat it changes nothing. */
  readonly #untold = new Map<string, () => Promise<void>>();

  constructor(parts: OnceParts) {
    this.#parts = parts;
  }

  /** @throws `idempotency_key_reused`, `idempotency_in_progress`, or what the write threw. */
  async run(options: OnceOptions<Done>): Promise<Done | Kept> {
    const { scope, key, fingerprint } = options;
    const place = `${scope} ${key}`;
    const other = this.#underWay.get(place);
    if (other !== undefined) throw other === fingerprint ? inProgress() : reused();
    this.#underWay.set(place, fingerprint);
    const callNumber = ++this.#calls;
    const once: Once<Done> = { ...options, place, callNumber, steps: new Set() };
    try {
      if (this.#untold.has(place)) await once.deadline.within(this.#tell(place));
      const present = await this.#begin(once);
      if (present === undefined) return await this.#writeOnce(once);
      const kept = await this.#answerOf(present, once);
      // Freed meanwhile by whoever had it: the intent is ours now.
      return kept === undefined ? await this.#writeOnce(once) : { kept };
    } finally {
      this.#leave(once);
    }
  }

  /**
   * Tells the database what it could not be told before, as far as it answers again. Until then a repetition that
   * another process gets is told that the write is in progress.
   */
  async tellAll(): Promise<void> {
    for (const place of this.#untold.keys())
      try {
        await this.#tell(place);
      } catch (err) {
        this.#tellLast(place);
        const keys = this.#untold.size;
        const message = 'What became of some writes could not be stored yet.';
        this.#parts.logger.warn({ err, keys }, message);
        return;
      }
  }

  /** What keeps one from being told may be its alone, as a node of the database that is down: next time others have their turn. */
  #tellLast(place: string): void {
    const step = this.#untold.get(place);
    if (step === undefined) return;
    this.#untold.delete(place);
    this.#untold.set(place, step);
  }

  async #tell(place: string): Promise<void> {
    const step = this.#untold.get(place);
    await step?.();
    // Told meanwhile, it may be another one.
    if (this.#untold.get(place) === step) this.#untold.delete(place);
  }

  /** What is no trouble of the database would be none the next time either. */
  #tellLater(place: string, step: () => Promise<void>, err: unknown): void {
    if (isStoreError(err)) this.#untold.set(place, step);
  }

  async #begin(once: Once<Done>): Promise<IdempotencyRecord | undefined> {
    const { scope, key, fingerprint, callNumber, place, deadline } = once;
    const { intents, instanceId } = this.#parts;
    const replacesOwn = !this.#unsettled.has(place);
    const intent = { scope, key, fingerprint, instanceId, callNumber, replacesOwn };
    const beginning = intents.begin(intent);
    try {
      return await deadline.within(beginning);
    } catch (error) {
      void track(once, this.#takeBack(beginning, once));
      throw error;
    }
  }

  /** By this call nothing was sent, whatever becomes of the intent; an earlier one may have sent it. */
  async #takeBack(
    beginning: Promise<IdempotencyRecord | undefined>,
    once: Once<Done>,
  ): Promise<void> {
    const { scope, place } = once;
    try {
      if ((await beginning) === undefined) await this.#release(once);
    } catch (err) {
      // Where the database takes no writes there is nothing to forget, and calls go on to come.
      if (isStoreError(err) && err.didNothing) return;
      this.#tellLater(place, this.#forgetting(once), err);
      this.#parts.logger.warn({ err, scope }, 'The database did not say whether it has an intent.');
    }
  }

  async #answerOf(present: IdempotencyRecord, once: Once<Done>): Promise<StoredAnswer | undefined> {
    if (present.fingerprint !== once.fingerprint) throw reused();
    if (present.answer !== null) return present.answer;
    // Of this process only one call at a time gets here: what its own intent is of has ended, its outcome not stored.
    const isOwn = present.instanceId === this.#parts.instanceId;
    if (present.isOwnerAlive && !isOwn) throw inProgress();
    return this.#giveUp(present, once);
  }

  async #writeOnce(once: Once<Done>): Promise<Done> {
    const { write, keeper, place } = once;
    let hasHappened = false;
    this.#unsettled.add(place);
    try {
      const done = await write();
      hasHappened = true;
      await this.#settle(once, this.#finish(once, await keeper.outcome(done)));
      return done;
    } catch (error) {
      const isFree = !hasHappened && surelyDidNotHappen(error);
      await this.#settle(
        once,
        isFree ? this.#release(once) : this.#finish(once, await keeper.error(error)),
      );
      throw error;
    }
  }

  async #settle(once: Once<Done>, step: Promise<void>): Promise<void> {
    await once.deadline.settle(track(once, step));
  }

  /** A repetition must not meet a step that is still to come. */
  #leave({ place, steps }: Once<Done>): void {
    if (steps.size === 0) this.#underWay.delete(place);
    else void Promise.all(steps).then(() => this.#underWay.delete(place));
  }

  /**
   * Settles the key of a write that was lost; whoever settles it first decides the answer. `undefined` where it was freed: then
   * nothing was sent, and the key is that of a write that is to happen.
   */
  async #giveUp(present: IdempotencyRecord, once: Once<Done>): Promise<StoredAnswer | undefined> {
    await once.deadline.within(this.#finishLost(present, once));
    const settled = await this.#begin(once);
    return settled && this.#answerOf(settled, once);
  }

  async #finishLost(
    { instanceId, callNumber }: IdempotencyRecord,
    { scope, key, place, lost, keeper }: Once<Done>,
  ): Promise<void> {
    const intent = { scope, key, instanceId, callNumber };
    await this.#parts.intents.finish(intent, await keeper.error(lost()));
    this.#unsettled.delete(place);
  }

  /** Holds nothing else of the call, as what it was to write: it may be kept for long. */
  #forgetting(once: Once<Done>): () => Promise<void> {
    const { intents } = this.#parts;
    const intent = this.#intentOf(once);
    return () => intents.release(intent);
  }

  #intentOf({ scope, key, callNumber }: Once<Done>): IntentOfCall {
    return { scope, key, instanceId: this.#parts.instanceId, callNumber };
  }

  /** The outcome is known and goes out, whether or not it could be stored. */
  async #finish(once: Once<Done>, answer: StoredAnswer): Promise<void> {
    const { scope, place } = once;
    const intent = this.#intentOf(once);
    const finish = async () => {
      await this.#parts.intents.finish(intent, answer);
      this.#unsettled.delete(place);
    };
    try {
      await finish();
    } catch (err) {
      this.#tellLater(place, finish, err);
      this.#parts.logger.error({ err, scope }, 'The answer of a write could not be stored.');
    }
  }

  async #release(once: Once<Done>): Promise<void> {
    const { scope, place } = once;
    const forget = this.#forgetting(once);
    this.#unsettled.delete(place);
    try {
      await forget();
    } catch (err) {
      this.#tellLater(place, forget, err);
      this.#parts.logger.error({ err, scope }, 'An idempotency key could not be freed.');
    }
  }
}

function track(
  { steps }: { readonly steps: Set<Promise<void>> },
  work: Promise<void>,
): Promise<void> {
  const step = work.finally(() => steps.delete(step));
  steps.add(step);
  return step;
}

/** A digest of what a request asks for; the order of members does not count. */
export function fingerprintOf(request: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(canonicalJson(request)).digest('base64url');
}

/** JSON in which the order of members is always the same. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

/** Only the store and an error of the table can promise that; anything unforeseen may have come after the write. */
function surelyDidNotHappen(error: unknown): boolean {
  if (isStoreError(error)) return error.didNothing;
  return (
    isConnectorError(error) &&
    error.code !== 'write_outcome_unknown' &&
    error.code !== 'internal' &&
    error.details.applied !== true
  );
}

function reused(): ConnectorError<'idempotency_key_reused'> {
  return new ConnectorError(
    'idempotency_key_reused',
    {},
    { message: 'The Idempotency-Key was used for another request; use a new key for a new one.' },
  );
}

function inProgress(): ConnectorError<'idempotency_in_progress'> {
  return new ConnectorError('idempotency_in_progress', { retryAfterSeconds: 1 });
}
