import type { CredentialsLife } from '../credentials-ending.ts';
import { wait } from '../execution/clock.ts';
import {
  NoCredentialsError,
  type Authorize,
  type CheckedCredentials,
} from '../execution/credentials.ts';
import { untilAborted } from '../execution/until-aborted.ts';
import type { ConnectorKind } from '../vocabulary/index.ts';
import type { OAuthUpstream } from './ask-for-tokens.ts';
import {
  renew,
  renewalGrantOf,
  tokenLifeOf,
  type RenewalGrant,
  type RenewalOutcome,
  type TokenLife,
} from './renewal.ts';

/** Told of renewed credentials, in the shape that they were given in. */
export type OnCredentialsChanged = (
  credentials: Readonly<Record<string, string>>,
) => void | Promise<void>;

interface RenewingParts extends OAuthUpstream {
  readonly credentials: CheckedCredentials;
  readonly onCredentialsChanged: OnCredentialsChanged | undefined;
  readonly random: () => number;
}

/** After a failure, the next attempt is so far away at first, and twice as far each time. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** What a token endpoint asks for is heeded up to this, as of any other. */
const LONGEST_ASKED_MS = 3_600_000;
/** A token is new for so long, or for half its life. */
const NEW_MS = 60_000;

type Attempt = 'renewed' | Trouble;

interface Trouble {
  /** What those get who cannot do without. */
  readonly error: Error;
  /** No further attempt can do better. */
  readonly isFinal: boolean;
  /** What the token endpoint asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The credentials of one connector in this process, renewed as they end: by at most one request at a
 * time, which all calls share. Those whose token is still good do not wait for it; the others do, until
 * their deadline.
 *
 * A refresh token is used only where `onCredentialsChanged` can keep the pair that takes its place,
 * since many a vendor deletes the old one with that; what it is told is kept before it is used.
 */
export class RenewingCredentials {
  readonly #parts: RenewingParts;
  #credentials: CheckedCredentials;
  #life: TokenLife | undefined;
  /** Issued, but not kept yet: the next attempt begins with that. */
  #unkept: CheckedCredentials | undefined;
  #attempt: Promise<Attempt> | undefined;
  #trouble: Trouble | undefined;
  #failures = 0;
  #notBefore = 0;
  #newUntil = 0;

  constructor(parts: RenewingParts) {
    this.#parts = parts;
    this.#credentials = parts.credentials;
    this.#life = this.#lifeOf(parts.credentials);
  }

