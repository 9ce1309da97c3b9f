import { isConnectorError, type Clock, type ConnectorKind } from '@patchbay/connectors';
import {
  appIdOf,
  isRenewable,
  NoCredentialsError,
  renew,
  renewalGrantOf,
  TOKEN_TIMEOUT_MS,
  untilAborted,
  wait,
  wellFormedText,
  type CheckedCredentials,
  type OAuthClient,
  type RenewalOutcome,
} from '@patchbay/connectors/engine';
import type { ConnectorRow, IssuedToken, Renewal, Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { hasSameCredentials, type LiveConnector } from '../operations/live-connector.ts';
import { engineUpstream, type UpstreamSettings } from '../operations/upstreams.ts';
import { newUuid } from '../uuid.ts';
import { sealRenewed } from '../vault/connector-credentials.ts';
import type { Vault } from '../vault/vault.ts';

export interface RenewerParts {
  readonly store: Pick<Store, 'renewals'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly upstreams: UpstreamSettings;
  /** The app of that client id that an application may use, as it is now. */
  readonly clientOf: (
    applicationId: string,
    kind: ConnectorKind,
    clientId: string,
  ) => Promise<OAuthClient | undefined>;
  /** What the database has of a connector now. */
  readonly newest: (id: string) => Promise<LiveConnector | undefined>;
}

/** A connector whose turn it is, and the app that its credentials name. */
interface Renewed extends LiveConnector {
  readonly client: OAuthClient | undefined;
}

/** What a round came to: the connector as it is now, and what stood in the way. */
interface Round {
  /** `undefined` where it is gone. */
  readonly connector: LiveConnector | undefined;
  readonly trouble?: { readonly reason: string; readonly isFinal: boolean };
}

/** Whoever has the turn either has an answer by its end, or has given up. */
const LEASE_MS = TOKEN_TIMEOUT_MS + 5_000;
/** While somebody else has the turn, the database is asked so often what came of it. */
const LOOK_EVERY_MS = 150;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** Once the database is back, the pair is stored before others take the turn and ask with the one that is dead. */
const LONGEST_STORE_PAUSE_MS = 1_000;
/** An upstream that asks for more, or by whose clock it is more, is asked again: nobody else looks after the credentials. */
const LONGEST_WAIT_MS = 3_600_000;
const ANSWER_LOST =
  'The answer to an earlier renewal was lost, and with it, it seems, what took the place of these credentials.';
/** A token is new for so long, or for half its life. */
const NEW_MS = 60_000;

/**
 * Renews the credentials of connectors, for all callers of this process together and, through the
 * database, for one process at a time. Before anything is asked of an authorization server its intent is
 * stored, and what it issued is stored before anybody uses it; no transaction is open meanwhile.
 */
export class Renewer {
  readonly #parts: RenewerParts;
  readonly #rounds = new Map<string, Promise<Round>>();

  constructor(parts: RenewerParts) {
    this.#parts = parts;
  }

  /**
   * Credentials to sign a request with: those that the connector has, as long as they are good, and those that
   * take their place once they are not. A renewal that is due ahead of their end goes on in the background.
   *
   * @param refused Those that the upstream has just refused.
   * @throws NoCredentialsError, or the signal's reason.
   */
  usable(
    connector: LiveConnector,
    signal: AbortSignal,
    refused: CheckedCredentials | undefined,
  ): CheckedCredentials | Promise<CheckedCredentials> {
    const credentials = connector.credentials();
    const wasRefused = refused === credentials;
    const { renewAt, tokenEndsAt } = connector.row;
    if (wasRefused ? this.#isNew(connector.row) : !this.#isPast(renewAt)) return credentials;
    if (!isRenewable(connector.kind, credentials)) return credentials;
    if (wasRefused || this.#isPast(tokenEndsAt)) return this.#renewed(connector, signal);
    this.#inBackground(connector);
    return credentials;
  }

  /** One attempt, where somebody else is not at it. Its failure is noted, not thrown. */
  async renewOnce(connector: LiveConnector): Promise<void> {
    try {
      await this.#round(connector);
    } catch (err) {
      const { id } = connector.row;
      this.#parts.logger.warn({ err, connector_id: id }, 'Credentials could not be renewed yet.');
    }
  }

  /** Resolves once nothing is under way any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#rounds.values());
  }

  #isPast(instant: Date | null): boolean {
    return instant !== null && this.#parts.clock.now() >= instant.getTime();
  }

  /** A token that is refused as soon as it is issued would not be mended by another one. */
  #isNew({ renewedAt, tokenEndsAt }: ConnectorRow): boolean {
    if (renewedAt === null) return false;
    const lifeMs = tokenEndsAt === null ? Infinity : tokenEndsAt.getTime() - renewedAt.getTime();
    return this.#parts.clock.now() < renewedAt.getTime() + Math.min(NEW_MS, lifeMs / 2);
  }

  #inBackground(connector: LiveConnector): void {
    if (!this.#rounds.has(connector.row.id)) void this.renewOnce(connector);
  }

  /** What a caller waits for who cannot do without. */
  async #renewed(connector: LiveConnector, signal: AbortSignal): Promise<CheckedCredentials> {
    const { credentialsEpoch } = connector.row;
    let reason = `The access token of ${connector.kind.displayName} has ended, and another one is not here yet.`;
    for (let current = connector; ;) {
      const round = await untilAborted(this.#round(current), signal).catch((error: unknown) => {
        throw signal.aborted ? new NoCredentialsError('upstream_unavailable', reason) : error;
      });
      if (round.trouble?.isFinal === true)
        throw new NoCredentialsError('credentials_rejected', round.trouble.reason);
      // Whose credentials are others by now, or gone, goes on with what it began with.
      if (round.connector?.row.credentialsEpoch !== credentialsEpoch)
        return connector.credentials();
      current = round.connector;
      if (!hasSameCredentials(connector, current)) return current.credentials();
      if (current.row.state === 'reauth_required' && current.row.stateReason !== null)
        throw new NoCredentialsError('credentials_rejected', current.row.stateReason);
      reason = round.trouble?.reason ?? reason;
    }
  }

  /** A look at what others do, or an attempt; shared by all who ask while it is under way. */
  #round(connector: LiveConnector): Promise<Round> {
    const { id } = connector.row;
    const running = this.#rounds.get(id);
    if (running !== undefined) return running;
    const round = this.#begin(connector).finally(() => this.#rounds.delete(id));
    this.#rounds.set(id, round);
    return round;
  }

  async #begin(connector: LiveConnector): Promise<Round> {
    const { store, clock, newest } = this.#parts;
    const { id, credentialsEpoch, sealedCredentials } = connector.row;
    const client = await this.#clientOf(connector);
    const owner = newUuid(clock.now());
    const renewal = { connectorId: id, credentialsEpoch, sealedCredentials, owner };
    const turn = await store.renewals.begin(renewal, LEASE_MS);
    switch (turn.turn) {
      case 'over':
        return { connector: await newest(id) };
      case 'busy':
        await wait(clock, LOOK_EVERY_MS, new AbortController().signal);
        return { connector: await newest(id) };
      case 'granted':
        return this.#attempt({ ...connector, client }, renewal, turn);
    }
  }

  /** The app that the credentials name, where they do not have its secret. */
  async #clientOf({ kind, row, credentials }: LiveConnector): Promise<OAuthClient | undefined> {
    const clientId = appIdOf(kind, credentials());
    if (clientId === undefined) return undefined;
    return this.#parts.clientOf(row.applicationId, kind, clientId);
  }

  async #attempt(
    connector: Renewed,
    renewal: Renewal,
    { unanswered, failures }: { readonly unanswered: number; readonly failures: number },
  ): Promise<Round> {
    const { store, logger, newest } = this.#parts;
    const { connectorId } = renewal;
    const facts = { connector_id: connectorId, kind: connector.kind.kind };
    const outcome = await this.#ask(connector).catch((err: unknown): RenewalOutcome => {
      logger.error({ ...facts, err }, 'A renewal failed for a reason of our own.');
      return { outcome: 'failed', reason: 'The renewal failed', mayHaveHappened: true };
    });
    if (outcome.outcome === 'renewed') {
      await this.#store(connector, renewal, outcome.credentials);
      logger.info({ ...facts, unanswered, failures }, 'renewal');
      return { connector: await newest(connectorId) };
    }
    const reason = wellFormedText(outcome.reason);
    if (outcome.outcome === 'refused') {
      const isLost = unanswered > 0 && outcome.what === 'grant';
      const told = isLost ? `${reason.replace(/\.$/, '')}. ${ANSWER_LOST}` : reason;
      const isOver = await store.renewals.refuse(renewal, told);
      logger.warn({ ...facts, reason: told }, 'The credentials of a connector ended for good.');
      return {
        connector: await newest(connectorId),
        ...(isOver ? { trouble: { reason: told, isFinal: true } } : {}),
      };
    }
    const { mayHaveHappened, retryAfterMs = 0 } = outcome;
    const pauseMs = Math.max(Math.min(retryAfterMs, LONGEST_WAIT_MS), pauseAfter(failures));
    await store.renewals.fail(renewal, { pauseMs, isCertain: !mayHaveHappened });
    const told = { ...facts, reason, pause_ms: Math.round(pauseMs) };
    logger.warn(told, 'A renewal failed; it is tried again.');
    return { connector, trouble: { reason, isFinal: false } };
  }

  async #ask(connector: Renewed): Promise<RenewalOutcome> {
    const { clock, upstreams } = this.#parts;
    const { kind, engine, row, client } = connector;
    const renewable = { credentials: connector.credentials(), client };
    if (renewalGrantOf(kind, renewable) === undefined)
      return {
        outcome: 'failed',
        reason: `The OAuth app that the credentials of ${kind.displayName} were issued to is not configured any more`,
        mayHaveHappened: false,
      };
    try {
      engine.requireConfig();
    } catch (error) {
      if (!isConnectorError(error)) throw error;
      return {
        outcome: 'failed',
        reason: error.message,
        mayHaveHappened: false,
        retryAfterMs: LONGEST_PAUSE_MS,
      };
    }
    const { baseUrl } = engineUpstream(kind, upstreams);
    const upstream = { kind, config: row.config, baseUrl, clock };
    // It ends by its own timeout, not with whoever began it: everybody waits for it.
    return renew(upstream, renewable, new AbortController().signal);
  }

  /** Until it is stored: what the upstream takes is nowhere else. */
  async #store(
    { kind }: LiveConnector,
    renewal: Renewal,
    credentials: CheckedCredentials,
  ): Promise<void> {
    const { store, clock, logger } = this.#parts;
    const { connectorId } = renewal;
    const sealing = { ...this.#parts, kind, connectorId };
    let sealed: IssuedToken | undefined;
    for (let failures = 0; ; failures++) {
      try {
        // Which key seals it may be a question to the database.
        sealed ??= await sealRenewed(sealing, credentials);
        await store.renewals.finish(renewal, sealed);
        return;
      } catch (err) {
        logger.error(
          { err, connector_id: connectorId },
          'Renewed credentials could not be stored; it is tried again.',
        );
        const pauseMs = Math.min(LONGEST_STORE_PAUSE_MS, pauseAfter(failures));
        await wait(clock, pauseMs, new AbortController().signal);
      }
    }
  }
}

/** Twice as long after each failure, less up to a half by chance. */
function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}
