/**
 * The part of the package that runs wherever JavaScript does, browsers included: definitions,
 * errors, and what walks and times calls without sending them. It imports nothing of Node's.
 */
export { bareError } from './bare-error.ts';
export { checkMembers } from './check-members.ts';
export { isJsonObject, quote } from './json-value.ts';
export type { Member } from './check-members.ts';
export { describedAction, describedEntity, describeEntity, describeKind } from './describe.ts';
export {
  ConnectorError,
  ERRORS,
  faultsOf,
  faultsText,
  faultText,
  invalidRequest,
  isConnectorError,
} from './errors.ts';
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
export { givenUpUnread } from './execution/unread-file.ts';
export { unknownName } from './unknown-name.ts';
export {
  checkCallOptions,
  checkOptionNames,
  checkOptions,
  wrongOptions,
} from './execution/check-options.ts';
export { checkCall, findAction, findEntity } from './execution/check-call.ts';
export { systemClock, wait } from './execution/clock.ts';
export type { Clock } from './execution/clock.ts';
export { startDeadline } from './execution/deadline.ts';
export type { Deadline } from './execution/deadline.ts';
export { eachOfPages } from './execution/each-of-pages.ts';
export { untilAborted } from './execution/until-aborted.ts';
export { findList, firstPageParams, nextParams, walkPages } from './execution/page-walk.ts';
export { requireWritable } from './execution/require-writable.ts';
export { allKinds, findKind } from './find-kind.ts';
export { KINDS } from './kinds/index.ts';
export type { KindAlias, KindName, KindNamed, Kinds } from './kinds/index.ts';
export { nearestName } from './nearest-name.ts';
export { checkSearch } from './search/check-search.ts';
export { MAX_HITS, MAX_SEARCH_MS, SEARCH_PARAMS, timeForSearch } from './search/search-params.ts';
export { placesFoundBy } from './search/found-places.ts';
export type { FindPlaces, FoundPlace } from './search/found-places.ts';
export type { TextRange } from './search/text-places.ts';
export { searchSchemaOf } from './search/search-schema.ts';
export {
  actionNamesOf,
  ENGINE_POLICIES,
  isReadName,
  isSearch,
  isWrite,
} from './vocabulary/index.ts';
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
  SearchFieldName,
  SearchFilter,
  SearchHit,
  SearchParams,
  SearchQuery,
  SearchRecord,
  SearchSort,
  SettingsOf,
} from './vocabulary/index.ts';
export type { Warning } from './warning.ts';
export type {
  ActionDescription,
  EntityDescription,
  KindDescription,
} from './wire/kind-description.ts';
