import { fileURLToPath } from 'node:url';
import { applicationRoutes } from '../http/application-routes.ts';
import { backupRoutes } from '../http/backup-routes.ts';
import { connectPageRoutes } from '../http/connect-page-routes.ts';
import { connectSessionRoutes } from '../http/connect-session-routes.ts';
import { connectorRoutes } from '../http/connector-routes.ts';
import { consentPageRoutes } from '../http/consent-page-routes.ts';
import { consoleRoutes } from '../http/console-routes.ts';
import { consoleSessionRoutes } from '../http/console-session-routes.ts';
import { deletionRoutes } from '../http/deletion-routes.ts';
import { documentRoutes } from '../http/document-routes.ts';
import { executeRoutes } from '../http/execute-routes.ts';
import { homeRoutes } from '../http/home-routes.ts';
import { keyRoutes } from '../http/key-routes.ts';
import { kindRoutes } from '../http/kind-routes.ts';
import { mcpRoutes } from '../http/mcp-routes.ts';
import { metricsRoutes } from '../http/metrics-routes.ts';
import { oauthRoutes } from '../http/oauth-routes.ts';
import { pageSessionRoutes } from '../http/page-session-routes.ts';
import type { Route } from '../http/route.ts';
import { loadStaticPage, type StaticPage } from '../http/static-page.ts';
import { statsRoutes } from '../http/stats-routes.ts';
import { syncRoutes } from '../http/sync-routes.ts';
import { systemRoutes, type ServiceState } from '../http/system-routes.ts';
import { tokenRoutes } from '../http/token-routes.ts';
import { workerHomeRoutes } from '../http/worker-home-routes.ts';
import { standInsOf, trialsOf } from '../operations/upstreams.ts';
import type { AccessParts } from './access.ts';
import type { ServiceAddress } from './address.ts';
import { VERSION, type Basis } from './basis.ts';
import type { ConnectingParts } from './connecting.ts';
import type { OperationParts } from './operations.ts';
import type { ServiceOptions } from './contract.ts';

/** The same from `src` and from `dist`. */
const DOCS_PAGE_FOLDER = fileURLToPath(new URL('../../dist/docs-page', import.meta.url));

/** Those that are built; the routes of the others say what to run. */
export interface ServicePages {
  readonly connect: StaticPage | undefined;
  readonly console: StaticPage | undefined;
  readonly docs: StaticPage | undefined;
}

export async function loadPages(options: ServiceOptions): Promise<ServicePages> {
  const [connect, console, docs] = await Promise.all([
    pageOf(options.connectPageFolder),
    pageOf(options.consolePageFolder),
    pageOf(options.docsPageFolder ?? DOCS_PAGE_FOLDER),
  ]);
  return { connect, console, docs };
}

export interface RoutesNeeds {
  readonly options: ServiceOptions;
  readonly basis: Basis;
  readonly access: AccessParts;
  readonly operations: OperationParts;
  readonly connecting: ConnectingParts;
  readonly address: ServiceAddress;
  readonly pages: ServicePages;
  readonly state: () => Promise<ServiceState>;
  /** Ends what never ends by itself. */
  readonly stopping: AbortSignal;
}

/** Every route of a service: of a worker only those that tell what and how it is. */
export function routesOf(needs: RoutesNeeds): readonly Route[] {
  const { options, basis, operations, pages } = needs;
  const own = systemRoutes(needs.state);
  const metrics = metricsOnThisPort(needs);
  if (basis.role === 'worker') return [...workerHomeRoutes(VERSION), ...own, ...metrics];
  const interfaceRoutes = [...callRoutes(needs), ...own];
  const documents = documentRoutes(interfaceRoutes, {
    version: VERSION,
    kinds: operations.kinds,
    publicUrl: options.publicUrl,
    trials: trialsOf(basis.upstreams),
    page: pages.docs,
  });
  return [...interfaceRoutes, ...metrics, ...documents];
}

function callRoutes(needs: RoutesNeeds): readonly Route[] {
  const { basis, access, operations, connecting, address, pages, state, stopping } = needs;
  const { store, clock, logger, upstreams } = basis;
  const { applications, tokens, revokedTokens, masterKeys, signingKeys, gate } = access;
  const { connectors, views, live, executor, syncRuns, createdOnce, admission } = operations;
  const publicUrl = () => address.publicUrl();
  const requireLive = gate.requireLive.bind(gate);
  return [
    ...tokenRoutes({ applications, tokens, revokedTokens }),
    ...applicationRoutes(operations.desk, { createdOnce, clock }),
    ...backupRoutes(store),
    ...keyRoutes({ masterKeys, signingKeys }),
    ...connectorRoutes({ connectors, views }, { createdOnce, clock }),
    ...connectSessionRoutes(connecting.connectSessions, { createdOnce, clock }),
    ...pageSessionRoutes({ sessions: connecting.pageSessions, publicUrl }),
    ...syncRoutes({ syncRuns, views, admission, clock, logger, stopping, requireLive }),
    ...executeRoutes({ applications, live, executor, clock }),
    ...statsRoutes(operations.stats),
    ...deletionRoutes(operations.deletions),
    ...mcpRoutes({ connectors, live, executor, syncRuns, clock, logger }),
    ...kindRoutes(operations.kinds),
    ...connectPageRoutes(pages.connect),
    ...consoleSessionRoutes({
      sessions: access.consoleSessions,
      publicUrl,
      trials: trialsOf(upstreams),
    }),
    ...consoleRoutes(pages.console),
    ...oauthRoutes({ initiation: connecting.initiation, apps: operations.apps }),
    ...consentPageRoutes({ consents: connecting.consents, clock }),
    ...homeRoutes({
      version: VERSION,
      state,
      publicUrl,
      standIns: standInsOf(upstreams),
      hasConsole: pages.console !== undefined,
    }),
  ];
}

/** Those of a port of their own are not here. */
function metricsOnThisPort({ options, basis: { metrics } }: RoutesNeeds): readonly Route[] {
  const { port, token } = options.metrics ?? {};
  return metrics === undefined || token === undefined || port !== undefined
    ? []
    : metricsRoutes(metrics, token);
}

async function pageOf(folder: string | undefined): Promise<StaticPage | undefined> {
  return folder === undefined ? undefined : await loadStaticPage(folder);
}
