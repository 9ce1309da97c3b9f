import { ConnectorError, isConnectorError, type Clock } from '@patchbay/connectors';
import {
  isRenewable,
  isSameAccount,
  type Account,
  type CheckedCredentials,
  type ConnectorEngine,
} from '@patchbay/connectors/engine';
import type { Store } from '@patchbay/store';
import type { Admission } from '../admission/admission.ts';
import type { Logger } from '../log.ts';
import type { Asking } from './asking.ts';
import { copiedEntities } from './freshness.ts';
import type { LiveConnector } from './live-connector.ts';
import type { LiveConnectors } from './live-connectors.ts';

export interface AccountsParts {
  readonly store: Pick<Store, 'connectors' | 'syncs'>;
  readonly live: LiveConnectors;
  readonly admission: Pick<Admission, 'atUpstream'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Credentials that are given to a connector, and how. */
export interface GivenToConnector {
  readonly credentials: CheckedCredentials;
  /** They were not typed in, but issued to us by a person's consent. */
  readonly isConsented?: boolean | undefined;
  /** As it will be with them. */
  readonly config: Readonly<Record<string, unknown>>;
  /** They may be somebody else's. */
  readonly mayReplace: boolean;
  /** They are those that the connector has, to be used with another config. */
  readonly isPresent?: boolean;
}

/** What became known of given credentials. */
export interface GivenAccount {
  readonly account: Account | null;
  /** They are, or may be, somebody else's than those that the connector has. */
  readonly isAnother: boolean;
  /** Both are known, and they are not the same. */
  readonly isKnownOther: boolean;
}

/** What the upstream did not say is asked again with a call that works, this much later. */
const ASK_AGAIN_AFTER_MS = 10 * 60_000;
const TIMEOUT_MS = 20_000;

/**
 * Whose the credentials of connectors are: learnt once, from the upstream, and stored with them.
 *
 * @see docs/decisions/2026-11-22-credentials-belong-to-an-account.md
 */
export class Accounts {
  readonly #parts: AccountsParts;
  /** When it was last asked for, in milliseconds of the monotonic clock. */
  readonly #askedAt = new WeakMap<ConnectorEngine, number>();
  readonly #learning = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(parts: AccountsParts) {
    this.#parts = parts;
  }

