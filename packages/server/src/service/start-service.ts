import type { Clock } from '@patchbay/connectors';
import { createApplication } from '../access/create-application.ts';
import { loopbackUrlOf } from '../access/allowed-urls.ts';
import { Heartbeat } from '../heartbeat.ts';
import { DEFAULT_HTTP_LIMITS, makeHttpServer } from '../http/http-server.ts';
import { StrangerLines } from '../http/stranger-lines.ts';
import { serviceState } from '../http/system-routes.ts';
import { startMetricsListener, type MetricsListener } from '../metrics/metrics-listener.ts';
import { RenewalSweep } from '../renewal/renewal-sweep.ts';
import { RevocationSweep } from '../revocation/revocation-sweep.ts';
import { Revoker } from '../revocation/revoker.ts';
import { openAccess } from './access.ts';
import { ServiceAddress } from './address.ts';
import { makeBasis, VERSION } from './basis.ts';
import { CleanUp } from './clean-up.ts';
import { makeConnecting } from './connecting.ts';
import { ensureFirstApplication, mintScopedToken } from './first-application.ts';
import { makeOperations } from './operations.ts';
import type { Service, ServiceOptions } from './contract.ts';
import { listen } from './listen.ts';
import { loadPages, routesOf } from './routes.ts';
import { FAREWELL_MS, shutDown, SHUTDOWN_GRACE_MS } from './shutdown.ts';

/** Syncs are told to end at once; what the database has of them by then, the next start goes on with. */
const SYNCS_END_WITHIN_MS = 5_000;

/**
 * Starts the hosted service on an opened store.
 *
 * @throws ServiceError `master_key_wrong`, `address_unusable`; `invalid_config` for an unknown distribution.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const basis = makeBasis(options);
  const { store, clock, logger, role, instanceId, observer, recorder, metrics } = basis;
  const address = new ServiceAddress(options);
  const access = await openAccess(options, basis);
  const pages = await loadPages(options);
  const { applications, tokens, keyring, inForce, vault, gate } = access;
  const operations = makeOperations(options, basis, access);
  const { live, replication, deletedApplications, accounts, activeCalls, admission } = operations;
  const { tellOutcomes } = operations;
  const connecting = makeConnecting({ options, basis, access, operations, address });

  let closing: Promise<void> | undefined;
  const isClosing = () => closing !== undefined;
  let takesCalls = true;
  let isPrepared = false;
  const stopping = new AbortController();
  const isWorker = role !== 'api';
  const heartbeat = new Heartbeat({
    store,
    instanceId,
    facts: { isWorker, masterKeys: keyring.all.map(({ id }) => id) },
    onBeat: tellOutcomes,
    clock,
    logger,
  });
  const state = serviceState({
    store,
    version: VERSION,
    role,
    clock,
    logger,
    isClosing,
    isPrepared: () => isPrepared,
    warnings: () => heartbeat.warnings(),
  });
  const routes = routesOf({
    options,
    basis,
    access,
    operations,
    connecting,
    address,
    pages,
    state,
    stopping: stopping.signal,
  });
  const app = makeHttpServer({
    routes,
    gate,
    applications,
    admission,
    clock,
    logger,
    strangerLines: new StrangerLines(logger),
    activeCalls,
    limits: { ...DEFAULT_HTTP_LIMITS, ...options.httpLimits },
    trustedProxies: options.trustedProxies,
    isClosing,
    takesCalls: () => takesCalls,
    observer,
  });
  let cleanUp: CleanUp | undefined;
  let renewals: RenewalSweep | undefined;
  let revocations: RevocationSweep | undefined;
  /** Calls may begin renewals until they are over; what was asked for must not be lost. */
  const endRenewals = async () => {
    await renewals?.stop();
    await live.renewalsSettled();
  };
  let metricsListener: MetricsListener | undefined;

  const { drainMs = 0 } = options;
  const close = async () => {
    // Nobody has been sent to one whose start failed, and nobody calls a worker.
    if (drainMs > 0 && isPrepared && role !== 'worker') await passed(clock, drainMs);
    takesCalls = false;
    stopping.abort();
    await shutDown({
      app,
      activeCalls,
      logger,
      graceMs: options.shutdownGraceMs ?? SHUTDOWN_GRACE_MS,
      work: [
        {
          what: 'the end of some syncs',
          withinMs: SYNCS_END_WITHIN_MS,
          end: () => replication.stop(),
        },
        { what: 'the end of a clean-up', end: () => cleanUp?.stop() },
        { what: 'the end of some deletions', end: () => deletedApplications.stop() },
        { what: 'the answer to some renewals', end: endRenewals },
        { what: 'the end of some revocations', end: () => revocations?.stop() },
      ],
      farewells: [
        {
          what: 'the end of its metrics',
          withinMs: FAREWELL_MS,
          end: () => metricsListener?.close(),
        },
        { what: 'whose credentials some are', withinMs: FAREWELL_MS, end: () => accounts.stop() },
        { what: 'what was counted last', withinMs: FAREWELL_MS, end: () => recorder.stop() },
        // Once it has signed off, others take them for lost.
        { what: 'the outcome of some writes', withinMs: FAREWELL_MS, end: tellOutcomes },
        { what: 'signing off', withinMs: FAREWELL_MS, end: () => heartbeat.stop() },
      ],
    });
  };

  try {
    // What an earlier process was at when it died.
    deletedApplications.clear();
    await heartbeat.start();
    // Another key came into force while this one started: from here on nobody rotates unless it has that key.
    await inForce.reload();
    recorder.start();
    cleanUp = new CleanUp(basis);
    if (isWorker) {
      const { renews = true } = options;
      if (renews) renewals = new RenewalSweep({ store, live, logger });
      const { upstreams } = basis;
      const { clientOf } = operations;
      const revoker = new Revoker({ store, live, vault, clock, logger, upstreams, clientOf });
      revocations = new RevocationSweep({ store, revoker, logger });
    }
    const url = await listen(app, address, logger);
    address.listensAt(url);
    const { port: metricsPort, token: metricsToken } = options.metrics ?? {};
    if (metrics !== undefined && metricsPort !== undefined)
      metricsListener = await startMetricsListener({
        metrics,
        host: address.host,
        port: metricsPort,
        token: metricsToken,
        logger,
      });
    if (isWorker) replication.start();
    const metricsUrl =
      metricsListener?.url ?? (metrics === undefined ? undefined : `${url}/metrics`);
    const service: Service = {
      url,
      metricsUrl,
      app,
      routes,
      ensureFirstApplication: (given, keep) =>
        ensureFirstApplication(basis, applications, { given, keep }),
      createApplication: (name) => createApplication(store, name, { clock }),
      revokeApplication: (id) => applications.revoke(id),
      mintScopedToken: (request) => mintScopedToken(applications, tokens, request),
      makeConsoleLink: () => {
        const here = loopbackUrlOf(url);
        const { startLink } = access;
        if (pages.console === undefined || startLink === undefined || here === undefined)
          return undefined;
        return `${here}/console#${startLink.make()}`;
      },
      close: () => (closing ??= close()),
      [Symbol.asyncDispose]: () => (closing ??= close()),
    };
    await options.prepare?.(service);
    isPrepared = true;
    const { name: database } = store.profile;
    logger.info(
      { url, metrics_url: metricsUrl, instance_id: instanceId, database, role },
      'listening',
    );
    return service;
  } catch (error) {
    await close();
    throw error;
  }
}

function passed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
