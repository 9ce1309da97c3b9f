import { ConnectorError, isConnectorError, type Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import { FreshCache } from '../fresh-cache.ts';
import { SharedReads } from '../operations/shared-reads.ts';
import type { Access, VerifiedToken } from './access.ts';
import { LONGEST_LIFE_MS, type Tokens } from './tokens.ts';

/** Every process notices a revocation within a second: that is the age that what it knows may have. */
const REFRESH_AFTER_MS = 300;
const MAX_AGE_MS = 700;
const ALL = 'all';

/** So many has an application revoked at once: every process that takes calls reads all of them again and again. */
export const MOST_REVOKED_OF_APPLICATION = 10_000;
/**
 * So many more where they are application tokens, given whole: whoever has stolen one uses the others up with ids that are
 * made up, or with tokens of external users, but makes no other of these.
 */
export const MORE_APPLICATION_TOKENS = 1_000;

interface RevokedTokensParts {
  readonly store: Pick<Store, 'profile' | 'revokedTokens'>;
  readonly tokens: Pick<Tokens, 'verify'>;
  readonly clock: Clock;
  readonly onRefreshError: (error: unknown) => void;
}

/** The token that is to be revoked: itself, or its id (`jti`), a UUID. */
export type WhichToken = { readonly token: string } | { readonly jti: string };

/**
 * Tokens that were revoked one by one. One short list serves all calls: it is read again while calls
 * come, a few times a second however many there are, and by no process that is idle.
 */
export class RevokedTokens {
  readonly #parts: RevokedTokensParts;
  readonly #known: FreshCache<ReadonlySet<string>>;
  readonly #reads = new SharedReads<ReadonlySet<string> | undefined>();
  /** By the monotonic clock. */
  #readAt = -Infinity;

  constructor(parts: RevokedTokensParts) {
    const { store, clock, onRefreshError } = parts;
    // Where one process alone uses the database, nobody else can have revoked anything.
    const { isExclusive } = store.profile;
    this.#parts = parts;
    this.#known = new FreshCache<ReadonlySet<string>>({
      clock,
      maxEntries: 1,
      refreshAfterMs: isExclusive ? Infinity : REFRESH_AFTER_MS,
      maxAgeMs: isExclusive ? Infinity : MAX_AGE_MS,
      load: () => this.#read(),
      onRefreshError,
    });
  }

  /**
   * Lets a token pass; at once where the list was read lately.
   *
   * @throws `unauthenticated` when the token is revoked.
   */
  requireUnrevoked(token: VerifiedToken): void | Promise<void> {
    const known = this.#known.get(ALL);
    if (known instanceof Promise) return known.then((all) => requireAbsent(token, all));
    return requireAbsent(token, known);
  }

  /**
   * Revokes a token within reach. What is no token, has ended, is revoked already or is another
   * application's changes nothing, and nobody is told which of them it was.
   *
   * @throws `quota_exceeded`.
   */
  async revoke(by: Access, which: WhichToken): Promise<void> {
    const revokedBy = by.type === 'operator' ? by.type : by.applicationId;
    const found =
      'jti' in which
        ? { jti: which.jti.toLowerCase(), most: MOST_REVOKED_OF_APPLICATION }
        : await this.#find(which.token, revokedBy);
    if (found === undefined) return;
    const { jti, most } = found;
    const known = await this.#known.get(ALL);
    if (known?.has(keyOf(revokedBy, jti)) === true) return;
    if (by.type !== 'operator') await this.#requireRoom(known, revokedBy, most);
    await this.#parts.store.revokedTokens.add({ jti, revokedBy }, LONGEST_LIFE_MS);
    await this.#readAgain();
  }

  async #read(): Promise<ReadonlySet<string>> {
    this.#readAt = this.#parts.clock.monotonic();
    const listed = await this.#parts.store.revokedTokens.list();
    return new Set(listed.map(({ jti, revokedBy }) => keyOf(revokedBy, jti)));
  }

  /** From now on; a long list is not read for each of many that are revoked at once. */
  async #readAgain(): Promise<ReadonlySet<string> | undefined> {
    return this.#reads.read(ALL, () => this.#known.reload(ALL));
  }

  async #requireRoom(
    known: ReadonlySet<string> | undefined,
    revokedBy: string,
    most: number,
  ): Promise<void> {
    if (!isFull(known, revokedBy, most)) return;
    // What nobody else changes is not read again by itself, but tokens of it end.
    const isOld = this.#parts.clock.monotonic() - this.#readAt >= MAX_AGE_MS;
    if (isOld && !isFull(await this.#readAgain(), revokedBy, most)) return;
    const details = { limit: MOST_REVOKED_OF_APPLICATION, of: 'application' } as const;
    const message = `The application has revoked ${details.limit.toLocaleString('en')} tokens within 25 minutes, as many as one may; they end by themselves.`;
    throw new ConnectorError('quota_exceeded', details, { message });
  }

  /** Its id, and of how many revoked ones it may be. */
  async #find(
    token: string,
    revokedBy: string,
  ): Promise<{ readonly jti: string; readonly most: number } | undefined> {
    try {
      const { access, tokenId } = await this.#parts.tokens.verify(token);
      const isWithin =
        revokedBy === 'operator' ||
        (access.type !== 'operator' && access.applicationId === revokedBy);
      if (!isWithin) return undefined;
      const more = access.type === 'application' ? MORE_APPLICATION_TOKENS : 0;
      return { jti: tokenId, most: MOST_REVOKED_OF_APPLICATION + more };
    } catch (error) {
      if (isConnectorError(error) && error.status === 401) return undefined;
      throw error;
    }
  }
}

/** The id alone would let an application end a token of another one. */
function keyOf(revokedBy: string, jti: string): string {
  return `${revokedBy} ${jti}`;
}

function isFull(all: ReadonlySet<string> | undefined, revokedBy: string, most: number): boolean {
  if (all === undefined || all.size < most) return false;
  let own = 0;
  for (const each of all) if (each.startsWith(keyOf(revokedBy, ''))) own += 1;
  return own >= most;
}

function requireAbsent(
  { access, tokenId }: VerifiedToken,
  revoked: ReadonlySet<string> | undefined,
): void {
  if (revoked === undefined || revoked.size === 0) return;
  if (tokenId === undefined) return;
  const isRevoked =
    revoked.has(keyOf('operator', tokenId)) ||
    (access.type !== 'operator' && revoked.has(keyOf(access.applicationId, tokenId)));
  if (!isRevoked) return;
  throw new ConnectorError('unauthenticated', {}, { message: 'The bearer token is revoked.' });
}