  /** Learns it in the background where it is not known: to be called when something has shown that they work. */
  learnSoon(connector: LiveConnector): void {
    if (connector.row.account !== null || this.#stopping.signal.aborted) return;
    const now = this.#parts.clock.monotonic();
    const askedAt = this.#askedAt.get(connector.engine);
    if (askedAt !== undefined && now - askedAt < ASK_AGAIN_AFTER_MS) return;
    const { signal } = this.#stopping;
    const learning = this.learn(connector, { signal }).finally(() =>
      this.#learning.delete(learning),
    );
    this.#learning.add(learning);
  }

  /**
   * Learns it where it is not known. What fails is logged only, and leaves it unknown: whatever was to
   * be done with the credentials goes on.
   */
  async learn(connector: LiveConnector, asking: Asking): Promise<Account | null> {
    const { row, engine } = connector;
    if (row.account !== null) return row.account;
    this.#askedAt.set(engine, this.#parts.clock.monotonic());
    try {
      const account = await this.ask(engine, asking);
      if (account !== null) await this.#store(connector, account);
      return account;
    } catch (err) {
      this.#note(err, asking.signal, { connector_id: row.id });
      return null;
    }
  }

  /** What the upstream says now; null where it does not say, or the question fails, which is logged. */
  async askOrNull(engine: ConnectorEngine, asking: Asking): Promise<Account | null> {
    try {
      return await this.ask(engine, asking);
    } catch (err) {
      this.#note(err, asking.signal, { kind: engine.kind.kind });
      return null;
    }
  }

  /**
   * What the upstream says now; null where it does not say.
   *
   * @throws ConnectorError by the error table.
   */
  async ask(engine: ConnectorEngine, { signal, caller }: Asking): Promise<Account | null> {
    const options = { signal, priority: 'background', timeoutMs: TIMEOUT_MS } as const;
    const { admission } = this.#parts;
    return (await admission.atUpstream(caller, () => engine.identify(options))) ?? null;
  }

  /**
   * Whether given credentials are of the account and principal that the connector is of. Nothing is
   * asked of the upstream where that is not known and nothing has been copied: there is nothing to hide.
   *
   * @throws `account_mismatch` where they are not, or may not be, and may not replace them either;
   * what the upstream says of them, so that nothing is lost to credentials that do not work.
   */
  async judge(
    connector: LiveConnector,
    given: GivenToConnector,
    asking: Asking,
  ): Promise<GivenAccount> {
    const { row, kind } = connector;
    if (row.account === null && !(await this.#hasCopy(connector)))
      return { account: null, isAnother: true, isKnownOther: false };
    const trial = this.#parts.live.makeTrialEngine(kind, given.credentials, given.config);
    const account = await this.#askOfGiven(trial, given, asking);
    const present = await this.learn(connector, asking);
    if (account !== null && present !== null && isSameAccount(account, present))
      return { account, isAnother: false, isKnownOther: false };
    if (!given.mayReplace) throw accountMismatch(present, account);
    return { account, isAnother: true, isKnownOther: account !== null && present !== null };
  }

  /** Resolves once nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The service goes down.'));
    await Promise.all(this.#learning);
  }

  /**
   * Credentials that may not ask are good, but nobody knows whose; nor of present ones whose access token has ended, as
   * where an account has moved, before they are renewed.
   */
  async #askOfGiven(
    trial: ConnectorEngine,
    { credentials, isPresent }: GivenToConnector,
    asking: Asking,
  ): Promise<Account | null> {
    try {
      return await this.ask(trial, asking);
    } catch (error) {
      const mayBeRenewed = isPresent === true && isRenewable(trial.kind, credentials);
      if (isConnectorError(error, 'upstream_forbidden')) return null;
      if (isConnectorError(error, 'credentials_rejected') && mayBeRenewed) return null;
      throw error;
    }
  }

  async #hasCopy({ row, kind }: LiveConnector): Promise<boolean> {
    const entities = await this.#parts.store.syncs.entities(row.id, copiedEntities(kind));
    return entities.some(({ hasPage, recordCount }) => hasPage || recordCount > 0);
  }

  #note(err: unknown, { aborted }: AbortSignal, facts: object): void {
    const message = 'It could not be learnt whose the credentials are.';
    if (!aborted) this.#parts.logger.warn({ err, ...facts }, message);
  }

  async #store({ row }: LiveConnector, account: Account): Promise<void> {
    const { store, live } = this.#parts;
    const { id, credentialsEpoch: ifEpoch } = row;
    const updated = await store.connectors.update(id, { account }, { ifEpoch });
    if (updated !== undefined) await live.takeOver(updated);
  }
}

function accountMismatch(
  present: Account | null,
  given: Account | null,
): ConnectorError<'account_mismatch'> {
  const message = `${reasonOf(present, given)}. Nothing was changed. With "replace_account": true they take over, and everything copied so far is deleted.`;
  return new ConnectorError('account_mismatch', { present, given }, { message });
}

function reasonOf(present: Account | null, given: Account | null): string {
  if (given === null) return 'The upstream does not say whose these credentials are';
  if (present === null)
    return 'Nobody knows whose data the connector has copied: its present credentials cannot be asked any more';
  if (present.id === given.id)
    return `These credentials are of another person or bot of the account ${nameOf(present)}: ${given.principal} instead of ${present.principal}`;
  return `These credentials are of another account: ${nameOf(given)} instead of ${nameOf(present)}`;
}

function nameOf({ id, name }: Account): string {
  return name === null || name === id ? id : `${name} (${id})`;
}
