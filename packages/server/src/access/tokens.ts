import { hash } from 'node:crypto';
import { errors, jwtVerify, SignJWT, type JWTPayload, type JWTVerifyOptions } from 'jose';
import { ConnectorError, type Clock } from '@patchbay/connectors';
import { BoundedCache } from '../bounded-cache.ts';
import { newUuid } from '../uuid.ts';
import {
  type ApplicationAccess,
  type ScopedAccess,
  type TenantAccess,
  type VerifiedToken,
} from './access.ts';
import type { SigningKeys } from './signing-keys.ts';

/** How long tokens live, in seconds; clients rely on the whole time. */
export const APPLICATION_TOKEN_SECONDS = 900;
export const SCOPED_TOKEN_SECONDS = 1_200;

/** With room for the clocks of processes that differ. */
export const LONGEST_LIFE_MS = (SCOPED_TOKEN_SECONDS + 300) * 1000;

/** A token as it is issued. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** A longer token would not fit into a request's headers. */
const MAX_TOKEN_CHARACTERS = 12_288;

const ISSUER = 'patchbay';
const ALGORITHM = 'HS256';
/** Of verified tokens, as `charactersOf` counts them: 20,000 without long ids and lists. */
const MAX_CACHED_CHARACTERS = 4_000_000;

/** Type and audience tell the kinds of token apart, so that none passes for another. */
const FORMS = {
  application: { typ: 'patchbay-application+jwt', audience: 'patchbay:application' },
  scoped: { typ: 'patchbay-scoped+jwt', audience: 'patchbay:scoped' },
  operator: { typ: 'patchbay-operator+jwt', audience: 'patchbay:operator' },
} as const;

/** What a token of ours gives. */
export interface VerifiedBearer extends VerifiedToken {
  readonly tokenId: string;
  /** Of the key that signed it. */
  readonly keyId: string;
}

/** Issues and verifies bearer tokens. */
export class Tokens {
  readonly #keys: SigningKeys;
  readonly #clock: Clock;
  readonly #operatorKeyDigest: string | undefined;
  /** Verified tokens by digest: a token is worth a signature check once. */
  readonly #verified = new BoundedCache<string, VerifiedBearer>(
    MAX_CACHED_CHARACTERS,
    charactersOf,
  );

  /** @param operatorKeyDigest Names the operator's key, where there is one: tokens of another are refused. */
  constructor(keys: SigningKeys, clock: Clock, operatorKeyDigest?: string) {
    this.#keys = keys;
    this.#clock = clock;
    this.#operatorKeyDigest = operatorKeyDigest;
  }

  /** A token of an application, good for 900 s unless said. */
  async issueApplicationToken(
    access: Omit<ApplicationAccess, 'type'>,
    seconds = APPLICATION_TOKEN_SECONDS,
  ): Promise<string> {
    return this.#issue('application', seconds, {
      sub: access.applicationId,
      organization: access.organizationId,
    });
  }

  /** A token of the console that gives what the operator's key gives about all applications, as long as that is the key. */
  async issueOperatorToken(seconds: number): Promise<string> {
    const key = this.#operatorKeyDigest;
    if (key === undefined) throw new Error("without an operator's key there is no operator");
    return this.#issue('operator', seconds, { sub: 'operator', key });
  }

  /**
   * A token for one external user, good for 1,200 s.
   *
   * @throws `invalid_request` when it would be too long for a request header.
   */
  async issueScopedToken(access: Omit<ScopedAccess, 'type'>): Promise<string> {
    const token = await this.#issue('scoped', SCOPED_TOKEN_SECONDS, {
      sub: access.applicationId,
      organization: access.organizationId,
      external_user_id: access.externalUserId,
      access: access.access,
      ...(access.connectorIds === undefined ? {} : { connector_ids: [...access.connectorIds] }),
    });
    if (token.length <= MAX_TOKEN_CHARACTERS) return token;
    throw new ConnectorError(
      'invalid_request',
      {
        faults: [
          {
            field: 'external_user_id',
            errorCode: 'out_of_range',
            message:
              'makes, with connector_ids, a token too long for a request header; use a shorter id or fewer connectors',
          },
        ],
      },
      { message: 'external_user_id and connector_ids make a token too long for a request header.' },
    );
  }

  /**
   * What a token allows: at once where it has been verified before.
   *
   * @throws `unauthenticated`, `token_expired`.
   */
  verify(token: string): VerifiedBearer | Promise<VerifiedBearer> {
    // Whatever else decodes to the same would be the same token again.
    if (!COMPACT.test(token)) throw unauthenticated();
    const digest = hash('sha256', token, 'base64url');
    const known = this.#verified.get(digest);
    if (known === undefined || !this.#isTimely(known)) return this.#verifyAnew(token, digest);
    const isKept = this.#keys.isKept(known.keyId);
    if (isKept instanceof Promise)
      return isKept.then((kept) => (kept ? known : this.#verifyAnew(token, digest)));
    return isKept ? known : this.#verifyAnew(token, digest);
  }

  #verifyAnew(token: string, digest: string): Promise<VerifiedBearer> {
    this.#verified.delete(digest);
    return this.#verify(token, digest);
  }

  async #issue(
    form: keyof typeof FORMS,
    seconds: number,
    claims: JWTPayload & { readonly sub: string },
  ): Promise<string> {
    const key = await this.#keys.current();
    const nowMs = this.#clock.now();
    return (
      new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, typ: FORMS[form].typ, kid: key.id })
        .setIssuer(ISSUER)
        .setAudience(FORMS[form].audience)
        .setJti(newUuid(nowMs))
        .setIssuedAt(Math.floor(nowMs / 1000))
        // Rounded up: rounding down would take up to a second of the promised time.
        .setExpirationTime(Math.ceil(nowMs / 1000) + seconds)
        .sign(key.secret)
    );
  }

  async #verify(token: string, digest: string): Promise<VerifiedBearer> {
    const { payload, keyId } = await this.#signedBy(token);
    const verified = { ...this.#accessOf(payload), keyId };
    if (!this.#isTimely(verified)) throw issuedInTheFuture();
    this.#verified.set(digest, verified);
    return verified;
  }

  /** A token that lives longer than any was issued while the clock was ahead: it would live on for as long. */
  #isTimely({ expiresAt }: VerifiedToken): boolean {
    const leftMs = expiresAt - this.#clock.now();
    return leftMs > 0 && leftMs <= LONGEST_LIFE_MS;
  }

  async #signedBy(
    token: string,
  ): Promise<{ readonly payload: JWTPayload; readonly keyId: string }> {
    const options: JWTVerifyOptions = {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: Object.values(FORMS).map(({ audience }) => audience),
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ['sub', 'exp', 'iat', 'jti'],
    };
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = kid === undefined ? undefined : await this.#keys.find(kid);
          if (key === undefined) throw new errors.JWKSNoMatchingKey();
          return key.secret;
        },
        options,
      );
      const { typ, kid } = protectedHeader;
      const form = Object.values(FORMS).find(({ audience }) => audience === payload.aud);
      if (form === undefined || typ !== form.typ || kid === undefined) throw unauthenticated();
      return { payload, keyId: kid };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw expired(error);
      if (error instanceof errors.JOSEError) throw unauthenticated(error);
      throw error;
    }
  }

  /** Our signature vouches for the claims; still they are read as what they are. */
  #accessOf(payload: JWTPayload): Omit<VerifiedBearer, 'keyId'> {
    const { exp, aud, jti } = payload;
    if (exp === undefined || jti === undefined) throw unauthenticated();
    const verified = { tokenId: jti, expiresAt: exp * 1000 };
    if (aud !== FORMS.operator.audience) return { access: tenantOf(payload), ...verified };
    const isOfThisKey =
      this.#operatorKeyDigest !== undefined && payload['key'] === this.#operatorKeyDigest;
    if (!isOfThisKey) throw unauthenticated();
    return { access: { type: 'operator', isKey: false }, ...verified };
  }
}

