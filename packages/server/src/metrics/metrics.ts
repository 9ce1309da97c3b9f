import type { Clock } from '@patchbay/connectors';
import type { UpstreamObserver } from '@patchbay/connectors/engine';
import type { ConnectorState, Figures, RunState, Store } from '@patchbay/store';
import type {
  AdmissionObserver,
  AdmissionState,
  TurnState,
} from '../admission/admission-observer.ts';
import type { Logger } from '../log.ts';
import type { ObservedConnector, ObservedUpstream } from '../observed-connector.ts';
import type { CountedCall, ServiceObserver } from '../service-observer.ts';
import { FiguresWatch } from './figures-watch.ts';
import { Meters } from './meters.ts';
import { processMetrics } from './process-metrics.ts';

export interface MetricsParts {
  readonly store: Pick<Store, 'figures' | 'connectionUse' | 'profile'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  readonly role: string;
}

/** For Prometheus, in its text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Of what no route has: any path that a stranger makes up is this one series. */
const NO_ROUTE = 'none';

/**
 * What operators see of this process, and of the database behind it.
 *
 * @see docs/operations.md#metrics
 */
export class Metrics implements ServiceObserver {
  readonly #parts: MetricsParts;
  readonly #meters = new Meters();
  readonly #figures: FiguresWatch;
  #turns: () => Readonly<Record<string, TurnState>> = () => ({});
  #making: Promise<string> | undefined;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    this.#figures = new FiguresWatch(parts);
    const { version, role, store } = parts;
    const labels = { version, node: process.versions.node, role, database: store.profile.name };
    this.#meters.set('patchbay_build_info', labels, 1);
    processMetrics();
  }

  /** Where it is seen at each scrape who has a turn, and who waits for one. */
  watchTurns(state: () => Readonly<Record<string, TurnState>>): void {
    this.#turns = state;
  }

  onCall({ route, method, durationMs, log }: CountedCall): void {
    const { kind = '', entity = '', action = '', code = '' } = log;
    const operation = { route: route ?? NO_ROUTE, kind, entity, action };
    const told = route === undefined ? '' : method;
    this.#meters.count('patchbay_calls_total', { ...operation, method: told, code });
    this.#meters.observe('patchbay_call_duration_seconds', operation, durationMs);
  }

  onAdmissionWait(turn: keyof AdmissionState, durationMs: number): void {
    this.#meters.observe('patchbay_admission_wait_seconds', { turn }, durationMs);
  }

  onRefusal(reason: Parameters<AdmissionObserver['onRefusal']>[0]): void {
    this.#meters.count('patchbay_admission_refusals_total', { reason });
  }

  /** What watches the upstream of a connector: those of a kind count together. */
  upstreamOf({ kind }: ObservedUpstream): UpstreamObserver {
    const meters = this.#meters;
    return {
      onAttempt: ({ entity, action, number, status, durationMs }) => {
        const labels = { kind, entity, action, status: statusClass(status) };
        meters.count('patchbay_upstream_requests_total', labels);
        meters.observe('patchbay_upstream_request_duration_seconds', { kind }, durationMs);
        if (number > 1) meters.count('patchbay_upstream_retries_total', { kind });
      },
      onBudgetWait: ({ priority, durationMs }) => {
        meters.observe('patchbay_upstream_wait_seconds', { kind, priority }, durationMs);
      },
    };
  }

  onRun({ kind }: ObservedConnector, outcome: RunState | 'interrupted', durationMs: number): void {
    this.#meters.count('patchbay_sync_runs_total', { kind, outcome });
    this.#meters.observe('patchbay_sync_run_duration_seconds', { kind }, durationMs);
  }

  onRecords({ kind }: ObservedConnector, entity: string, records: number): void {
    this.#meters.count('patchbay_sync_records_total', { kind, entity }, records);
  }

  onRead({ kind }: ObservedConnector, entity: string, code: string): void {
    this.#meters.count('patchbay_sync_reads_total', { kind, entity, code });
  }

  /**
   * All of it, as Prometheus reads it; whoever asks while it is made has the same. Takes a second at most, whatever the
   * database does.
   */
  text(): Promise<string> {
    return (this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    }));
  }

  async #make(): Promise<string> {
    this.#tellTurns();
    this.#tellConnections();
    this.#tellFigures(await this.#figures.latest());
    const texts = [this.#meters.registry, processMetrics()].map((each) => each.metrics());
    return (await Promise.all(texts)).join('\n');
  }

  #tellTurns(): void {
    for (const [turn, { running, waiting }] of Object.entries(this.#turns())) {
      this.#meters.set('patchbay_admission_running', { turn }, running);
      this.#meters.set('patchbay_admission_waiting', { turn }, waiting);
    }
  }

  #tellConnections(): void {
    for (const [lane, use] of Object.entries(this.#parts.store.connectionUse())) {
      const { inUse, idle, waiting, most } = use;
      this.#meters.set('patchbay_database_connections', { lane, state: 'in_use' }, inUse);
      this.#meters.set('patchbay_database_connections', { lane, state: 'idle' }, idle);
      this.#meters.set('patchbay_database_connections_max', { lane }, most);
      this.#meters.set('patchbay_database_waiting', { lane }, waiting);
    }
  }

  #tellFigures(figures: Figures | undefined): void {
    const meters = this.#meters;
    for (const name of OF_DATABASE) meters.clear(name);
    meters.set('patchbay_database_up', {}, figures === undefined ? 0 : 1);
    if (figures === undefined) return;
    const { connectors, lags, work, workers } = figures;
    for (const { kind } of connectors)
      for (const state of STATES) meters.set('patchbay_connectors', { kind, state }, 0);
    for (const { kind, state, count } of connectors)
      meters.set('patchbay_connectors', { kind, state }, count);
    for (const { kind, state, seconds } of lags)
      meters.set('patchbay_sync_lag_seconds', { kind, state }, seconds);
    meters.set('patchbay_queue_depth', { work: 'sync' }, work.queuedSyncs);
    meters.set('patchbay_queue_depth', { work: 'clear' }, work.clearings);
    meters.set('patchbay_queue_depth', { work: 'renew' }, work.renewals);
    meters.set('patchbay_queue_depth', { work: 'revoke' }, work.revocations);
    meters.set('patchbay_sync_queue_oldest_seconds', {}, work.oldestQueuedSeconds);
    meters.set('patchbay_syncs_running', {}, work.runningSyncs);
    meters.set('patchbay_workers', {}, workers);
  }
}

/** All are told of each kind: a series that begins with its first connector would show no change. */
const STATES = [
  'pending',
  'active',
  'degraded',
  'reauth_required',
] as const satisfies readonly ConnectorState[];

/** Gauges of what the database knows: missing, rather than old, where it does not answer. */
const OF_DATABASE = [
  'patchbay_connectors',
  'patchbay_sync_lag_seconds',
  'patchbay_queue_depth',
  'patchbay_sync_queue_oldest_seconds',
  'patchbay_syncs_running',
  'patchbay_workers',
] as const;

function statusClass(status: number | undefined): string {
  return status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
}
