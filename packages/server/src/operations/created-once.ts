import { createHash } from 'node:crypto';
import { ConnectorError } from '@patchbay/connectors';
import { isStoreError, type Store, type StoredAnswer } from '@patchbay/store';
import type { Logger } from '../log.ts';
import type { Owner, Vault } from '../vault/vault.ts';
import type { CallDeadline } from './call-deadline.ts';
import { canonicalJson, OncePerKey } from './idempotency.ts';

/** A creation that is to happen at most once. */
export interface CreationCall {
  /** Who asks: keys of others are other keys. */
  readonly caller: string;
  /** What for, for example `POST /v1/applications`: the same key elsewhere is another one. */
  readonly route: string;
  /** The `Idempotency-Key`. */
  readonly key: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly deadline: CallDeadline;
  /** How a failure goes out. */
  readonly renderError: (error: unknown) => StoredAnswer;
}

interface CreatedOnceParts {
  readonly store: Pick<Store, 'creations'>;
  readonly vault: Vault;
  readonly instanceId: string;
  readonly logger: Logger;
}

/**
 * Runs creations that carry an `Idempotency-Key` as writes with one are run. What is kept of them is
 * sealed, since it may hold a secret that is told once; and what was asked for is a digest with a key,
 * since it may hold credentials.
 *
 * @see docs/wire.md#creating-once
 */
export class CreatedOnce {
  readonly #parts: CreatedOnceParts;
  readonly #once: OncePerKey<StoredAnswer>;

  constructor(parts: CreatedOnceParts) {
    const { instanceId, logger } = parts;
    this.#parts = parts;
    this.#once = new OncePerKey({ intents: parts.store.creations, instanceId, logger });
  }

  /** As `OncePerKey.tellAll`. */
  async tellAll(): Promise<void> {
    await this.#once.tellAll();
  }

  /** @throws `idempotency_key_reused`, `idempotency_in_progress`, or what the creation threw. */
  async run(
    { caller, route, key, request, deadline, renderError }: CreationCall,
    create: () => Promise<StoredAnswer>,
  ): Promise<{ readonly answer: StoredAnswer; readonly isReplayed: boolean }> {
    const { vault } = this.#parts;
    // A digest: an external user id of any length is a part of a caller.
    const scope = createHash('sha256').update(`${caller}\n${route}`).digest('base64url');
    const owner: Owner = `creation:${scope}`;
    // Sealed before it is stored, and told as it is.
    const created: { answer?: StoredAnswer } = {};
    // Looked up before anything is made: without a key afterwards, what was made could not be kept, and would be made anew.
    const sealAnyway = await deadline.within(vault.sealer(owner));
    const seal = async ({ status, body }: StoredAnswer) => ({
      status,
      body: await vault.seal(owner, body).catch(() => sealAnyway(body)),
    });
    const done = await this.#once.run({
      scope,
      key,
      fingerprint: vault.digest(owner, canonicalJson(request)),
      deadline,
      keeper: { outcome: (sealed) => sealed, error: (error) => seal(renderError(error)) },
      write: async () => {
        created.answer = await create();
        return seal(created.answer);
      },
      lost: () => lost(route),
    });
    if (created.answer !== undefined) return { answer: created.answer, isReplayed: false };
    const { kept } = 'kept' in done ? done : { kept: done };
    const body = await vault.open(owner, kept.body);
    return { answer: { status: kept.status, body }, isReplayed: true };
  }
}

function lost(route: string): ConnectorError<'write_outcome_unknown'> {
  return outcomeUnknown(
    `The process that was at ${route} with this Idempotency-Key ended before it knew the outcome; list what there is, and use a new key.`,
  );
}

/** What a creation threw, in terms that lead nobody to create twice: of some of it the database may have done. */
export function creationError(error: unknown, route: string): unknown {
  if (!isStoreError(error) || error.didNothing) return error;
  return outcomeUnknown(
    `The database did not say whether ${route} happened; list what there is before you ask again.`,
    error,
  );
}

function outcomeUnknown(message: string, cause?: unknown): ConnectorError<'write_outcome_unknown'> {
  const howToFindOut = 'List what there is.';
  return new ConnectorError('write_outcome_unknown', { howToFindOut }, { message, cause });
}
