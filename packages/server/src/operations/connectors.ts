import {
  checkConnector,
  isConnectorError,
  type CheckReport,
  type Clock,
  type ConnectorEngine,
} from '@patchbay/connectors';
import type { ConnectorRow, RunCause, Store } from '@patchbay/store';
import type { Access } from '../access/access.ts';
import { forbidden } from '../access/reach.ts';
import type { Logger } from '../log.ts';
import { newUuid } from '../uuid.ts';
import { openCredentials, sealCredentials } from '../vault/connector-credentials.ts';
import type { Vault } from '../vault/vault.ts';
import { explainConfigRequired } from './config-required.ts';
import { checkConnectorPatch, checkNewConnector, type ConnectorPatch } from './connector-input.ts';
import { cursorAfter, MAX_PAGE, type ListQuery } from './list-query.ts';
import type { LiveConnector, LiveConnectors } from './live-connectors.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ConnectorPage {
  readonly rows: readonly ConnectorRow[];
  /** Cursor of the next page, or null. */
  readonly next: string | null;
}

/** What changes of connectors ask of replication. */
export interface SyncRequests {
  /** The id of the run that will be, or `undefined` when the connector is gone. */
  request(connectorId: string, cause: RunCause): Promise<string | undefined>;
  /** Sees to it that the records of a deleted connector go. */
  clear(connectorId: string): Promise<void>;
}

export interface ConnectorsParts {
  readonly store: Pick<Store, 'connectors'>;
  readonly live: LiveConnectors;
  readonly syncs: SyncRequests;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MAX_EXTERNAL_USERS = 10_000;

/** Creating, listing, changing, checking and deleting connectors. */
export class Connectors {
  readonly #parts: ConnectorsParts;

  constructor(parts: ConnectorsParts) {
    this.#parts = parts;
  }

  /**
   * Creates a connector; `hasDefaults` fills name and external user where they are missing.
   *
   * @throws as `checkNewConnector`; `forbidden` for another external user than the token's; with
   * `verify`, what the upstream says.
   */
  async create(
    access: Access,
    body: Json,
    options: { readonly hasDefaults: boolean; readonly signal: AbortSignal },
  ): Promise<ConnectorRow> {
    const { store, live, vault, clock } = this.#parts;
    if (access.type === 'scoped' && access.connectorIds !== undefined)
      throw forbidden('The token is for certain connectors; it cannot create others.');
    const own = access.type === 'scoped' ? access.externalUserId : undefined;
    const { hasDefaults, signal } = options;
    const connector = checkNewConnector(
      body,
      hasDefaults ? { externalUserId: own, usesKindName: true } : {},
    );
    const { kind, credentials, config, externalUserId } = connector;
    if (own !== undefined && externalUserId !== own)
      throw forbidden('The token is for another external user.');
    if (connector.isVerified) await verify(live.makeEngine(kind, credentials, config), signal);
    const id = newUuid(clock.now());
    const row = await store.connectors.create({
      id,
      applicationId: access.applicationId,
      externalUserId,
      kind: kind.kind,
      name: connector.name,
      config,
      replicationConfig: connector.replicationConfig,
      authMethod: credentials.method,
      sealedCredentials: await sealCredentials(vault, id, credentials),
    });
    const created = await live.adopt(row);
    await this.#requestSync(id, 'creation');
    if (!connector.isVerified) return row;
    await live.moveTo('active', created);
    return (await this.#require(access, id)).row;
  }

  /** The row as the database has it now: syncs change it, in other processes too. */
  async read(access: Access, id: string): Promise<ConnectorRow> {
    return (await this.#parts.live.requireNewest(access, id)).row;
  }

  /** The live connector, for whoever needs its kind. */
  async require(access: Access, id: string): Promise<LiveConnector> {
    return this.#require(access, id);
  }

  /** One page of the connectors within reach. */
  async list(access: Access, query: ListQuery): Promise<ConnectorPage> {
    const { externalUserId = ownUser(access), kind, limit, after } = query;
    if (access.type === 'scoped' && externalUserId !== access.externalUserId)
      return { rows: [], next: null };
    const rows = await this.#parts.store.connectors.list(
      {
        applicationId: access.applicationId,
        ...(externalUserId === undefined ? {} : { externalUserId }),
        ...(kind === undefined ? {} : { kind: kind.kind }),
        ...(access.type === 'scoped' && access.connectorIds !== undefined
          ? { ids: [...access.connectorIds] }
          : {}),
      },
      { limit: limit + 1, ...(after === undefined ? {} : { after }) },
    );
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      rows: page,
      next: rows.length > limit && last !== undefined ? cursorAfter(last) : null,
    };
  }

  /** All connectors within reach that match. */
  async listAll(
    access: Access,
    filter: Pick<ListQuery, 'externalUserId' | 'kind'>,
  ): Promise<readonly ConnectorRow[]> {
    const all: ConnectorRow[] = [];
    let after: ListQuery['after'];
    for (;;) {
      const { rows, next } = await this.list(access, { ...filter, limit: MAX_PAGE, after });
      all.push(...rows);
      after = rows.at(-1);
      if (next === null) return all;
    }
  }

