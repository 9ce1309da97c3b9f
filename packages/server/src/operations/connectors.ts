import {
  ConnectorError,
  type CheckReport,
  type Clock,
  type ErrorDetails,
  type KindDescription,
} from '@patchbay/connectors';
import {
  checkConnector,
  wait,
  type Account,
  type CheckedCredentials,
  type CheckResult,
} from '@patchbay/connectors/engine';
import {
  isStoreError,
  type Begun,
  type ConnectorChange,
  type ConnectorRow,
  type RunCause,
  type Store,
} from '@patchbay/store';
import type { Access } from '../access/access.ts';
import { QUOTA_VARIABLES, type Quotas } from '../admission/quotas.ts';
import { forbidden, requireTenant } from '../access/reach.ts';
import type { Logger } from '../log.ts';
import { newUuid } from '../uuid.ts';
import { sealCredentials, shareRefreshToken } from '../vault/connector-credentials.ts';
import type { Vault } from '../vault/vault.ts';
import type { Admission } from '../admission/admission.ts';
import type { Accounts } from './accounts.ts';
import type { Asking } from './asking.ts';
import { explainConfigRequired } from './config-required.ts';
import { requireEnabled } from './connector-disabled.ts';
import {
  checkConnectorPatch,
  checkNewConnector,
  namesStoredSecrets,
  type CheckedConnector,
  type ConnectorPatch,
} from './connector-input.ts';
import type { ConnectorViews } from './connector-views.ts';
import type { DeletionInput } from './deletion-input.ts';
import { describeConnector } from './describe-connector.ts';
import { isCopyingStopped } from './freshness.ts';
import type { GivenCredentials } from './given-credentials.ts';
import { pageFrom, MAX_PAGE, type ListQuery } from './list-query.ts';
import type { LiveConnector } from './live-connector.ts';
import type { LiveConnectors } from './live-connectors.ts';
import { refusalIn, SharedChecks } from './shared-checks.ts';
import { SharedReads } from './shared-reads.ts';

type NewConnector = Parameters<Store['connectors']['create']>[0];
type Json = Readonly<Record<string, unknown>>;

/** A connector that is to be created for an application. */
export interface EstablishedConnector extends CheckedConnector {
  readonly applicationId: string;
  /** A UUID that was promised already; a new one unless given. */
  readonly id?: string;
  /** Its credentials were not typed in, but issued to us by a person's consent. */
  readonly isConsented?: boolean;
  /** Whose the credentials are, null where nobody knows: given where they have been tried already. */
  readonly account?: Account | null;
  /** What it is made of, if a person has begun that. */
  readonly begun?: Begun;
}

export interface ConnectorPage {
  readonly rows: readonly ConnectorRow[];
  /** Cursor of the next page, or null. */
  readonly next: string | null;
}

/** What changes of connectors ask of replication. */
export interface SyncRequests {
  /** The id of the run that will be, or `undefined` when the connector is gone. */
  request(connectorId: string, cause: RunCause): Promise<string | undefined>;
  /** Begins soon with a run that is queued already. */
  tellOf(connectorId: string): Promise<void>;
  /** Sees to it that the records of a connector go, since it is deleted or another account's. */
  clear(connectorId: string, reason: 'deleted' | 'changed'): void;
}

export interface ConnectorsParts {
  readonly store: Pick<Store, 'connectors' | 'copies' | 'renewals'>;
  readonly live: LiveConnectors;
  readonly accounts: Pick<Accounts, 'learn'>;
  readonly given: GivenCredentials;
  readonly views: Pick<ConnectorViews, 'warningsOf'>;
  readonly admission: Pick<Admission, 'atUpstream'>;
  readonly syncs: SyncRequests;
  readonly quotas: Quotas;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MAX_EXTERNAL_USERS = 10_000;
/** While the credentials that are to be changed are renewed, it is asked so often whether that is over. */
const LOOK_EVERY_MS = 150;

/** @throws `forbidden` for a token of certain connectors, whatever it would create. */
export function requireCreation(access: Access): void {
  if (access.type === 'scoped' && access.connectorIds !== undefined)
    throw forbidden('The token is for certain connectors; it cannot create others.');
}

/** Creating, listing, changing, checking and deleting connectors. */
export class Connectors {
  readonly #parts: ConnectorsParts;
  readonly #checks: SharedChecks;
  readonly #descriptions = new SharedReads<KindDescription>();

