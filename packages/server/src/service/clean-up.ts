import { SESSIONS_KEPT_MS } from '../connect-sessions/connect-sessions.ts';
import { SESSION_IDLE_MS } from '../console/console-sessions.ts';
import { STATS_KEPT_MS } from '../operations/stats.ts';
import { REVOCATIONS_KEPT_MS } from '../revocation/revocation-sweep.ts';
import { inPieces } from '../in-pieces.ts';
import type { Basis } from './basis.ts';

type CleanUpParts = Pick<Basis, 'store' | 'onRefreshError'>;

const CLEAN_UP_EVERY_MS = 3_600_000;
const KEYS_KEPT_MS = 24 * 3_600_000;
/** A person who comes back late is still told so where they began. */
const CONSENTS_KEPT_MS = 3_600_000;

/** Deletes every hour what nobody will ask for any more. */
export class CleanUp {
  readonly #parts: CleanUpParts;
  readonly #timer: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  #work: Promise<void> | undefined;

  constructor(parts: CleanUpParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.begin(), CLEAN_UP_EVERY_MS).unref();
  }

  /** Unless it is at that already; ends when it is done. */
  begin(): Promise<void> {
    return (this.#work ??= this.#clean().finally(() => {
      this.#work = undefined;
    }));
  }

  /** Ends between two statements. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#work;
  }

  /** One after another, so that they take turns with others, and not all at once. What fails stops none of the rest. */
  async #clean(): Promise<void> {
    const { store, onRefreshError } = this.#parts;
    const { signal } = this.#stopping;
    const pieces: readonly ((limit: number) => Promise<number>)[] = [
      (limit) => store.revokedTokens.deleteExpired(limit),
      (limit) => store.consoleSessions.deleteEnded(SESSION_IDLE_MS, limit),
      (limit) => store.idempotency.deleteOlderThan(KEYS_KEPT_MS, limit),
      // Where no worker runs, too.
      (limit) => store.revocations.expire(REVOCATIONS_KEPT_MS, limit),
      // Until then, revoking what their connectors had may take them.
      (limit) => store.oauthApps.deleteOfDeleted(REVOCATIONS_KEPT_MS, limit),
      (limit) => store.creations.deleteOlderThan(KEYS_KEPT_MS, limit),
      (limit) => store.stats.deleteOlderThan(STATS_KEPT_MS, limit),
      (limit) => store.consents.deleteExpired(CONSENTS_KEPT_MS, limit),
      (limit) => store.connectSessions.eraseExpired(limit),
      (limit) => store.connectSessions.deleteOlderThan(SESSIONS_KEPT_MS, limit),
    ];
    for (const piece of pieces) await inPieces(piece, { signal }).catch(onRefreshError);
  }
}
