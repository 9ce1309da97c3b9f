import { fileURLToPath } from 'node:url';
import type { Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import type { Store } from '@patchbay/store';
import type { FastifyInstance } from 'fastify';
import { Applications } from './access/applications.ts';
import {
  createApplication,
  type ApplicationCredentials,
  type KeepCredentials,
} from './access/create-application.ts';
import { isLoopbackHost, loopbackUrlOf } from './access/allowed-urls.ts';
import { Gate } from './access/gate.ts';
import { OperatorKey } from './access/operator-key.ts';
import { RevokedTokens } from './access/revoked-tokens.ts';
import { SigningKeys } from './access/signing-keys.ts';
import { Tokens } from './access/tokens.ts';
import { Admission } from './admission/admission.ts';
import {
  fittingHeap,
  LAPTOP_LIMITS,
  SERVER_LIMITS,
  type AdmissionLimits,
} from './admission/limits.ts';
import { DEFAULT_QUOTAS, type Quotas } from './admission/quotas.ts';
import { DEFAULT_CONSENT_SETTINGS, Consents, type ConsentSettings } from './consent/consents.ts';
import { Initiation } from './consent/initiation.ts';
import { OAuthApps, type OperatorApps } from './consent/oauth-apps.ts';
import { startHeartbeat } from './heartbeat.ts';
import { ConsoleSessions, SESSION_IDLE_MS } from './console/console-sessions.ts';
import { StartLink } from './console/start-link.ts';
import { connectPageRoutes } from './http/connect-page-routes.ts';
import { applicationRoutes } from './http/application-routes.ts';
import { backupRoutes } from './http/backup-routes.ts';
import { ConnectSessions, SESSIONS_KEPT_MS } from './connect-sessions/connect-sessions.ts';
import { PageSessions } from './connect-sessions/page-sessions.ts';
import { SessionEnds } from './connect-sessions/session-ends.ts';
import { connectSessionRoutes } from './http/connect-session-routes.ts';
import { connectorRoutes } from './http/connector-routes.ts';
import { consentPageRoutes } from './http/consent-page-routes.ts';
import { consoleRoutes } from './http/console-routes.ts';
import { consoleSessionRoutes } from './http/console-session-routes.ts';
import { documentRoutes } from './http/document-routes.ts';
import { EXECUTE_PATHS, executeRoutes } from './http/execute-routes.ts';
import {
  DEFAULT_HTTP_LIMITS,
  makeHttpServer,
  type HttpLimits,
  type TrustedProxies,
} from './http/http-server.ts';
import { homeRoutes } from './http/home-routes.ts';
import { keyRoutes } from './http/key-routes.ts';
import { kindRoutes } from './http/kind-routes.ts';
import { mcpRoutes } from './http/mcp-routes.ts';
import { metricsRoutes } from './http/metrics-routes.ts';
import { oauthRoutes } from './http/oauth-routes.ts';
import { pageSessionRoutes } from './http/page-session-routes.ts';
import type { Route } from './http/route.ts';
import { statsRoutes } from './http/stats-routes.ts';
import { loadStaticPage, type StaticPage } from './http/static-page.ts';
import { syncRoutes } from './http/sync-routes.ts';
import { serviceState, systemRoutes } from './http/system-routes.ts';
import { tokenRoutes } from './http/token-routes.ts';
import { flushLog, makeLogger, type LogOptions } from './log.ts';
import { startMetricsListener, type MetricsListener } from './metrics/metrics-listener.ts';
import { Metrics } from './metrics/metrics.ts';
import { ActiveCalls } from './operations/active-calls.ts';
import { Accounts } from './operations/accounts.ts';
import { ApplicationDesk } from './operations/application-desk.ts';
import { ConnectorViews } from './operations/connector-views.ts';
import { Connectors } from './operations/connectors.ts';
import { CreatedOnce } from './operations/created-once.ts';
import { DeletedApplications } from './operations/deleted-applications.ts';
import { Executor } from './operations/execute.ts';
import { OncePerKey, writeIntents } from './operations/idempotency.ts';
import { LiveConnectors } from './operations/live-connectors.ts';
import { Searcher } from './operations/search.ts';
import { ServedKinds, type AppDistributions } from './operations/served-kinds.ts';
import { Stats, STATS_KEPT_MS } from './operations/stats.ts';
import { SyncRuns } from './operations/sync-runs.ts';
import { standInsOf, type UpstreamSettings } from './operations/upstreams.ts';
import { startRenewalSweep } from './renewal/renewal-sweep.ts';
import { REVOCATIONS_KEPT_MS, startRevocationSweep } from './revocation/revocation-sweep.ts';
import { Revoker } from './revocation/revoker.ts';
import { UnusedTokens } from './revocation/unused-tokens.ts';
import { Replication } from './replication/replication.ts';
import type { ReplicationSettings } from './replication/settings.ts';
import { ServiceError } from './service-error.ts';
import { observeFor } from './service-observer.ts';
import { StatRecorder, STORE_STATS_EVERY_MS } from './stats/stat-recorder.ts';
import { newUuid } from './uuid.ts';
import { MasterKeyRotation } from './vault/master-key-rotation.ts';
import type { MasterKey } from './vault/master-key.ts';
import { openVault } from './vault/open-vault.ts';

/** What a process does: it answers calls (`api`), replicates connectors (`worker`), or both. */
export type ServiceRole = 'all' | 'api' | 'worker';

export interface ServiceOptions {
  /** Opened by the caller, who closes it after the service. */
  readonly store: Store;
  /** See `loadMasterKeys`. */
  readonly masterKey: MasterKey;
  /** The one before, as long as what it sealed is resealed. */
  readonly oldMasterKey?: MasterKey | undefined;
  /** Opens what belongs to any application; see `loadOperatorKey`. Nobody does unless given. */
  readonly operatorKey?: string | undefined;
  /** `127.0.0.1` unless said. */
  readonly host?: string;
  /** 8080 unless said; 0 takes any free one. */
  readonly port?: number;
  /** Where upstreams are, by kind, instead of their real addresses. */
  readonly upstreams?: UpstreamSettings;
  /** How the operator's app of a kind is distributed, by kind; the usual way of the kind unless said. */
  readonly distributions?: AppDistributions;
  /** Where browsers reach the service; where it listens, unless said, if that is a loopback address. */
  readonly publicUrl?: string | undefined;
  /** The apps that all applications may ask for consent with, by kind. */
  readonly oauthApps?: OperatorApps;
  /** How long consents live and how many there may be, where that is to differ from the defaults. */
  readonly consents?: Partial<ConsentSettings>;
  readonly logger?: LogOptions;
  /** Bounds on what tenants may do at once, where they are to differ from their defaults. */
  readonly limits?: Partial<AdmissionLimits>;
  /** Bounds on what tenants can have, likewise. */
  readonly quotas?: Partial<Quotas>;
  readonly clock?: Clock;
  /** How long a shutdown waits for calls under way, 5,500 ms unless said. */
  readonly shutdownGraceMs?: number;
  readonly httpLimits?: Partial<HttpLimits>;
  /** None unless said: the address of a client is that of its connection. */
  readonly trustedProxies?: TrustedProxies | undefined;
  /** `all` unless said. Of a worker only the routes that say whether it lives and can work answer. */
  readonly role?: ServiceRole;
  /** Whether credentials that end are renewed here, as they are unless said. */
  readonly renews?: boolean;
  /** Who may read the metrics, and where; unless said, nobody can, and none are kept. */
  readonly metrics?: MetricsSettings | undefined;
  /** How often what happened is added to the stats, 10,000 ms unless said. */
  readonly storeStatsEveryMs?: number;
  /** How replication works, where that is to differ from its defaults. */
  readonly replication?: Partial<ReplicationSettings>;
  /** Folder of the built connect page, absolute; without one, `/connect` says what to run. */
  readonly connectPageFolder?: string;
  /** Folder of the built console, absolute; without one, `/console` says what to run. */
  readonly consolePageFolder?: string | undefined;
  /** Folder of the built reference page, absolute; that of this package unless said. */
  readonly docsPageFolder?: string;
  /** What is done, once the service listens, before `/readyz` says that it is ready. */
  readonly prepare?: (service: Service) => Promise<void>;
}

/** Metrics have a port of their own, or are on the service's for whoever brings the token. */
export interface MetricsSettings {
  /** 0 takes any free one. */
  readonly port?: number | undefined;
  /** Asked for on either port. */
  readonly token?: string | undefined;
}

/** A scoped token to be printed, for a person to try things with. */
export interface ScopedTokenRequest {
  readonly externalUserId: string;
  readonly access?: 'read' | 'write';
  /** The application it belongs to; the oldest one unless said. */
  readonly applicationId?: string;
}

/** The application that there is after a start. */
export interface FirstApplication {
  readonly applicationId: string;
  readonly organizationId: string;
  readonly clientId: string;
  /** It was revoked, which is final: nobody gets in with its credentials. */
  readonly isRevoked?: true;
  /** Set only when it has just been made: it is stored nowhere, so show it now. */
  readonly clientSecret?: string;
}

/** A running service. */
export interface Service extends AsyncDisposable {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Where the metrics are, if anywhere. */
  readonly metricsUrl: string | undefined;
  readonly app: FastifyInstance;
  /** Every route, with who may call it. */
  readonly routes: readonly Route[];
  /**
   * Makes sure that there is an application: the one with the given credentials, or any; where
   * there is none, an organization and an application are made.
   *
   * @param keep Given the credentials that are about to be made, before they are: where it fails,
   *   no application is made.
   */
  ensureFirstApplication(
    given?: {
      readonly clientId: string;
      readonly clientSecret: string;
    },
    keep?: KeepCredentials,
  ): Promise<FirstApplication>;
  /** Makes another application; its secret is told once. */
  createApplication(name: string): Promise<ApplicationCredentials>;
  /** Revokes an application: its tokens end within 5 s, in every process. */
  revokeApplication(applicationId: string): Promise<void>;
  /** Makes a scoped token, good for 1,200 s. */
  mintScopedToken(request: ScopedTokenRequest): Promise<string>;
  /**
   * Makes a link that signs whoever opens it on this machine in to the console as the operator: once, within
   * 30 minutes. None where there is no console, no operator's key, or no way to it over this machine alone.
   */
  makeConsoleLink(): string | undefined;
  /** Takes no more calls, lets those under way finish for a while, ends the rest: within 8 s, whatever hangs. */
  close(): Promise<void>;
}

/** With what comes after it, a shutdown takes less than the 10 s that most supervisors grant. */
const SHUTDOWN_GRACE_MS = 5_500;
/** What an aborted call still needs to store and send its answer. */
const ABORT_GRACE_MS = 750;
/** Syncs are told to end at once; what the database has of them by then, the next start goes on with. */
const SYNCS_END_WITHIN_MS = 5_000;
/** To sign off, and to write out the log. */
const FAREWELL_MS = 500;
const CLEAN_UP_EVERY_MS = 3_600_000;
const KEYS_KEPT_MS = 24 * 3_600_000;
/** A person who comes back late is still told so where they began. */
const CONSENTS_KEPT_MS = 3_600_000;
/** The same from `src` and from `dist`. */
const DOCS_PAGE_FOLDER = fileURLToPath(new URL('../dist/docs-page', import.meta.url));
const VERSION = '0.2.0';
const REVOKED =
  'The application of PATCHBAY_CLIENT_ID is revoked, and stays so: nobody gets in with these credentials. Another client id makes another application.';

/**
 * Starts the hosted service on an opened store.
 *
 * @throws ServiceError `master_key_wrong`, `address_unusable`; `invalid_config` for an unknown distribution.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { store, clock = systemClock, upstreams = {}, role = 'all' } = options;
  const logger = makeLogger(options.logger);
  const quotas = { ...DEFAULT_QUOTAS, ...options.quotas };
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
  const observer = observeFor(metrics === undefined ? [recorder] : [metrics, recorder]);
  const instanceId = newUuid(clock.now());
  const onRefreshError = (err: unknown) => logger.warn({ err }, 'A lookup failed.');
  const { masterKey, oldMasterKey } = options;
  const keys = { store, clock, masterKey, oldMasterKey, onRefreshError };
  const { vault, keyring, inForce } = await openVault(keys);
  const masterKeys = new MasterKeyRotation({ store, keyring, inForce, clock, logger });
  await masterKeys.tellOfMissing();
  const applications = new Applications({ store, clock, onRefreshError });
  const operatorKey =
    options.operatorKey === undefined ? undefined : new OperatorKey(options.operatorKey, clock);
  const operatorKeyDigest =
    options.operatorKey && vault.digest('operator-key', options.operatorKey);
  const operator =
    operatorKey === undefined || operatorKeyDigest === undefined
      ? undefined
      : { key: operatorKey, digest: operatorKeyDigest };
  const signingKeys = new SigningKeys({ store, vault, clock, onRefreshError });
  const tokens = new Tokens(signingKeys, clock, operatorKeyDigest);
  const { renews = true } = options;
  const kinds = new ServedKinds(options.distributions);
  const { oauthApps: operatorApps = {} } = options;
  const apps = new OAuthApps({ store, vault, clock, operatorApps });
  const clientOf = apps.clientOf.bind(apps);
  const live = new LiveConnectors({
    store,
    vault,
    clock,
    logger,
    upstreams,
    kinds,
    clientOf,
    renews,
    observerOf: observer.upstreamOf,
  });
  const accounts = new Accounts({ store, live, clock, logger });
  const activeCalls = new ActiveCalls();
  const defaults = store.profile.sharesOneSession ? LAPTOP_LIMITS : SERVER_LIMITS;
  const limits = { ...fittingHeap(defaults), ...options.limits };
  const admission = new Admission(limits, clock, {
    perMinuteOf: (id) => applications.callsPerMinuteOf(id),
    observer,
  });
  metrics?.watchAdmission(() => admission.state());
  const revokedTokens = new RevokedTokens({ store, tokens, clock, onRefreshError });
  const gate = new Gate({ tokens, applications, revokedTokens, operatorKey });
  const replication = new Replication({
    store,
    live,
    accounts,
    isRevoked: (applicationId) => applications.isRevoked(applicationId),
    clock,
    logger,
    instanceId,
    observer,
    ...(options.replication === undefined ? {} : { settings: options.replication }),
  });
  const views = new ConnectorViews({ store, live, upstreams, clock });
  const connectors = new Connectors({
    store,
    live,
    accounts,
    views,
    syncs: replication,
    quotas,
    vault,
    clock,
    logger,
  });
  const executor = new Executor({
    connectors: live,
    accounts,
    checker: connectors,
    searcher: new Searcher({ store, vault, admission, activeCalls, clock }),
    store,
    once: new OncePerKey({ intents: writeIntents(store), instanceId, logger }),
    activeCalls,
    admission,
    upstreams,
    clock,
    logger,
  });
  const deletedApplications = new DeletedApplications({
    store,
    live,
    syncs: replication,
    clock,
    logger,
  });
  // What an earlier process was at when it died.
  deletedApplications.clear();
  const createdOnce = new CreatedOnce({ store, vault, instanceId, logger });
  const desk = new ApplicationDesk({
    store,
    forget: (id) => applications.forget(id),
    clear: () => deletedApplications.clear(),
    clock,
  });
  const { host = '127.0.0.1', port = 8080 } = options;
  let listensAt: string | undefined;
  /** Known once the service listens, where it is not said. */
  const publicUrl = () => options.publicUrl ?? (isLoopbackHost(host) ? listensAt : undefined);
  const isLoopbackService = () =>
    isLoopbackHost(host) && isLoopbackHost(new URL(publicUrl() ?? 'http://localhost').hostname);
  const application = async (id: string) => {
    const found = await store.applications.findById(id);
    return found?.revokedAt === null ? found : undefined;
  };
  const unusedTokens = new UnusedTokens({ store, vault, clock });
  const consents: Consents = new Consents({
    store,
    apps,
    connectors,
    sessions: {
      receive: (id, given) => pageSessions.receive(id, given),
      decline: (id, problem) => pageSessions.decline(id, problem),
    },
    application,
    publicUrl,
    upstreams,
    discard: (discarded) => unusedTokens.discard(discarded),
    settings: { ...DEFAULT_CONSENT_SETTINGS, ...options.consents },
    vault,
    clock,
    logger,
  });
  const initiation = new Initiation({ consents, connectors, store, isLoopbackService, clock });
  const syncRuns = new SyncRuns({ store, live, replication, quotas, clock });
  const stats = new Stats({
    store,
    live,
    requireApplication: (access, id) => desk.read(access, id),
    clock,
  });
  const ends = new SessionEnds({ store, connectors, live, application, vault, clock, logger });
  const pageSessions = new PageSessions({
    store,
    ends,
    live,
    connectors,
    accounts,
    syncRuns,
    consents,
    application,
    clock,
  });
  const connectSessions = new ConnectSessions({
    store,
    live,
    ends,
    application,
    publicUrl,
    isLoopbackService,
    quotas,
    clock,
  });
  const startLink = new StartLink(clock);
  const consoleSessions = new ConsoleSessions({
    store,
    applications,
    tokens,
    operator,
    link: startLink,
    clock,
  });
  let closing: Promise<void> | undefined;
  const isClosing = () => closing !== undefined;
  let isPrepared = false;
  const stopping = new AbortController();
  const state = serviceState({
    store,
    version: VERSION,
    role,
    clock,
    logger,
    isClosing,
    isPrepared: () => isPrepared,
  });
  const ownRoutes = systemRoutes(state);
  const connectPage = await pageOf(options.connectPageFolder);
  const consolePage = await pageOf(options.consolePageFolder);
  const interfaceRoutes: readonly Route[] = [
    ...tokenRoutes({ applications, tokens, revokedTokens }),
    ...applicationRoutes(desk, { createdOnce, clock }),
    ...backupRoutes(store),
    ...keyRoutes({ masterKeys, signingKeys }),
    ...connectorRoutes({ connectors, views }, { createdOnce, clock }),
    ...connectSessionRoutes(connectSessions, { createdOnce, clock }),
    ...pageSessionRoutes({ sessions: pageSessions, publicUrl }),
    ...syncRoutes({
      syncRuns,
      views,
      admission,
      clock,
      logger,
      stopping: stopping.signal,
      requireLive: (token) => gate.requireLive(token),
    }),
    ...executeRoutes({ live, executor, clock }),
    ...statsRoutes(stats),
    ...mcpRoutes({ connectors, live, executor, syncRuns, clock, logger }),
    ...kindRoutes(kinds),
    ...connectPageRoutes(connectPage),
    ...consoleSessionRoutes({ sessions: consoleSessions, publicUrl }),
    ...consoleRoutes(consolePage),
    ...oauthRoutes({ initiation, apps }),
    ...consentPageRoutes({ consents, clock }),
    ...homeRoutes({
      version: VERSION,
      state,
      publicUrl,
      standIns: standInsOf(upstreams),
      serves: (path) => routes.some((route) => route.path === path),
      hasConsole: consolePage !== undefined,
    }),
    ...ownRoutes,
  ];
  const { port: metricsPort, token: metricsToken } = options.metrics ?? {};
  const onServicePort =
    metrics === undefined || metricsToken === undefined || metricsPort !== undefined
      ? []
      : metricsRoutes(metrics, metricsToken);
  const docsPage = await loadStaticPage(options.docsPageFolder ?? DOCS_PAGE_FOLDER);
  const routes: readonly Route[] =
    role === 'worker'
      ? [...ownRoutes, ...onServicePort]
      : [
          ...interfaceRoutes,
          ...onServicePort,
          ...documentRoutes(interfaceRoutes, {
            version: VERSION,
            kinds,
            publicUrl: options.publicUrl,
            page: docsPage,
          }),
        ];
  const app = makeHttpServer({
    routes,
    gate,
    admission,
    clock,
    logger,
    limits: { ...DEFAULT_HTTP_LIMITS, ...options.httpLimits },
    trustedProxies: options.trustedProxies,
    isClosing,
    observer,
  });
  const heartbeat = await startHeartbeat({
    store,
    instanceId,
    facts: { isWorker: role !== 'api', masterKeys: keyring.all.map(({ id }) => id) },
    logger,
  });
  // Another key came into force while this one started: from here on nobody rotates unless it has that key.
  await inForce.reload();
  recorder.start();
  const cleaning = setInterval(() => {
    store.revokedTokens.deleteExpired().catch(onRefreshError);
    store.consoleSessions.deleteEnded(SESSION_IDLE_MS).catch(onRefreshError);
    store.idempotency.deleteOlderThan(KEYS_KEPT_MS).catch(onRefreshError);
    // Where no worker runs, too.
    store.revocations.expire(REVOCATIONS_KEPT_MS).catch(onRefreshError);
    // Until then, revoking what their connectors had may take them.
    store.oauthApps.deleteOfDeleted(REVOCATIONS_KEPT_MS).catch(onRefreshError);
    store.creations.deleteOlderThan(KEYS_KEPT_MS).catch(onRefreshError);
    store.stats.deleteOlderThan(STATS_KEPT_MS).catch(onRefreshError);
    store.consents.deleteExpired(CONSENTS_KEPT_MS).catch(onRefreshError);
    store.connectSessions.eraseExpired().catch(onRefreshError);
    store.connectSessions.deleteOlderThan(SESSIONS_KEPT_MS).catch(onRefreshError);
  }, CLEAN_UP_EVERY_MS);
  cleaning.unref();
  const sweep = renews && role !== 'api' ? startRenewalSweep({ store, live, logger }) : undefined;

  const revoker = new Revoker({ store, live, vault, clock, logger, upstreams, clientOf });
  const revocations = role === 'api' ? undefined : startRevocationSweep({ store, revoker, logger });

  /** Calls may begin renewals until they are over; what was asked for must not be lost. */
  const endRenewals = async () => {
    await sweep?.stop();
    await live.renewalsSettled();
  };

  let metricsListener: MetricsListener | undefined;
  const close = async () => {
    stopping.abort();
    const graceMs = options.shutdownGraceMs ?? SHUTDOWN_GRACE_MS;
    const leftBehind = (what: string) => logger.warn({}, `The service closed without ${what}.`);
    const longestMs = graceMs + ABORT_GRACE_MS + FAREWELL_MS;
    const endings: readonly Ending[] = [
      {
        what: 'the end of some calls',
        withinMs: longestMs,
        end: shutDown({ app, activeCalls, graceMs }),
      },
      { what: 'the end of some syncs', withinMs: SYNCS_END_WITHIN_MS, end: replication.stop() },
      { what: 'the end of some deletions', withinMs: longestMs, end: deletedApplications.stop() },
      { what: 'the answer to some renewals', withinMs: longestMs, end: endRenewals() },
      { what: 'the end of some revocations', withinMs: longestMs, end: revocations?.stop() },
    ];
    await Promise.all(
      endings.map(async ({ what, withinMs, end }) => {
        if (end !== undefined && !(await endsWithin(withinMs, end))) leftBehind(what);
      }),
    );
    clearInterval(cleaning);
    await metricsListener?.close();
    if (!(await endsWithin(FAREWELL_MS, accounts.stop()))) leftBehind('whose credentials some are');
    if (!(await endsWithin(FAREWELL_MS, recorder.stop()))) leftBehind('what was counted last');
    if (!(await endsWithin(FAREWELL_MS, heartbeat.stop()))) leftBehind('signing off');
    await endsWithin(FAREWELL_MS, flushLog(logger));
  };

  try {
    const url = await listen(app, host, port);
    listensAt = url;
    if (metrics !== undefined && metricsPort !== undefined)
      metricsListener = await startMetricsListener({
        metrics,
        host,
        port: metricsPort,
        token: metricsToken,
        logger,
      });
    if (role !== 'api') await replication.start();
    const metricsUrl =
      metricsListener?.url ?? (onServicePort.length === 0 ? undefined : `${url}/metrics`);
    const service: Service = {
      url,
      metricsUrl,
      app,
      routes,
      ensureFirstApplication: async (given, keep) => {
        const first = await ensureFirstApplication({ store, applications, clock, keep }, given);
        if (first.isRevoked === true) logger.warn({ client_id: first.clientId }, REVOKED);
        return first;
      },
      createApplication: (name) => createApplication(store, name, { clock }),
      revokeApplication: (id) => applications.revoke(id),
      mintScopedToken: (request) => mintScopedToken(applications, tokens, request),
      makeConsoleLink: () => {
        const here = loopbackUrlOf(url);
        if (consolePage === undefined || operator === undefined || here === undefined)
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

async function pageOf(folder: string | undefined): Promise<StaticPage | undefined> {
  return folder === undefined ? undefined : await loadStaticPage(folder);
}

function isAskedFor({ port, token }: MetricsSettings = {}): boolean {
  return port !== undefined || token !== undefined;
}

/** Something that a shutdown waits for, and how long. */
interface Ending {
  /** What the service would close without. */
  readonly what: string;
  readonly withinMs: number;
  readonly end: Promise<unknown> | undefined;
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'address_unusable',
      `Cannot listen on ${host} port ${port} (${reason}); HOST and PORT choose another address.`,
      { cause: error },
    );
  }
}

async function shutDown(parts: {
  readonly app: FastifyInstance;
  readonly activeCalls: ActiveCalls;
  readonly graceMs: number;
}): Promise<void> {
  const { app, activeCalls, graceMs } = parts;
  const abort = setTimeout(() => activeCalls.abortAll(), graceMs);
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs + ABORT_GRACE_MS);
  await app.close();
  clearTimeout(abort);
  clearTimeout(cut);
}

/** Whether it ends in time; what does not is left alone. */
async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  const isOver = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isOver;
}