  constructor(parts: ConnectorsParts) {
    this.#parts = parts;
    this.#checks = new SharedChecks(parts.clock, parts.quotas.checkApartMs);
  }

  /**
   * Creates a connector; `hasDefaults` fills name and external user where they are missing.
   *
   * @throws as `checkNewConnector`; `forbidden` for another external user than the token's;
   * `quota_exceeded`; with `verify`, what the upstream says.
   */
  async create(
    access: Access,
    body: Json,
    options: { readonly hasDefaults: boolean; readonly signal: AbortSignal },
  ): Promise<ConnectorRow> {
    const { applicationId } = requireTenant(access);
    requireCreation(access);
    const own = access.type === 'scoped' ? access.externalUserId : undefined;
    const { hasDefaults, signal } = options;
    const connector = checkNewConnector(
      body,
      hasDefaults ? { externalUserId: own, usesKindName: true } : {},
    );
    if (own !== undefined && connector.externalUserId !== own)
      throw forbidden('The token is for another external user.');
    return this.establish({ ...connector, applicationId }, { signal, caller: access });
  }

  /**
   * Creates a connector of which everything has been checked but whether its credentials are renewed with somebody else's
   * app and, where it is to be verified, what the upstream says of them.
   *
   * @throws `invalid_credentials`; `quota_exceeded`; with `mustVerify`, what the upstream says; `unauthenticated` where the application has been
   * revoked meanwhile; `begun_ended` of the store.
   */
  async establish(connector: EstablishedConnector, asking: Asking): Promise<ConnectorRow> {
    const { live, vault, clock } = this.#parts;
    const { kind, credentials, config, mustVerify, isConsented, begun } = connector;
    if (isConsented !== true) await this.#parts.given.requireSecretOfApp(kind, connector);
    const account = mustVerify
      ? await this.#parts.given.try(kind, { credentials, config }, asking)
      : connector.account;
    const id = connector.id ?? newUuid(clock.now());
    const sealing = { vault, clock, kind, connectorId: id };
    const made = {
      id,
      applicationId: connector.applicationId,
      externalUserId: connector.externalUserId,
      kind: kind.kind,
      name: connector.name,
      config,
      replicationConfig: connector.replicationConfig,
      account: account ?? null,
      ...(await sealCredentials(sealing, credentials, { isConsented })),
      firstRunId: newUuid(clock.now()),
    };
    const row = await this.#store(made, begun);
    const created = await live.adopt(row);
    await this.#parts.syncs.tellOf(id);
    if (account === undefined) return row;
    await live.moveTo('active', created);
    return this.#newestOf(row);
  }

  /** What has been made is told, whether or not the database can be asked for what it has become. */
  async #newestOf(row: ConnectorRow): Promise<ConnectorRow> {
    const { live, logger } = this.#parts;
    try {
      return (await live.findNewest(row.id))?.row ?? row;
    } catch (err) {
      logger.warn({ err, connector_id: row.id }, 'A connector that was made could not be read.');
      return row;
    }
  }

