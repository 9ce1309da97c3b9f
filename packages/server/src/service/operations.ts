import { Admission } from '../admission/admission.ts';
import { Headroom, processLoad } from '../admission/headroom.ts';
import { LAPTOP_LIMITS, limitsWith, SERVER_LIMITS } from '../admission/limits.ts';
import { OAuthApps } from '../consent/oauth-apps.ts';
import { Accounts } from '../operations/accounts.ts';
import { ActiveCalls } from '../operations/active-calls.ts';
import { ApplicationDesk } from '../operations/application-desk.ts';
import { ConnectorViews } from '../operations/connector-views.ts';
import { Connectors } from '../operations/connectors.ts';
import { CreatedOnce } from '../operations/created-once.ts';
import { DeletedApplications } from '../operations/deleted-applications.ts';
import { Deletions } from '../operations/deletions.ts';
import { Executor } from '../operations/execute.ts';
import { GivenCredentials } from '../operations/given-credentials.ts';
import { OncePerKey } from '../operations/idempotency.ts';
import type { Executed } from '../operations/outcome.ts';
import { LiveConnectors } from '../operations/live-connectors.ts';
import { Searcher } from '../operations/search.ts';
import { ServedKinds } from '../operations/served-kinds.ts';
import { Stats } from '../operations/stats.ts';
import { SyncRuns } from '../operations/sync-runs.ts';
import { Replication } from '../replication/replication.ts';
import type { AccessParts } from './access.ts';
import type { Basis } from './basis.ts';
import type { ServiceOptions } from './contract.ts';

/** What a service does for those who got in. */
export type OperationParts = ReturnType<typeof makeOperations>;

/** @throws ServiceError `invalid_config` for an unknown distribution. */
export function makeOperations(options: ServiceOptions, basis: Basis, access: AccessParts) {
  const { store, clock, logger, upstreams, quotas, instanceId, observer, metrics } = basis;
  const { vault, applications } = access;
  const { renews = true, oauthApps: operatorApps = {} } = options;
  const kinds = new ServedKinds(options.distributions);
  const apps = new OAuthApps({ store, vault, clock, operatorApps });
  const clientOf = apps.clientOf.bind(apps);
  const observerOf = observer.upstreamOf;
  const live = new LiveConnectors({
    store,
    vault,
    clock,
    logger,
    upstreams,
    kinds,
    clientOf,
    renews,
    observerOf,
  });
  const activeCalls = new ActiveCalls();
  const admission = makeAdmission(options, basis, applications);
  const accounts = new Accounts({ store, live, admission, clock, logger });
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
  metrics?.watchTurns(() => ({ ...admission.state(), large_pages: replication.largePages() }));
  const { intervalMs } = replication;
  const views = new ConnectorViews({ store, live, upstreams, clock, intervalMs });
  const clientsOf = apps.clientsOf.bind(apps);
  const given = new GivenCredentials({ live, accounts, admission, clientsOf, vault, clock });
  const connectors = new Connectors({
    store,
    live,
    accounts,
    given,
    views,
    admission,
    syncs: replication,
    quotas,
    vault,
    clock,
    logger,
  });
  const once = new OncePerKey<Executed>({ intents: store.idempotency, instanceId, logger });
  const createdOnce = new CreatedOnce({ store, vault, instanceId, logger });
  const executor = new Executor({
    connectors: live,
    accounts,
    checker: connectors,
    searcher: new Searcher({ store, vault, admission, activeCalls, live, clock }),
    store,
    once,
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
  const desk = new ApplicationDesk({
    store,
    forget: (id) => applications.forget(id),
    clear: () => deletedApplications.clear(),
    clock,
  });
  return {
    kinds,
    apps,
    clientOf,
    live,
    accounts,
    activeCalls,
    admission,
    replication,
    views,
    given,
    connectors,
    executor,
    deletedApplications,
    deletions: new Deletions({ store, live, syncs: replication, clock }),
    desk,
    createdOnce,
    /** What the database could not be told of keys when it was to be. */
    tellOutcomes: async () => void (await Promise.all([once.tellAll(), createdOnce.tellAll()])),
    syncRuns: new SyncRuns({ store, live, replication, quotas, clock }),
    stats: new Stats({
      store,
      live,
      requireApplication: (who, id) => desk.read(who, id),
      clock,
    }),
  };
}

function makeAdmission(
  options: ServiceOptions,
  { store, clock, observer }: Basis,
  applications: AccessParts['applications'],
): Admission {
  const defaults = store.profile.sharesOneSession ? LAPTOP_LIMITS : SERVER_LIMITS;
  const limits = limitsWith(defaults, options.limits);
  const headroom = new Headroom(() => clock.monotonic(), processLoad(store));
  const admission = new Admission(limits, clock, {
    perMinuteOf: (id) => applications.callsPerMinuteOf(id),
    observer,
    headroom,
    searchedMs: () => store.searchedMs(),
  });
  return admission;
}