  readonly authorize: Authorize = (signal, refused) => {
    const wasRefused = refused === this.#credentials;
    if (wasRefused ? this.#isNew() : !this.#isPast('dueAt')) return this.#credentials;
    const grant = renewalGrantOf(this.#parts.kind, { credentials: this.#credentials });
    if (grant === undefined) return this.#credentials;
    if (!this.#mayUse(grant)) {
      if (wasRefused) throw new NoCredentialsError('credentials_rejected', this.#notKept());
      return this.#credentials;
    }
    if (wasRefused || this.#isPast('endsAt')) return this.#renewed(signal);
    if (this.#pauseMs() === 0 && this.#trouble?.isFinal !== true) void this.#renew();
    return this.#credentials;
  };

  /** What is known of how the credentials that are in use go on. */
  life(): Omit<CredentialsLife, 'kind'> {
    const { method, values } = this.#credentials;
    const grant = renewalGrantOf(this.#parts.kind, { credentials: this.#credentials });
    const { expires_at: endsAt } = values;
    return {
      method,
      isRenewable: grant !== undefined && this.#mayUse(grant),
      endsAt: endsAt === undefined ? null : new Date(endsAt),
    };
  }

  /** A token that is refused as soon as it is issued would not be mended by another one. */
  #isNew(): boolean {
    return this.#parts.clock.monotonic() < this.#newUntil;
  }

  #isPast(instant: keyof TokenLife): boolean {
    return this.#life !== undefined && this.#parts.clock.now() >= this.#life[instant];
  }

  /** A pair that nobody keeps would be lost with the process, and the old one is dead by then. */
  #mayUse(grant: RenewalGrant): boolean {
    return grant === 'client_credentials' || this.#parts.onCredentialsChanged !== undefined;
  }

  #notKept(): string {
    return `${this.#parts.kind.displayName} refused the access token. There is a refresh token, but it is used only where createConnector is given onCredentialsChanged, which keeps the new pair.`;
  }

  /** What a caller waits for who cannot do without. */
  async #renewed(signal: AbortSignal): Promise<CheckedCredentials> {
    for (;;) {
      if (this.#trouble?.isFinal === true) throw this.#trouble.error;
      try {
        const pauseMs = this.#pauseMs();
        if (pauseMs > 0) await wait(this.#parts.clock, pauseMs, signal);
        if ((await untilAborted(this.#renew(), signal)) === 'renewed') return this.#credentials;
      } catch (error) {
        if (signal.aborted && this.#trouble !== undefined) throw this.#trouble.error;
        throw error;
      }
    }
  }

  #pauseMs(): number {
    return Math.max(0, this.#notBefore - this.#parts.clock.monotonic());
  }

  /** One attempt, shared by all who ask while it is under way. */
  #renew(): Promise<Attempt> {
    // It never rejects: where it goes on in the background, nobody would hear of it.
    this.#attempt ??= this.#tryOnce()
      .catch((error: unknown) => this.#unforeseen(error))
      .then((attempt) => {
        this.#attempt = undefined;
        this.#note(attempt);
        return attempt;
      });
    return this.#attempt;
  }

  #unforeseen(cause: unknown): Trouble {
    const message = `The credentials of ${this.#parts.kind.displayName} could not be renewed.`;
    return { error: new Error(message, { cause }), isFinal: false };
  }

  #note(attempt: Attempt): void {
    if (attempt === 'renewed') {
      this.#failures = 0;
      this.#trouble = undefined;
      return;
    }
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    const askedMs = Math.min(LONGEST_ASKED_MS, attempt.retryAfterMs ?? 0);
    this.#notBefore = this.#parts.clock.monotonic() + Math.max(pauseMs, askedMs);
    this.#trouble = attempt;
  }

  async #tryOnce(): Promise<Attempt> {
    if (this.#unkept === undefined) {
      // The attempt is everybody's: it ends by its own timeout, not with whoever began it.
      const never = new AbortController().signal;
      const outcome = await renew(this.#parts, { credentials: this.#credentials }, never);
      if (outcome.outcome !== 'renewed') return troubleOf(outcome);
      this.#unkept = outcome.credentials;
    }
    return this.#keep(this.#unkept);
  }

  async #keep(renewed: CheckedCredentials): Promise<Attempt> {
    const { kind, onCredentialsChanged } = this.#parts;
    try {
      if (!isIssuedAnew(kind, renewed)) await onCredentialsChanged?.(renewed.values);
    } catch (error) {
      const message = `The renewed credentials of ${kind.displayName} could not be kept: onCredentialsChanged failed.`;
      return { error: new Error(message, { cause: error }), isFinal: false };
    }
    this.#credentials = renewed;
    this.#life = this.#lifeOf(renewed);
    this.#newUntil = this.#parts.clock.monotonic() + this.#newMs();
    this.#unkept = undefined;
    return 'renewed';
  }

  #newMs(): number {
    const { endsAt = Infinity } = this.#life ?? {};
    return Math.min(NEW_MS, (endsAt - this.#parts.clock.now()) / 2);
  }

  #lifeOf(credentials: CheckedCredentials): TokenLife | undefined {
    const { kind, clock, random } = this.#parts;
    return tokenLifeOf(kind, credentials, { nowMs: clock.now(), random: random() });
  }
}

/** Where a client gets its tokens by itself, what was given stays as it is: there is nothing to keep. */
function isIssuedAnew(kind: ConnectorKind, { method }: CheckedCredentials): boolean {
  return kind.auth[method]?.grants?.includes('client_credentials') === true;
}

function troubleOf(failed: Exclude<RenewalOutcome, { outcome: 'renewed' }>): Trouble {
  const { reason } = failed;
  if (failed.outcome === 'refused')
    return { error: new NoCredentialsError('credentials_rejected', reason), isFinal: true };
  const error = new NoCredentialsError('upstream_unavailable', reason);
  return { error, isFinal: false, retryAfterMs: failed.retryAfterMs };
}