  /** The row as the database has it now: syncs change it, in other processes too. */
  async read(access: Access, id: string): Promise<ConnectorRow> {
    return (await this.#parts.live.requireNewest(access, id)).row;
  }

  /** The live connector, for whoever needs its kind. */
  async require(access: Access, id: string): Promise<LiveConnector> {
    return this.#parts.live.require(access, id);
  }

  /** What the connector can do, and what its copies have been seen to hold. */
  async describe(access: Access, id: string): Promise<KindDescription> {
    const { kind, row } = await this.require(access, id);
    return this.#descriptions.read(row.id, async () =>
      describeConnector(kind, await this.#parts.store.copies.paths(row.id)),
    );
  }

  /** One page of the connectors within reach. */
  async list(access: Access, query: ListQuery): Promise<ConnectorPage> {
    const { externalUserId = ownUser(access), kind, status, contains, limit, after } = query;
    const { applicationId = ownApplication(access) } = query;
    const isBeyond =
      (access.type === 'scoped' && externalUserId !== access.externalUserId) ||
      (access.type !== 'operator' && applicationId !== access.applicationId);
    if (isBeyond) return { rows: [], next: null };
    const rows = await this.#parts.store.connectors.list(
      {
        ...(applicationId === undefined ? {} : { applicationId }),
        ...(externalUserId === undefined ? {} : { externalUserId }),
        ...(kind === undefined ? {} : { kind: kind.kind }),
        ...(status === undefined ? {} : { status }),
        ...(contains === undefined ? {} : { contains }),
        ...(access.type === 'scoped' && access.connectorIds !== undefined
          ? { ids: [...access.connectorIds] }
          : {}),
      },
      { limit: limit + 1, ...(after === undefined ? {} : { after }) },
    );
    const { page, next } = pageFrom(rows, limit, (row) => row);
    return { rows: page, next };
  }

  /** All connectors within reach that match. */
  async listAll(
    access: Access,
    filter: Pick<ListQuery, 'applicationId' | 'externalUserId' | 'kind'>,
  ): Promise<readonly ConnectorRow[]> {
    const every = { ...filter, status: undefined, contains: undefined, limit: MAX_PAGE };
    const all: ConnectorRow[] = [];
    let after: ListQuery['after'];
    for (;;) {
      const { rows, next } = await this.list(access, { ...every, after });
      all.push(...rows);
      after = rows.at(-1);
      if (next === null) return all;
    }
  }