async function ensureFirstApplication(
  {
    store,
    applications,
    clock,
    keep,
  }: {
    readonly store: Store;
    readonly applications: Applications;
    readonly clock: Clock;
    readonly keep: KeepCredentials | undefined;
  },
  given: { readonly clientId: string; readonly clientSecret: string } | undefined,
): Promise<FirstApplication> {
  const name = 'Default application';
  if (given !== undefined) {
    const { id, organizationId, clientId, revokedAt } = await applications.ensure(name, given);
    const first = { applicationId: id, organizationId, clientId };
    return revokedAt === null ? first : { ...first, isRevoked: true };
  }
  const [oldest] = await applications.list();
  if (oldest === undefined) return createApplication(store, name, { clock, keep });
  const { id, organizationId, clientId } = oldest;
  return { applicationId: id, organizationId, clientId };
}

async function mintScopedToken(
  applications: Applications,
  tokens: Tokens,
  request: ScopedTokenRequest,
): Promise<string> {
  const all = await applications.list();
  const { applicationId } = request;
  const application =
    applicationId === undefined ? all[0] : all.find(({ id }) => id === applicationId);
  if (application === undefined) throw new Error('there is no such application');
  return tokens.issueScopedToken({
    applicationId: application.id,
    organizationId: application.organizationId,
    externalUserId: request.externalUserId,
    access: request.access ?? 'write',
    connectorIds: undefined,
  });
}
