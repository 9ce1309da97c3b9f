import { ConnectorError, type Clock } from '@patchbay/connectors';
import type { RequestedRun, SyncRunPage, SyncStatus } from '@patchbay/connectors/wire';
import type { ConnectorRow, EntitySync, Store, Syncs } from '@patchbay/store';
import type { Access } from '../access/access.ts';
import type { Quotas } from '../admission/quotas.ts';
import { explainConfigRequired } from './config-required.ts';
import { requireEnabled } from './connector-disabled.ts';
import { reauthRequired } from './reauth-required.ts';
import { copiedEntities, isCopyingStopped } from './freshness.ts';
import type { LiveConnector } from './live-connector.ts';
import { pageFrom, type PageQuery } from './list-query.ts';
import { requireWithin, type LiveConnectors } from './live-connectors.ts';
import { lookForWorkers } from './no-worker.ts';
import { SharedLooks } from './shared-looks.ts';
import { viewRunReport, viewSync } from './sync-view.ts';

/** What replication does for those who ask for syncs, and watch them. */
export interface SyncDemands {
  /** As the store has it. */
  demand(connectorId: string, apartMs: number): ReturnType<Syncs['demandRun']>;
  /** Calls back whenever this process gets further with a connector; the result ends that. */
  onProgress(connectorId: string, listener: () => void): () => void;
}

export interface SyncRunsParts {
  readonly store: Pick<Store, 'syncs' | 'instances'>;
  readonly live: LiveConnectors;
  readonly replication: SyncDemands;
  readonly quotas: Quotas;
  readonly clock: Clock;
}

/** What happens while somebody watches. */
export type SyncEvent =
  | {
      readonly type: 'progress' | 'end';
      readonly view: SyncStatus;
      /** The one that is watched, which may still wait for another; the last one where there is none. */
      readonly runId: string | undefined;
    }
  /** Nothing, for a while. */
  | { readonly type: 'silence' };

export interface WatchOptions {
  /** The run to watch; without it, the one that is current. */
  readonly runId: string | undefined;
  readonly signal: AbortSignal;
  /** Rejects once whoever watches may not any more. */
  readonly requireAdmission: () => Promise<void> | void;
}

/** What those who watch a connector see, whoever they are. */
interface Look {
  readonly connector: LiveConnector;
  readonly view: SyncStatus;
}

/** Other processes tell nothing, so their progress is looked for this often. */
const LOOK_EVERY_MS = 1_000;
/** However fast pages come, nobody reads more than a few lines a second. */
const LOOK_AT_MOST_EVERY_MS = 150;
/** Proxies cut connections on which nothing has come for half a minute or more. */
const SILENCE_MS = 15_000;

/** The syncs of connectors, as seen and asked for from outside. */
export class SyncRuns {
  readonly #parts: SyncRunsParts;
  readonly #looks: SharedLooks<Look | undefined>;