  /** The external users within reach that have connectors, in order. */
  async externalUsers(access: Access, contains: string | undefined): Promise<readonly string[]> {
    const externalUserId = ownUser(access);
    return this.#parts.store.connectors.externalUsers(requireTenant(access).applicationId, {
      limit: MAX_EXTERNAL_USERS,
      ...(contains === undefined ? {} : { contains }),
      ...(externalUserId === undefined ? {} : { externalUserId }),
    });
  }

  /**
   * Merges a change into a connector; other credentials, and another address to use them at, end `reauth_required`,
   * the same ones are checked again then. What a sync could not do before, or would do differently now, is begun at once.
   *
   * @throws as `checkConnectorPatch`; `forbidden` where a scoped token would disable or enable it, or use its secrets
   * in another name;
   * `account_mismatch`, and what the upstream says of other credentials, and at another address.
   */
  async change(
    access: Access,
    id: string,
    { body, ...options }: { readonly body: Json; readonly signal: AbortSignal },
  ): Promise<ConnectorRow> {
    const patchOf = ({ row, kind, credentials }: LiveConnector) => {
      const patch = checkConnectorPatch(body, { ...row, kind, credentials: credentials() });
      if (patch.isDisabled !== undefined && access.type === 'scoped')
        throw forbidden('Only its application disables and enables a connector.');
      const isRenamed = patch.credentials && namesStoredSecrets(kind, body, patch.credentials);
      if (isRenamed === true && access.type === 'scoped')
        throw forbidden(
          'Only its application uses stored secrets in another name; give the credentials whole.',
        );
      return patch;
    };
    return this.#merge(access, id, { patchOf, caller: access, ...options });
  }

  /**
   * Gives a connector credentials that have been checked, as `change` does.
   *
   * @throws as `change`; `begun_ended` of the store.
   */
  async reauthorize(
    access: Access,
    id: string,
    {
      credentials,
      isConsented = false,
      ...options
    }: {
      readonly credentials: CheckedCredentials;
      /** They were not typed in, but issued to us by a person's consent. */
      readonly isConsented?: boolean;
      /** What gave them. */
      readonly begun: Begun;
      readonly signal: AbortSignal;
    },
  ): Promise<ConnectorRow> {
    const patch = { credentials, isConsented, mayReplace: false };
    return this.#merge(access, id, { patchOf: () => patch, ...options });
  }

  async #merge(
    access: Access,
    id: string,
    {
      patchOf,
      begun,
      ...asking
    }: {
      readonly patchOf: (known: LiveConnector) => ConnectorPatch;
      readonly begun?: Begun;
    } & Asking,
  ): Promise<ConnectorRow> {
    const { store, live, clock } = this.#parts;
    for (;;) {
      // The newest: whether credentials are the same must not be judged by what they were before.
      const known = await live.requireNewest(access, id);
      const { row } = known;
      const patch = patchOf(known);
      const ifNotRenewed = mayLoseRenewed(patch, known);
      if (ifNotRenewed && (await store.renewals.isUnderWay(row.id))) {
        await wait(clock, LOOK_EVERY_MS, asking.signal);
        continue;
      }
      const change = await this.#parts.given.changeOf(known, patch, asking);
      const updated =
        Object.keys(change).length === 0
          ? row
          : await store.connectors.update(row.id, change, {
              ifRevision: row.revision,
              ifNotRenewed,
              ...(begun === undefined ? {} : { begun }),
            });
      // Changed in between: merge with what it has become.
      if (updated === undefined) continue;
      if (updated !== row) await live.adopt(updated, known);
      if (change.replacesAccount === true) this.#parts.syncs.clear(row.id, 'changed');
      const cause = syncCauseOf(row, change);
      if (cause !== undefined && !isCopyingStopped(updated)) await this.#requestSync(row.id, cause);
      const isDone = patch.credentials === undefined || updated.state !== 'reauth_required';
      if (isDone || updated.isDisabled) return updated;
      await this.check(access, id, { ...asking, isAnew: true });
      return (await this.require(access, id)).row;
    }
  }

  /**
   * Deletes a connector and its credentials, of which those are revoked upstream that an authorization server
   * issued; returns the id of the job that clears the rest.
   */
  async delete(access: Access, id: string, options?: DeletionInput): Promise<string> {
    const { store, live, clock } = this.#parts;
    const { row } = await this.require(access, id);
    const jobId = await store.connectors.delete(row.id, newUuid(clock.now()), options);
    live.forget(row.id);
    if (jobId !== undefined) {
      this.#parts.syncs.clear(row.id, 'deleted');
      return jobId;
    }
    // Somebody else deleted it in between: to this caller it is absent, too.
    await this.require(access, id);
    throw new Error(`connector ${row.id} can be found but not deleted`);
  }

  /**
   * Tries the credentials upstream, and moves the connector to the state that this shows; soon after
   * another check it answers what that one did, unless it is to be made anew.
   *
   * @throws `connector_disabled`.
   */
  async check(
    access: Access,
    id: string,
    { caller, ...options }: Asking & { readonly isAnew?: boolean },
  ): Promise<CheckReport> {
    const connector = await this.require(access, id);
    requireEnabled(connector.row);
    const result = await this.#parts.admission.atUpstream(caller, () =>
      this.#checks.check(connector, {
        ...options,
        run: (signal) => this.#check(connector, signal),
      }),
    );
    return { ...result, warnings: await this.#parts.views.warningsOf(connector.row) };
  }

  async #check(connector: LiveConnector, signal: AbortSignal): Promise<CheckResult> {
    const { live } = this.#parts;
    try {
      const report = await checkConnector(connector.engine, { signal });
      const refusal = refusalIn(report);
      if (refusal !== undefined)
        await live.moveTo('reauth_required', connector, { reason: refusal });
      else if (report.status === 'succeeded' && isUnproven(connector.row)) {
        await live.moveTo('active', connector);
        const { id: connectorId, state } = connector.row;
        if (state === 'reauth_required' && !isCopyingStopped(connector.row))
          await this.#requestSync(connectorId, 'credentials');
      }
      if (refusal === undefined) await this.#parts.accounts.learn(connector, { signal });
      return report;
    } catch (error) {
      throw explainConfigRequired(error, connector.row.id);
    }
  }

  /** @throws as `establish`; what raises the quota is for the operator's eyes, in the log. */
  async #store(connector: NewConnector, begun: Begun | undefined): Promise<ConnectorRow> {
    const { store, quotas, logger } = this.#parts;
    const { connectorsPerUser: perExternalUser, connectorsPerApplication: perApplication } = quotas;
    try {
      return await store.connectors.create(connector, { perExternalUser, perApplication }, begun);
    } catch (error) {
      if (isStoreError(error, 'application_revoked')) throw applicationRevoked();
      const isOfUser = isStoreError(error, 'external_user_full');
      if (!isOfUser && !isStoreError(error, 'application_full')) throw error;
      const quota = isOfUser ? 'connectorsPerUser' : 'connectorsPerApplication';
      const facts = { application_id: connector.applicationId, limit: quotas[quota] };
      logger.warn(
        { ...facts, setting: QUOTA_VARIABLES[quota] },
        'A connector was refused, since there are as many as the setting allows.',
      );
      throw quotaExceeded(isOfUser ? 'external_user' : 'application', quotas[quota]);
    }
  }

  /** What led here is done and stays done; a run that could not be asked for is made up by schedule. */
  async #requestSync(connectorId: string, cause: RunCause): Promise<void> {
    try {
      await this.#parts.syncs.request(connectorId, cause);
    } catch (err) {
      const facts = { err, connector_id: connectorId, cause };
      this.#parts.logger.error(facts, 'A sync could not be asked for; the schedule will.');
    }
  }
}

