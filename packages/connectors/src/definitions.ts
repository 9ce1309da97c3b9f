/**
 * The part of the package that runs wherever JavaScript does, browsers included: definitions,
 * errors, and what walks and times calls without sending them. It imports nothing of Node's.
 */
export { describeEntity, describeKind } from './describe.ts';
export type { EntityDescription, KindDescription } from './describe.ts';
export { ConnectorError, ERRORS, faultsOf, isConnectorError } from './errors.ts';
export type { ErrorCode, ErrorDetails, ErrorGroup, ErrorRow, Fault, Retry } from './errors.ts';
export type { CheckReport, EntityCheck } from './execution/check-connector.ts';
export { isJsonObject, quote } from './execution/check-members.ts';
export { checkOptions } from './execution/check-options.ts';
export { findAction, findEntity } from './execution/check-params.ts';
export { systemClock, wait } from './execution/clock.ts';
export type { Clock } from './execution/clock.ts';
export { startDeadline } from './execution/deadline.ts';
export type { Deadline } from './execution/deadline.ts';
export { walkPages } from './execution/page-walk.ts';
export { allKinds, findKind } from './find-kind.ts';
export { KINDS } from './kinds/index.ts';
export type { KindName, Kinds } from './kinds/index.ts';
export { ENGINE_POLICIES, isWrite } from './vocabulary/index.ts';
export type {
  Action,
  ActionName,
  ConnectorKind,
  Download,
  Entity,
  EntityName,
  KindConfig,
  KindCredentials,
  ListAction,
  ListResult,
  MetaOf,
  ParamsOfAction,
  RecordOf,
  ResultOf,
  SettingsOf,
} from './vocabulary/index.ts';
