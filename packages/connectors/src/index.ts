/** Open source mode: connectors with your own credentials, in your own process. */
export { createConnector } from './create-connector.ts';
export type { AnyConnector, Connector, ConnectorOptions } from './create-connector.ts';
export { describeEntity, describeKind } from './describe.ts';
export { ConnectorError, ERRORS, faultsOf, isConnectorError } from './errors.ts';
export type {
  ErrorCode,
  ErrorDetails,
  ErrorGroup,
  ErrorRow,
  Fault,
  Retry,
  SearchCause,
} from './errors.ts';
export type { CheckReport, EntityCheck } from './execution/check-connector.ts';
export type { Clock } from './execution/clock.ts';
export type { DriftReport } from './execution/connector-engine.ts';
export type { UpstreamLimits } from './execution/limiter.ts';
export { KINDS } from './kinds/index.ts';
// Nobody asks for the entities of a kind, or for what settings are made of, by name: the compiler does,
// where it declares what a program exports, such as a connector.
export type { ChatWorkspaceEntities } from './kinds/chat-workspace/index.ts';
export type { CustomerMessagingEntities } from './kinds/customer-messaging/index.ts';
export type { KindAlias, KindName, KindNamed, Kinds } from './kinds/index.ts';
export type { SupportChatEntities } from './kinds/support-chat/index.ts';
export type { SupportTicketingEntities } from './kinds/support-ticketing/index.ts';
export type * from './vocabulary/documented-calls.ts';
export type { Execute } from './vocabulary/infer.ts';
export type {
  Call,
  CallOptions,
  ConnectorKind,
  Download,
  Ending,
  Entity,
  FreeForm,
  Grant,
  ListCall,
  ListResult,
  RecordOf,
  RevokedCredentials,
  SearchFieldName,
  SearchFilter,
  SearchHit,
  SearchParams,
  SearchQuery,
  SearchRecord,
  SearchSort,
  Setting,
} from './vocabulary/index.ts';
export type { Warning } from './warning.ts';
export type {
  ActionDescription,
  AuthMethodDescription,
  EntityDescription,
  FieldDescription,
  KindDescription,
  ParamDescription,
  SettingDescription,
} from './wire/kind-description.ts';