function applicationRevoked(): ConnectorError<'unauthenticated'> {
  const message = 'The application of the token has been revoked.';
  return new ConnectorError('unauthenticated', {}, { message });
}

function quotaExceeded(
  of: ErrorDetails<'quota_exceeded'>['of'],
  limit: number,
): ConnectorError<'quota_exceeded'> {
  const owner = of.replace('_', ' ');
  const message = `The ${owner} has ${limit} connectors, as many as one may have; delete one that is no longer needed.`;
  return new ConnectorError('quota_exceeded', { limit, of }, { message });
}

/**
 * Whether what a renewal issues meanwhile could be lost to what it is changed to: the same refresh token in other
 * credentials, or the present credentials as another account's, at another address.
 */
function mayLoseRenewed({ credentials, config }: ConnectorPatch, known: LiveConnector): boolean {
  const present = known.credentials();
  return (
    (config !== undefined && present.values['refresh_token'] !== undefined) ||
    (credentials !== undefined && shareRefreshToken(credentials, present))
  );
}

/** Why a change calls for a sync, if it does. */
function syncCauseOf(before: ConnectorRow, change: ConnectorChange): RunCause | undefined {
  if (change.replacesAccount === true) return 'credentials';
  // The same person's only let go on what had to stop without them.
  if (change.credentials !== undefined && before.state === 'reauth_required') return 'credentials';
  if (change.config !== undefined || change.replicationConfig !== undefined) return 'definition';
  const isResumed = before.isPaused && change.isPaused === false;
  const isEnabled = before.isDisabled && change.isDisabled === false;
  return isResumed || isEnabled ? 'demand' : undefined;
}

function isUnproven({ state }: ConnectorRow): boolean {
  return state === 'pending' || state === 'reauth_required';
}

/** Lists are of the own application unless the operator, who has none, asks for them. */
function ownApplication(access: Access): string | undefined {
  return access.type === 'operator' ? undefined : access.applicationId;
}

function ownUser(access: Access): string | undefined {
  return access.type === 'scoped' ? access.externalUserId : undefined;
}