function tenantOf(payload: JWTPayload): TenantAccess {
  const { sub, aud } = payload;
  const organizationId = payload['organization'];
  if (sub === undefined || typeof organizationId !== 'string') throw unauthenticated();
  const owner = { applicationId: sub, organizationId };
  return aud === FORMS.application.audience
    ? { type: 'application', ...owner }
    : { type: 'scoped', ...owner, ...scopeOf(payload) };
}

/** About what an entry of the cache holds: a key, ids, and a connector id each of 36 characters. */
function charactersOf({ access }: VerifiedBearer): number {
  if (access.type !== 'scoped') return 200;
  return 200 + access.externalUserId.length + 36 * (access.connectorIds?.size ?? 0);
}

function scopeOf(
  payload: JWTPayload,
): Pick<ScopedAccess, 'externalUserId' | 'access' | 'connectorIds'> {
  const externalUserId = payload['external_user_id'];
  const connectorIds = payload['connector_ids'];
  if (typeof externalUserId !== 'string') throw unauthenticated();
  return {
    externalUserId,
    access: payload['access'] === 'write' ? 'write' : 'read',
    connectorIds: Array.isArray(connectorIds) ? new Set(connectorIds.map(String)) : undefined,
  };
}

function unauthenticated(cause?: unknown): ConnectorError {
  return new ConnectorError(
    'unauthenticated',
    {},
    { message: 'The bearer token is not one that this service issued.', cause },
  );
}

/** Made by a process, or at a time, whose clock was ahead of this one by more than five minutes. */
function issuedInTheFuture(): ConnectorError {
  return new ConnectorError(
    'unauthenticated',
    {},
    {
      message:
        "The bearer token ends later than any may, by this process's clock: the clocks of the processes differ, or one was set back. Ask for a new token; if that is refused too, tell the operator.",
    },
  );
}

function expired(cause: unknown): ConnectorError {
  return new ConnectorError(
    'token_expired',
    {},
    { message: 'The bearer token has expired; ask for a new one.', cause },
  );
}
