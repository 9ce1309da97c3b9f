export {
  create,
  download,
  get,
  isReadName,
  isSearch,
  isRepeatable,
  isWrite,
  list,
  meta,
  SEARCH,
  SEARCH_ALIASES,
  update,
} from './action.ts';
export type {
  Action,
  Actions,
  DownloadAction,
  GetAction,
  ListAction,
  MetaField,
  MetaFields,
  RequestLine,
  Verb,
  WriteAction,
  WrittenTo,
} from './action.ts';
export { basic, bearer, clientCredentials, credential, issued, oauthClient } from './auth.ts';
export type { AuthMethod, AuthMethods, CredentialField, CredentialsOf } from './auth.ts';
export { distributed, distributionNamesOf, distributionTermsOf } from './distributed.ts';
export type { Distribution, Distributions, ListTerms } from './distribution.ts';
export {
  actionNamesOf,
  copiesOf,
  entity,
  keyFieldOf,
  knownFieldsOf,
  PARAM_PART,
} from './entity.ts';
export type { Entity, SearchFields } from './entity.ts';
export { field, recordSchema } from './field.ts';
export { memberPathsOf } from './members.ts';
export type { FreeForm, MemberPath, Members } from './members.ts';
export type { Field, FieldType, RecordFields, RecordOfFields } from './field.ts';
export type {
  ActionCall,
  ActionName,
  Call,
  CallOptions,
  DistributionOf,
  Download,
  EntityCalls,
  EntityName,
  Execute,
  KindCalls,
  KindConfig,
  KindCredentials,
  ListCall,
  ListResult,
  MetaOf,
  ParamsOfAction,
  RecordOf,
  ResultOf,
} from './infer.ts';
export type {
  ElementFilter,
  SearchFieldName,
  SearchFilter,
  SearchHit,
  SearchParams,
  SearchQuery,
  SearchRecord,
  SearchSort,
} from './infer-search.ts';
export { identity } from './identity.ts';
export type { AccountFacts, FactPath, Identity } from './identity.ts';
export { connectorKind, InvalidDefinitionError } from './define-kind.ts';
export type { CheckCall, ConnectorKind, Entities } from './kind.ts';
export type { Consent, Grant, OAuthAddress, OAuthServer, TokenEndpoint } from './oauth.ts';
export type { BodyPath } from './body-path.ts';
export { paging } from './paging.ts';
export type { Paging, SaysMore } from './paging.ts';
export { pageSizeOf, param, UNITS_PER_SECOND } from './param.ts';
export type { Limited, PageSize, Param, Params, ParamsOf, TimeUnit } from './param.ts';
export { ENGINE_POLICIES } from './policies.ts';
export type { Policies, RateHeaders, RateRule } from './policies.ts';
export type {
  InstantFormat,
  ParamValues,
  ParentCondition,
  Parents,
  Read,
  Replicate,
  Since,
} from './replicate.ts';
export { searchable } from './searchable.ts';
export { setting } from './setting.ts';
export type { Setting, Settings, SettingsOf } from './setting.ts';
export type { Ending, Revocation, RevokedCredentials, TokenLookup } from './revocation.ts';
export { placeholdersOf } from './placeholders.ts';
export type { UpstreamErrorCode, UpstreamErrors } from './upstream-errors.ts';
