import { createHash } from 'node:crypto';
import { ConnectorError, isConnectorError } from '@patchbay/connectors';
import { isJsonObject } from '@patchbay/connectors/engine';
import type { IdempotencyRecord, Store, StoredAnswer } from '@patchbay/store';
import type { Logger } from '../log.ts';
import type { Executed, Kept } from './outcome.ts';

/** How answers are written down for an `Idempotency-Key`: as the first caller gets them. */
export interface AnswerKeeper {
  readonly outcome: (executed: Executed) => StoredAnswer;
  readonly error: (error: unknown) => StoredAnswer;
}

/** A write that is to happen at most once. */
export interface OnceOptions {
  readonly connectorId: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly keeper: AnswerKeeper;
  readonly write: () => Promise<Executed>;
  /** The error for a write whose process died before it knew the outcome. */
  readonly lost: () => ConnectorError;
}

interface OnceParts {
  readonly store: Pick<Store, 'idempotency'>;
  readonly instanceId: string;
  readonly logger: Logger;
}

/**
 * Runs writes that carry an `Idempotency-Key`: the intent is stored before anything is sent, the
 * answer before it goes out. The same key and request then get the same answer, byte for byte. A
 * write that surely did not happen frees its key; one that may have happened is never sent again.
 *
 * @see docs/wire.md#idempotency
 */
export class OncePerKey {
  readonly #parts: OnceParts;
  /** Fingerprints of what this process is writing, by connector and key. */
  readonly #underWay = new Map<string, string>();

  constructor(parts: OnceParts) {
    this.#parts = parts;
  }

  /** @throws `idempotency_key_reused`, `idempotency_in_progress`, or what the write threw. */
  async run(options: OnceOptions): Promise<Executed | Kept> {
    const { connectorId, key, fingerprint } = options;
    const place = `${connectorId} ${key}`;
    const other = this.#underWay.get(place);
    if (other !== undefined) throw other === fingerprint ? inProgress() : reused();
    this.#underWay.set(place, fingerprint);
    try {
      const { store, instanceId } = this.#parts;
      const intent = { connectorId, key, fingerprint, instanceId };
      const present = await store.idempotency.begin(intent);
      if (present === undefined) return await this.#writeOnce(options);
      return { kept: await this.#answerOf(present, options) };
    } finally {
      this.#underWay.delete(place);
    }
  }

  async #answerOf(present: IdempotencyRecord, options: OnceOptions): Promise<StoredAnswer> {
    if (present.fingerprint !== options.fingerprint) throw reused();
    if (present.answer !== null) return present.answer;
    // Of this process only one call at a time gets here: an intent of its own has lost its call.
    const isOwn = present.instanceId === this.#parts.instanceId;
    if (present.isOwnerAlive && !isOwn) throw inProgress();
    return this.#giveUp(options);
  }

  async #writeOnce({ connectorId, key, write, keeper }: OnceOptions): Promise<Executed> {
    try {
      const executed = await write();
      await this.#finish(connectorId, key, keeper.outcome(executed));
      return executed;
    } catch (error) {
      if (surelyDidNotHappen(error)) await this.#release(connectorId, key);
      else await this.#finish(connectorId, key, keeper.error(error));
      throw error;
    }
  }

  /** Settles the key of a write that was lost; whoever settles it first decides the answer. */
  async #giveUp(options: OnceOptions): Promise<StoredAnswer> {
    const { connectorId, key, fingerprint, lost, keeper } = options;
    const { store, instanceId } = this.#parts;
    await store.idempotency.finish(connectorId, key, keeper.error(lost()));
    const settled = await store.idempotency.begin({ connectorId, key, fingerprint, instanceId });
    if (settled === undefined || settled.answer === null) throw lost();
    return settled.answer;
  }

  /** The outcome is known and goes out, whether or not it could be stored. */
  async #finish(connectorId: string, key: string, answer: StoredAnswer): Promise<void> {
    try {
      await this.#parts.store.idempotency.finish(connectorId, key, answer);
    } catch (err) {
      this.#parts.logger.error(
        { err, connector_id: connectorId },
        'The answer of a write could not be stored; a repetition will say that its outcome is unknown.',
      );
    }
  }

  async #release(connectorId: string, key: string): Promise<void> {
    try {
      await this.#parts.store.idempotency.release(connectorId, key);
    } catch (err) {
      this.#parts.logger.error(
        { err, connector_id: connectorId },
        'An idempotency key could not be freed; a repetition will say that its outcome is unknown.',
      );
    }
  }
}

/** A digest of what a request asks for; the order of members does not count. */
export function fingerprintOf(request: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(canonicalJson(request)).digest('base64url');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

/** Only an error of the table can promise that; anything unforeseen may have come after the write. */
function surelyDidNotHappen(error: unknown): boolean {
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
