export { createConnector } from './create-connector.ts';
export type { Connector, ConnectorOptions } from './create-connector.ts';
export { describeEntity, describeKind } from './describe.ts';
export type {
  ActionDescription,
  AuthMethodDescription,
  EntityDescription,
  FieldDescription,
  KindDescription,
  ParamDescription,
  SettingDescription,
} from './describe.ts';
export { ConnectorError, ERRORS, faultsOf, isConnectorError } from './errors.ts';
export type { ErrorCode, ErrorDetails, ErrorGroup, ErrorRow, Fault, Retry } from './errors.ts';
export { checkConnector } from './execution/check-connector.ts';
export type { CheckReport, EntityCheck } from './execution/check-connector.ts';
export { checkMembers, isJsonObject, quote } from './execution/check-members.ts';
export type { CheckedMembers, Member } from './execution/check-members.ts';
export { checkParams, findAction, findEntity } from './execution/check-params.ts';
export { checkConfig, checkReplicationConfig } from './execution/check-settings.ts';
export { systemClock } from './execution/clock.ts';
export type { Clock } from './execution/clock.ts';
export { ConnectorEngine, DEFAULT_TIMEOUT_MS } from './execution/connector-engine.ts';
export type {
  DriftReport,
  EngineOptions,
  Outcome,
  Page,
  PreparedCall,
} from './execution/connector-engine.ts';
export { checkCredentials } from './execution/credentials.ts';
export type { CheckedCredentials } from './execution/credentials.ts';
export type { UpstreamLimits } from './execution/limiter.ts';
export { nearestName } from './execution/nearest-name.ts';
export type { ProjectedRecord } from './execution/projection.ts';
export { allKinds, findKind, findKindByDefinitionId } from './find-kind.ts';
export { KINDS } from './kinds/index.ts';
export type { KindName, Kinds } from './kinds/index.ts';
export { renderReferencePage } from './reference-page.ts';
export { isWrite, recordSchema } from './vocabulary/index.ts';
export type {
  Action,
  CallOptions,
  ConnectorKind,
  Download,
  Entity,
  Field,
  ListResult,
  RecordFields,
  RecordOf,
} from './vocabulary/index.ts';
