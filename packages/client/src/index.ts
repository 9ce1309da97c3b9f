export { ConnectorError, ERRORS, isConnectorError } from '@patchbay/connectors/definitions';
export type {
  CheckReport,
  ConnectorKind,
  Download,
  EntityDescription,
  ErrorCode,
  ErrorDetails,
  Fault,
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
} from '@patchbay/connectors/definitions';
export type { ScopedTokenOptions } from './application-login.ts';
export type {
  ConnectorChange,
  ConnectorCheck,
  ConnectorFilter,
  ConnectorInfo,
  ConnectorInspection,
  ConnectorPage,
  EntityReadiness,
  ListConnectors,
  NewConnector,
} from './connector-info.ts';
export type { Connectors } from './connectors.ts';
export type {
  HostedCallOptions,
  HostedCalls,
  HostedExecute,
  PartOf,
  SearchCall,
  WholeRecordOptions,
} from './hosted-calls.ts';
export type { HostedConnector, UntypedConnector, UntypedSearch } from './hosted-connector.ts';
export { Patchbay } from './patchbay.ts';
export type { ConnectorOptions, ScopedToken } from './patchbay.ts';
export type { ApplicationOptions, PatchbayOptions, TokenOptions } from './patchbay-options.ts';
export type { UntypedPage, UntypedRecord } from './remote-connector.ts';
export type { ExecutionMetadata, Freshness, SearchPage, UntypedHit } from './search-page.ts';
export type { RequestOptions } from './service-client.ts';
export type {
  ConnectorSync,
  EntitySyncStatus,
  RequestedRun,
  SyncConnectors,
  SyncRun,
  SyncStatus,
  WatchOptions,
} from './sync-status.ts';
