import { isConnectorError, type Clock, type ConnectorKind } from '@patchbay/connectors';
import {
  appIdOf,
  findKind,
  renew,
  renewalGrantOf,
  revocationOf,
  revoke,
  wellFormedText,
  type Account,
  type CheckedCredentials,
  type OAuthClient,
  type RevocationOutcome,
} from '@patchbay/connectors/engine';
import type { Revocation, Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import type { RenewerParts } from '../renewal/renewer.ts';
import { engineUpstream, refusalOf, type UpstreamSettings } from '../operations/upstreams.ts';
import {
  digestAccessToken,
  digestCredentials,
  openUnlessDamaged,
  sealRenewed,
} from '../vault/connector-credentials.ts';
import type { Vault } from '../vault/vault.ts';

export interface RevokerParts {
  readonly store: Pick<Store, 'revocations'>;
  readonly live: Pick<LiveConnectors, 'makeTrialEngine'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly upstreams: UpstreamSettings;
  /** The app of that client id that an application may use, as it is now. */
  readonly clientOf: RenewerParts['clientOf'];
}

/** A revocation with its credentials opened, as they are by now. */
interface Opened {
  readonly revocation: Revocation;
  readonly kind: ConnectorKind;
  readonly credentials: CheckedCredentials;
  /** The app that the credentials name, where they do not have its secret. */
  readonly client: OAuthClient | undefined;
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;
const IDENTIFY_WITHIN_MS = 10_000;
const OF_ANOTHER = {
  outcome: 'refused',
  reason: 'Another connector would lose its access with them.',
} as const;
const UNRENEWABLE = {
  outcome: 'refused',
  reason:
    'The access token is dead; whether the refresh token is, too, only the client that it was issued to could ask.',
} as const;

/**
 * Revokes credentials upstream that no connector needs any more, or ever got, and erases them: once they are
 * dead, or the upstream refuses for good. What fails is tried again.
 *
 * @see docs/decisions/2026-11-22-credentials-are-revoked-when-a-connector-goes.md
 */
export class Revoker {
  readonly #parts: RevokerParts;

  constructor(parts: RevokerParts) {
    this.#parts = parts;
  }

  /**
   * One attempt at what `revocations.take` gave.
   *
   * @throws the signal's reason when it aborts; what the database throws. The lease ends by itself then.
   */
  async attempt(revocation: Revocation, signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#parts;
    const { connectorId, failures } = revocation;
    const facts = { connector_id: connectorId, kind: revocation.kind, failures };
    const outcome = await this.#revoke(revocation, signal);
    if (outcome.outcome === 'failed') {
      const reason = wellFormedText(outcome.reason);
      const askedMs = Math.min(outcome.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
      const pauseMs = Math.max(askedMs, pauseAfter(failures));
      await store.revocations.fail(revocation, pauseMs);
      const told = { ...facts, reason, pause_ms: Math.round(pauseMs) };
      logger.warn(told, 'Credentials could not be revoked yet; it is tried again.');
      return;
    }
    await store.revocations.end(revocation);
    if (outcome.outcome === 'refused')
      logger.warn(
        { ...facts, reason: wellFormedText(outcome.reason) },
        'Credentials are erased, but not revoked upstream.',
      );
    else logger.info({ ...facts, outcome: outcome.outcome }, 'revocation');
  }

  async #revoke(revocation: Revocation, signal: AbortSignal): Promise<RevocationOutcome> {
    const { connectorId: id, authMethod, sealedCredentials } = revocation;
    const row = { id, authMethod, sealedCredentials };
    const credentials = await openUnlessDamaged(this.#parts.vault, row);
    if (credentials === undefined)
      return { outcome: 'refused', reason: 'What was stored of them does not open.' };
    const kind = findKind(revocation.kind);
    const reason = refusalOf(this.#parts.upstreams, kind.kind, credentials);
    if (reason !== undefined) return { outcome: 'refused', reason };
    const digest = digestCredentials({ vault: this.#parts.vault, connectorId: id }, credentials);
    if (await this.#parts.store.revocations.isUsed(id, digest))
      return { outcome: 'refused', reason: 'The connector has been given them after all.' };
    // Before anything is asked: of what ended, the refresh token would be spent.
    if (await this.#isShared(kind, credentials)) return OF_ANOTHER;
    const client = await this.#clientOf(kind, revocation, credentials);
    const opened = { revocation, kind, credentials, client };
    const outcome = await this.#revokeAccess(opened, signal);
    // An access token that has ended revokes nothing, but its refresh token would live on.
    if (outcome.outcome !== 'dead' || credentials.values['refresh_token'] === undefined)
      return outcome;
    if (renewalGrantOf(kind, { credentials, client }) !== 'refresh_token') return UNRENEWABLE;
    return this.#revokeRenewed(opened, signal);
  }

  async #isShared(kind: ConnectorKind, credentials: CheckedCredentials): Promise<boolean> {
    const { store, vault } = this.#parts;
    const digest = digestAccessToken({ vault, kind }, credentials);
    return digest !== null && (await store.revocations.isTokenHeld(kind.kind, digest));
  }

  async #clientOf(
    kind: ConnectorKind,
    { applicationId }: Revocation,
    credentials: CheckedCredentials,
  ): Promise<OAuthClient | undefined> {
    const clientId = appIdOf(kind, credentials);
    if (clientId === undefined) return undefined;
    return this.#parts.clientOf(applicationId, kind, clientId);
  }

  async #revokeRenewed(opened: Opened, signal: AbortSignal): Promise<RevocationOutcome> {
    const { credentials, client } = opened;
    // It ends by its own timeout: an answer that nobody waits for would be a token that nobody revokes.
    const never = new AbortController().signal;
    const renewed = await renew(this.#upstreamOf(opened), { credentials, client }, never);
    if (renewed.outcome === 'refused')
      return { outcome: renewed.what === 'grant' ? 'dead' : 'refused', reason: renewed.reason };
    if (renewed.outcome === 'failed') return renewed;
    const issued = { ...opened, credentials: renewed.credentials };
    await this.#keep(issued);
    return this.#revokeAccess(issued, signal);
  }

  /** For other attempts; where they cannot have it, this one is the last that can revoke it. */
  async #keep({ revocation, kind, credentials }: Opened): Promise<void> {
    const { store, vault, clock, logger } = this.#parts;
    const { connectorId } = revocation;
    try {
      const sealing = { vault, clock, kind, connectorId };
      const { sealedCredentials } = await sealRenewed(sealing, credentials);
      await store.revocations.keep(revocation, sealedCredentials);
    } catch (err) {
      const facts = { err, connector_id: connectorId };
      logger.error(facts, 'Credentials that are to be revoked were renewed, but not stored.');
    }
  }

  /** Revokes the access token, where that takes nothing from anybody else. */
  async #revokeAccess(opened: Opened, signal: AbortSignal): Promise<RevocationOutcome> {
    const { revocation, kind, credentials } = opened;
    const { ends } = revocationOf(kind);
    const { connectorId } = revocation;
    if (ends !== 'token') {
      const account = revocation.account ?? (await this.#identify(opened, signal));
      if ('outcome' in account) return account;
      const { id: accountId, principal } = account;
      const others = ends === 'principal' ? { accountId, principal } : { accountId };
      const { revocations } = this.#parts.store;
      if (await revocations.isHeld({ kind: kind.kind, connectorId, ...others })) return OF_ANOTHER;
    }
    return revoke(this.#upstreamOf(opened), credentials, signal);
  }

  /** Whose the credentials are, or what stands in the way of learning it. */
  async #identify(
    { revocation, kind, credentials }: Opened,
    signal: AbortSignal,
  ): Promise<Account | RevocationOutcome> {
    const engine = this.#parts.live.makeTrialEngine(kind, credentials, revocation.config);
    try {
      const account = await engine.identify({ signal, timeoutMs: IDENTIFY_WITHIN_MS });
      const reason = 'Nobody knows who else would lose their access with them.';
      return account ?? { outcome: 'refused', reason };
    } catch (error) {
      if (!isConnectorError(error)) throw error;
      const { code, message: reason } = error;
      if (code === 'credentials_rejected') return { outcome: 'dead', reason };
      const isForGood = code === 'upstream_forbidden' || code === 'config_required';
      return { outcome: isForGood ? 'refused' : 'failed', reason };
    }
  }

  #upstreamOf({ revocation, kind }: Opened) {
    const { clock, upstreams } = this.#parts;
    const { baseUrl } = engineUpstream(kind, upstreams);
    return { kind, config: revocation.config, baseUrl, clock };
  }
}

/** Twice as long after each failure, less up to a half by chance. */
function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}
