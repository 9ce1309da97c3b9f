import type { Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import type { Store } from '@patchbay/store';
import { DEFAULT_QUOTAS, type Quotas } from '../admission/quotas.ts';
import { EXECUTE_PATHS } from '../http/execute-routes.ts';
import { makeLogger, type Logger } from '../log.ts';
import { Metrics } from '../metrics/metrics.ts';
import type { UpstreamSettings } from '../operations/upstreams.ts';
import { observeFor, type ServiceObserver } from '../service-observer.ts';
import { StatRecorder, STORE_STATS_EVERY_MS } from '../stats/stat-recorder.ts';
import { newUuid } from '../uuid.ts';
import type { MetricsSettings, ServiceOptions, ServiceRole } from './contract.ts';

export const VERSION = '0.2.0';

/** What all parts of a service are made with. */
export interface Basis {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly upstreams: UpstreamSettings;
  readonly role: ServiceRole;
  readonly quotas: Quotas;
  /** Of this process, as other processes see it. */
  readonly instanceId: string;
  /** Kept only where somebody may read them. */
  readonly metrics: Metrics | undefined;
  readonly recorder: StatRecorder;
  /** Tells both of what happens. */
  readonly observer: ServiceObserver;
  /** What is looked up again in the background failed; what was known before holds. */
  readonly onRefreshError: (error: unknown) => void;
}

export function makeBasis(options: ServiceOptions): Basis {
  const { store, clock = systemClock, upstreams = {}, role = 'all' } = options;
  const logger = makeLogger(options.logger);
  const metrics = isAskedFor(options.metrics)
    ? new Metrics({ store, clock, logger, version: VERSION, role })
    : undefined;
  const recorder = new StatRecorder({
    store,
    clock,
    logger,
    callRoutes: new Set(EXECUTE_PATHS),
    everyMs: options.storeStatsEveryMs ?? STORE_STATS_EVERY_MS,
  });
  return {
    store,
    clock,
    logger,
    upstreams,
    role,
    quotas: { ...DEFAULT_QUOTAS, ...options.quotas },
    instanceId: newUuid(clock.now()),
    metrics,
    recorder,
    observer: observeFor(metrics === undefined ? [recorder] : [metrics, recorder]),
    onRefreshError: (err) => logger.warn({ err }, 'A lookup failed.'),
  };
}

function isAskedFor({ port, token }: MetricsSettings = {}): boolean {
  return port !== undefined || token !== undefined;
}