  constructor(parts: SyncRunsParts) {
    this.#parts = parts;
    this.#looks = new SharedLooks({
      clock: parts.clock,
      look: (id) => this.#look(id),
      onNews: (id, listener) => parts.replication.onProgress(id, listener),
      atLeastMs: LOOK_AT_MOST_EVERY_MS,
      atMostMs: LOOK_EVERY_MS,
    });
  }

  /**
   * Asks for a run; one that is queued already serves both. Whoever asked is told where no process would begin it.
   *
   * @throws `connector_disabled`, `config_required`, `reauth_required`, `connector_paused`: no run could do anything;
   * `rate_limited` too soon after the one before.
   */
  async start(access: Access, id: string): Promise<RequestedRun> {
    const { store, live, replication, quotas } = this.#parts;
    const connector = await live.requireNewest(access, id);
    requireRunnable(connector);
    const demanded = await replication.demand(connector.row.id, quotas.demandApartMs);
    if (demanded !== undefined && 'runId' in demanded) {
      const { warnings } = await lookForWorkers(store);
      return { run_id: demanded.runId, ...(warnings.length === 0 ? {} : { warnings }) };
    }
    if (demanded !== undefined) throw tooSoon(demanded.waitMs, quotas);
    // Deleted in between: to this caller it is absent.
    await live.requireNewest(access, id);
    throw new Error(`no sync of connector ${connector.row.id} can be asked for`);
  }

  async view(access: Access, id: string): Promise<SyncStatus> {
    return this.#view(await this.#parts.live.requireNewest(access, id));
  }

  /** Newest first. */
  async history(access: Access, id: string, { limit, after }: PageQuery): Promise<SyncRunPage> {
    const { row } = await this.#parts.live.requireNewest(access, id);
    const before = after && { requestedAt: after.createdAt, id: after.id };
    const runs = await this.#parts.store.syncs.runHistory(row.id, {
      limit: limit + 1,
      ...(before === undefined ? {} : { before }),
    });
    const { page, next } = pageFrom(runs, limit, (run) => ({
      createdAt: run.requestedAt,
      id: run.id,
    }));
    return { data: page.map(viewRunReport), next };
  }

  /** A connector's row and its copies, in the order of the definition. */
  async inspect(
    access: Access,
    id: string,
  ): Promise<{ readonly row: ConnectorRow; readonly entities: readonly EntitySync[] }> {
    const { row, kind } = await this.#parts.live.requireNewest(access, id);
    const entities = await this.#parts.store.syncs.entities(row.id, copiedEntities(kind));
    return { row, entities };
  }

  /**
   * What happens until a run ends or the copying is paused, or at once an end where there is
   * none: every change, and now and then that there was none.
   *
   * @throws `connector_not_found`, and what `requireAdmission` rejects with.
   */
  async *watch(
    access: Access,
    id: string,
    { runId, signal, requireAdmission }: WatchOptions,
  ): AsyncGenerator<SyncEvent, void, undefined> {
    const { clock } = this.#parts;
    const canonical = id.toLowerCase();
    const watcher = this.#looks.join(canonical);
    try {
      let watched = runId;
      let hasBegun = false;
      let lastText = '';
      let lastAt = clock.monotonic();
      for (;;) {
        const look = await watcher.next(signal);
        if (signal.aborted) return;
        await requireAdmission();
        const { row } = requireWithin(access, canonical, look?.connector);
        // Where there is none, that has thrown.
        if (look === undefined) return;
        const { view } = look;
        watched ??= view.current?.run_id;
        hasBegun ||= watched === view.current?.run_id;
        const told = { view, runId: watched ?? view.last?.run_id };
        const text = JSON.stringify(view);
        const isSilent = text === lastText;
        if (!isSilent || clock.monotonic() - lastAt >= SILENCE_MS) {
          lastText = text;
          lastAt = clock.monotonic();
          yield isSilent ? { type: 'silence' } : { type: 'progress', ...told };
        }
        // While its copying is stopped, the runs of a connector wait, and nobody knows for how long.
        if (isCopyingStopped(row) || hasEnded(view, watched, hasBegun)) {
          yield { type: 'end', ...told };
          return;
        }
      }
    } finally {
      watcher.leave();
    }
  }

  async #look(id: string): Promise<Look | undefined> {
    const connector = await this.#parts.live.findNewest(id);
    return connector && { connector, view: await this.#view(connector) };
  }

  async #view({ row, kind }: LiveConnector): Promise<SyncStatus> {
    const { store } = this.#parts;
    // Runs first: of one that has ended meanwhile, the entities then show at least as much.
    const runs = await store.syncs.runs(row.id);
    const entities = await store.syncs.entities(row.id, copiedEntities(kind));
    return viewSync({ row, kind }, runs, entities);
  }
}

/** A run that was asked for may still wait for the one before it to end. */
function hasEnded(
  { current, last }: SyncStatus,
  runId: string | undefined,
  hasBegun: boolean,
): boolean {
  if (current === null || runId === undefined || last?.run_id === runId) return true;
  return hasBegun && current.run_id !== runId;
}

function tooSoon(waitMs: number, { demandApartMs }: Quotas): ConnectorError<'rate_limited'> {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const message = `A sync of a connector can be asked for every ${demandApartMs / 1000} s; again in ${retryAfterSeconds} s.`;
  return new ConnectorError('rate_limited', { retryAfterSeconds }, { message });
}

function requireRunnable({ engine, row }: LiveConnector): void {
  requireEnabled(row);
  try {
    engine.requireConfig();
  } catch (error) {
    throw explainConfigRequired(error, row.id);
  }
  if (row.state === 'reauth_required') throw reauthRequired(row);
  if (!row.isPaused) return;
  throw new ConnectorError(
    'connector_paused',
    {},
    {
      message: `The copying of this connector is paused; calls and searches go on. Resume it, which starts a sync by itself: PATCH /v1/integrations/connectors/${row.id} {"paused":false}`,
    },
  );
}
