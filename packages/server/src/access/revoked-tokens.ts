import { ConnectorError, isConnectorError, type Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import { FreshCache } from '../fresh-cache.ts';
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
      load: async () =>
        new Set<string>(
          (await store.revokedTokens.list()).map(({ jti, revokedBy }) => keyOf(revokedBy, jti)),
        ),
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
    if (by.type !== 'operator') await this.#requireRoom(revokedBy, jti, most);
    await this.#parts.store.revokedTokens.add({ jti, revokedBy }, LONGEST_LIFE_MS);
    await this.#known.reload(ALL);
  }

  async #requireRoom(revokedBy: string, jti: string, most: number): Promise<void> {
    const all = (await this.#known.get(ALL)) ?? new Set<string>();
    if (all.size < most || all.has(keyOf(revokedBy, jti))) return;
    let own = 0;
    for (const each of all) if (each.startsWith(keyOf(revokedBy, ''))) own += 1;
    if (own < most) return;
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
