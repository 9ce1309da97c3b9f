import { isConnectorError, type Clock } from '@patchbay/connectors';
import {
  redeemCode,
  type CheckedCredentials,
  type OAuthUpstream,
} from '@patchbay/connectors/engine';
import { isStoreError, type Begun } from '@patchbay/store';
import { accessOfPerson } from '../access/access.ts';
import type { Logger } from '../log.ts';
import type { Connectors } from '../operations/connectors.ts';
import { engineUpstream, type UpstreamSettings } from '../operations/upstreams.ts';
import type { Callback } from './callback.ts';
import type { ConsentRequest, OpenConsent, SessionConsents } from './consent-request.ts';
import type { OAuthApps } from './oauth-apps.ts';

/** What people are told of an application, and what acting for it needs. */
export interface ConsentingApplication {
  readonly name: string;
  readonly organizationId: string;
}

/** Tokens that were issued and that nothing will use. */
export interface DiscardedTokens {
  readonly consent: ConsentRequest;
  readonly credentials: CheckedCredentials;
}

export interface ConsentEndingParts {
  readonly apps: Pick<OAuthApps, 'askedWith'>;
  readonly connectors: Pick<Connectors, 'establish' | 'reauthorize'>;
  readonly sessions: SessionConsents;
  readonly upstreams: UpstreamSettings;
  /** Told of tokens that no connector got, to revoke them as far as that harms no others. */
  readonly discard: (tokens: DiscardedTokens) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How a consent failed, as the application is told. */
export interface ConsentFailure {
  readonly code: 'access_denied' | 'account_mismatch' | 'creation_failed' | 'session_expired';
  readonly message: string;
}

/** One whose state is used up; it can still be ended from elsewhere. */
export type TakenConsent = OpenConsent & { readonly begun: Begun };

/** What came of it; `told` where whoever asked knows it by a session. */
export type ConsentOutcome =
  { readonly connectorId: string } | { readonly failure: ConsentFailure } | 'told';

/** A person whom the vendor has sent back. */
interface ReturnedPerson {
  readonly callback: Callback;
  readonly application: ConsentingApplication;
  /** The address that the vendor knows us by. */
  readonly redirectUri: string;
}

const CONCLUDE_TIMEOUT_MS = 45_000;
const OURS = 'Something went wrong on our side.';
const ENDED = 'The consent was ended meanwhile, with its user or its application.';

/** What becomes of a consent once the vendor has sent the person back: credentials, and a connector that has them. */
export class ConsentEnding {
  readonly #parts: ConsentEndingParts;

  constructor(parts: ConsentEndingParts) {
    this.#parts = parts;
  }

  /** The state is used up by now: whatever happens, the person goes on with what came of it. */
  async conclude(
    consent: TakenConsent,
    { callback, application, redirectUri }: ReturnedPerson,
  ): Promise<ConsentOutcome> {
    const { logger } = this.#parts;
    const facts = { application_id: consent.applicationId, kind: consent.kind.kind };
    try {
      if (callback.error !== undefined)
        return await this.fail(consent, failureOf(consent, callback.error));
      const signal = AbortSignal.timeout(CONCLUDE_TIMEOUT_MS);
      const credentials = await this.#redeem(consent, { code: callback.code, redirectUri }, signal);
      if ('failure' in credentials) return await this.fail(consent, credentials.failure);
      const outcome = await this.#give({ consent, credentials, application }, signal);
      if (outcome !== 'told' && 'failure' in outcome)
        return await this.fail(consent, outcome.failure);
      logger.info(facts, 'consent');
      return outcome;
    } catch (err) {
      logger.error({ err, ...facts }, 'What a person consented to could not be stored.');
      return this.fail(consent, { code: 'creation_failed', message: OURS });
    }
  }

  async #redeem(
    { kind, config, applicationId, clientId, isOwnApp, codeVerifier }: OpenConsent,
    callback: { readonly code: string; readonly redirectUri: string },
    signal: AbortSignal,
  ): Promise<CheckedCredentials | { readonly failure: ConsentFailure }> {
    const { apps, upstreams, clock } = this.#parts;
    const asked = { clientId, isOwn: isOwnApp };
    const client = await apps.askedWith(applicationId, kind, asked);
    if (client === undefined)
      return creationFailed(`The OAuth app for ${kind.displayName} has been replaced meanwhile.`);
    const { baseUrl } = engineUpstream(kind, upstreams);
    const upstream: OAuthUpstream = { kind, config, baseUrl, clock };
    const given = { client, ...callback, codeVerifier };
    const redeemed = await redeemCode(upstream, given, signal);
    return redeemed.outcome === 'redeemed'
      ? redeemed.credentials
      : creationFailed(`${redeemed.reason}.`);
  }