  /** The external users within reach that have connectors, in order. */
  async externalUsers(access: Access, contains: string | undefined): Promise<readonly string[]> {
    const externalUserId = ownUser(access);
    return this.#parts.store.connectors.externalUsers(access.applicationId, {
      limit: MAX_EXTERNAL_USERS,
      ...(contains === undefined ? {} : { contains }),
      ...(externalUserId === undefined ? {} : { externalUserId }),
    });
  }

  /**
   * Merges a change into a connector; new credentials end `reauth_required`. What a sync could not
   * do before, or would do differently now, is begun at once.
   */
  async change(access: Access, id: string, body: Json): Promise<ConnectorRow> {
    const { store, vault, live } = this.#parts;
    for (;;) {
      const known = await this.#require(access, id);
      const { kind, row } = known;
      const patch = checkConnectorPatch(body, {
        kind,
        config: row.config,
        replicationConfig: row.replicationConfig,
        credentials: await openCredentials(vault, row),
      });
      if (Object.keys(patch).length === 0) return row;
      const updated = await store.connectors.update(row.id, await changeOf(vault, row, patch), {
        ifRevision: row.revision,
      });
      if (updated !== undefined) {
        const changed = await live.adopt(updated, known);
        const cause = syncCauseOf(row, patch);
        if (cause !== undefined && !updated.isPaused) await this.#requestSync(row.id, cause);
        return changed.row;
      }
      // Changed in between: merge with what it has become.
      live.forget(row.id);
    }
  }

  /** Deletes a connector and its credentials; returns the id of the job that clears the rest. */
  async delete(access: Access, id: string): Promise<string> {
    const { store, live, clock } = this.#parts;
    const { row } = await this.#require(access, id);
    const jobId = await store.connectors.delete(row.id, newUuid(clock.now()));
    live.forget(row.id);
    if (jobId !== undefined) {
      await this.#clear(row.id);
      return jobId;
    }
    // Somebody else deleted it in between: to this caller it is absent, too.
    await this.#require(access, id);
    throw new Error(`connector ${row.id} can be found but not deleted`);
  }

  /** Tries the credentials upstream, and moves the connector to the state that this shows. */
  async check(
    access: Access,
    id: string,
    options: { readonly signal: AbortSignal },
  ): Promise<CheckReport> {
    const { live } = this.#parts;
    const connector = await this.#require(access, id);
    try {
      const report = await checkConnector(connector.engine, options);
      const isRefused = report.entity_check_results.some(
        ({ error_code: code }) => code === 'credentials_rejected',
      );
      if (isRefused) await live.moveTo('reauth_required', connector);
      else if (report.status === 'succeeded' && isUnproven(connector.row)) {
        await live.moveTo('active', connector);
        const { id: connectorId, state, isPaused } = connector.row;
        if (state === 'reauth_required' && !isPaused)
          await this.#requestSync(connectorId, 'credentials');
      }
      return report;
    } catch (error) {
      throw explainConfigRequired(error, connector.row.id);
    }
  }

  async #require(access: Access, id: string): Promise<LiveConnector> {
    return this.#parts.live.require(access, id);
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

  /** The tombstone says what is left to clear, so a request that is lost only delays it. */
  async #clear(connectorId: string): Promise<void> {
    try {
      await this.#parts.syncs.clear(connectorId);
    } catch (err) {
      const facts = { err, connector_id: connectorId };
      this.#parts.logger.error(facts, 'The records of a deleted connector are cleared later.');
    }
  }
}

/** Why a change calls for a sync, if it does. */
function syncCauseOf(before: ConnectorRow, patch: ConnectorPatch): RunCause | undefined {
  if (patch.credentials !== undefined) return 'credentials';
  if (patch.config !== undefined || patch.replicationConfig !== undefined) return 'definition';
  return before.isPaused && patch.isPaused === false ? 'demand' : undefined;
}

function isUnproven({ state }: ConnectorRow): boolean {
  return state === 'pending' || state === 'reauth_required';
}

function ownUser(access: Access): string | undefined {
  return access.type === 'scoped' ? access.externalUserId : undefined;
}

async function changeOf(vault: Vault, row: ConnectorRow, patch: ConnectorPatch) {
  const { credentials, ...rest } = patch;
  if (credentials === undefined) return rest;
  return {
    ...rest,
    authMethod: credentials.method,
    sealedCredentials: await sealCredentials(vault, row.id, credentials),
    ...(row.state === 'reauth_required' ? { state: 'pending' as const } : {}),
  };
}

/** Tries credentials with the first read that the definition names for that. */
async function verify(engine: ConnectorEngine, signal: AbortSignal): Promise<void> {
  const [first] = engine.kind.checks;
  if (first === undefined) return;
  try {
    await engine.execute(first.entity, first.action, first.params, { signal });
  } catch (error) {
    // The credentials are good; what they may not do shows when it is tried.
    if (!isConnectorError(error, 'upstream_forbidden')) throw error;
  }
}
