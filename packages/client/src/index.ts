export {
  ConnectorError,
  ERRORS,
  isConnectorError,
  placesFoundBy,
} from '@patchbay/connectors/definitions';
export type {
  CheckReport,
  ConnectorKind,
  Download,
  EntityDescription,
  ErrorCode,
  ErrorDetails,
  Fault,
  FindPlaces,
  FoundPlace,
  KindAlias,
  KindDescription,
  KindName,
  KindNamed,
  Kinds,
  ListResult,
  RecordOf,
  Retry,
  SearchCause,
  SearchFieldName,
  SearchFilter,
  SearchHit,
  SearchParams,
  SearchQuery,
  SearchRecord,
  SearchSort,
  TextRange,
} from '@patchbay/connectors/definitions';
export { readAllowedOrigin, readAllowedReturnUrl } from '@patchbay/connectors/wire';
export type { ScopedTokenOptions } from './application-login.ts';
// Nobody asks for these by name: the compiler does, where it declares what a program exports.
export type * from './documented-calls.ts';
export type {
  AllowedEntry,
  Application as ApplicationInfo,
  ApplicationPage,
  Connector as ConnectorInfo,
  ConnectorCheck,
  ConnectorInspection,
  ConnectorPage,
  ConsentUrl,
  EntityReadiness,
  EntitySyncStatus,
  ExecuteAnswer,
  ExecutionMetadata,
  ConnectSessionPage as ConnectSessionInfoPage,
  ListedApplication,
  ListedConnectSession as ConnectSessionInfo,
  NewApplication,
  NewApplicationSecret,
  Freshness,
  RequestedRun,
  SearchHit as UntypedHit,
  StatFigures,
  StatPoint,
  Stats,
  SyncRun,
  SyncRunPage,
  SyncRunReport,
  SyncStatus,
} from '@patchbay/connectors/wire';
export type {
  Confirmation,
  ConnectSession,
  ConnectSessionPage,
  ConnectSessions,
  CreatedConnectSession,
  ListedConnectSession,
  ListSessionsOptions,
  NewConnectSession,
  NewConnectSessionOptions,
} from './connect-sessions.ts';
export type {
  ConnectorChange,
  ConnectorFilter,
  ConsentRequest,
  ListConnectors,
  NewConnector,
  NewConnectorOptions,
} from './connector-info.ts';
export type { Connectors } from './connectors.ts';
export type {
  HostedCall,
  HostedCallOptions,
  HostedCalls,
  HostedDownloadCall,
  HostedExecute,
  HostedListCall,
  PartOf,
  SearchCall,
  WholeRecordOptions,
} from './hosted-calls.ts';
export type { HostedConnector, UntypedConnector, UntypedSearch } from './hosted-connector.ts';
export { newIdempotencyKey } from './idempotency-key.ts';
export { Patchbay } from './patchbay.ts';
export type { ConnectorOptions, RouteOptions, ScopedToken } from './patchbay.ts';
export type { ApplicationOptions, PatchbayOptions, TokenOptions } from './patchbay-options.ts';
export type { UntypedPage, UntypedRecord } from './remote-connector.ts';
export type { SearchPage } from './search-page.ts';
export type { RequestOptions } from './call-options.ts';
export type { StatsQuery } from './stats-query.ts';
export type { ConnectorSync, RunListOptions, SyncConnectors, WatchOptions } from './sync-status.ts';