  async #give(
    given: {
      readonly consent: TakenConsent;
      readonly credentials: CheckedCredentials;
      readonly application: ConsentingApplication;
    },
    signal: AbortSignal,
  ): Promise<ConsentOutcome> {
    const { consent, credentials } = given;
    const { kind, config, purpose, begun } = consent;
    try {
      if (purpose.for === 'session') {
        await this.#parts.sessions.receive(purpose.sessionId, { kind, config, credentials });
        return 'told';
      }
      const { connectorId } = purpose;
      if (connectorId === undefined) return { connectorId: await this.#establish(given, signal) };
      const access = accessOfPerson(consent, given.application, connectorId);
      await this.#parts.connectors.reauthorize(access, connectorId, {
        credentials,
        isConsented: true,
        begun,
        signal,
      });
      return { connectorId };
    } catch (error) {
      const isEnded = isStoreError(error, 'begun_ended');
      // Where something else went wrong, nobody knows whether they are stored after all.
      if (!isEnded && !isConnectorError(error)) throw error;
      await this.#discard({ consent, credentials });
      if (isEnded) return creationFailed(ENDED);
      const { code, message } = error;
      if (code !== 'account_mismatch') return creationFailed(message);
      // What a session says of it is meant for the person; elsewhere it would name the account that there is.
      return { failure: { code, message: purpose.for === 'session' ? message : ACCOUNT_MISMATCH } };
    }
  }

  async #establish(
    {
      consent,
      credentials,
    }: { readonly consent: TakenConsent; readonly credentials: CheckedCredentials },
    signal: AbortSignal,
  ): Promise<string> {
    const { applicationId, externalUserId, kind, config, purpose, begun } = consent;
    if (purpose.for !== 'connector') throw new Error('a session makes its connector itself');
    const { name, replicationConfig } = purpose;
    const owner = { applicationId, externalUserId };
    const connector = { ...owner, kind, name, credentials, config, replicationConfig };
    const row = await this.#parts.connectors.establish(
      { ...connector, mustVerify: true, isConsented: true, begun },
      { signal },
    );
    return row.id;
  }

  async #discard(tokens: DiscardedTokens): Promise<void> {
    const { discard, logger } = this.#parts;
    try {
      await discard(tokens);
    } catch (err) {
      const { applicationId, kind } = tokens.consent;
      const facts = { err, application_id: applicationId, kind: kind.kind };
      logger.warn(facts, 'Tokens that nothing uses could not be revoked.');
    }
  }

  /** Tells whoever asked through a session; an application is told by its redirect. */
  async fail(
    { kind, applicationId, purpose }: ConsentRequest,
    failure: ConsentFailure,
  ): Promise<ConsentOutcome> {
    const { sessions, logger } = this.#parts;
    const facts = { application_id: applicationId, kind: kind.kind, code: failure.code };
    logger.info(facts, 'consent');
    if (purpose.for === 'connector') return { failure };
    try {
      await sessions.decline(purpose.sessionId, failure);
    } catch (err) {
      logger.error({ err, ...facts }, 'A connect session could not be told of a failure.');
    }
    return 'told';
  }
}

const ACCOUNT_MISMATCH =
  'The account or person that consented is not the one that the connector is of; nothing was changed.';

/** What vendors call their errors; anything else is not passed on. */
const VENDOR_CODE = /^[a-z_]{1,40}$/;

function failureOf({ kind: { displayName } }: ConsentRequest, error: string): ConsentFailure {
  if (error === 'access_denied')
    return { code: 'access_denied', message: `The person did not allow it at ${displayName}.` };
  const told = VENDOR_CODE.test(error) ? error : 'an error';
  return { code: 'creation_failed', message: `${displayName} asked nobody: ${told}.` };
}

function creationFailed(message: string): { readonly failure: ConsentFailure } {
  return { failure: { code: 'creation_failed', message } };
}
