/**
 * What the service sends, as schemas and the types that follow from them: the one definition that
 * the service, its OpenAPI document and its clients share. It runs wherever JavaScript does.
 *
 * A name is both the schema and the type of its values.
 */
export { Account } from './account.ts';
export {
  isLoopbackHost,
  MAX_URL,
  ORIGIN_EXPECTS,
  parseOrigin,
  parseReturnUrl,
  readAllowedOrigin,
  readAllowedReturnUrl,
  RETURN_URL_EXPECTS,
} from './allowed-urls.ts';
export type { AllowedEntry } from './allowed-urls.ts';
export {
  Application,
  ApplicationPage,
  ApplicationSecret,
  DeletedApplication,
  ListedApplication,
  NewApplication,
  NewApplicationSecret,
} from './application.ts';
export { DeletedExternalUser, Job } from './deletion.ts';
export {
  ConnectKind,
  ConnectMethod,
  ConnectPageSession,
  ConnectProgress,
  ConnectSession,
  ConnectSessionPage,
  ConnectSetting,
  ConsentStart,
  ListedConnectSession,
  NewConnectSession,
} from './connect-session.ts';
export {
  Connector,
  ConnectorCheck,
  ConnectorFreshness,
  ConnectorInspection,
  ConnectorPage,
  ConnectorsOfUser,
  DeletedConnector,
  EntityReadiness,
  LastError,
  Workspaces,
} from './connector.ts';
export { ConsentUrl, OAuthAppInfo, OAuthAppList } from './consent.ts';
export { ConsoleSession, ConsoleToken, TrialConnector } from './console.ts';
export {
  BothSearchResults,
  ContextStoreSearchResult,
  ExecuteAnswer,
  ExecutionMetadata,
  Facet,
  Freshness,
  InlineFile,
  ListAnswer,
  SearchAnswer,
  SearchHit,
  SearchResult,
  SearchTotal,
} from './execute.ts';
export {
  ActionDescription,
  AuthMethodDescription,
  EntityDescription,
  FieldDescription,
  KindDescription,
  KindList,
  ParamDescription,
  SettingDescription,
} from './kind-description.ts';
export { KeyRotation, KeysInUse, MasterKeyUse, NewSigningKey, SigningKeyUse } from './keys.ts';
export { errorOfProblem, faultOnWire } from './problem-error.ts';
export { Problem, PROBLEM_DETAILS, ProblemFault } from './problem.ts';
export { Readiness } from './readiness.ts';
export { withLaterMembers } from './later-members.ts';
export { hasShape, shapeFault } from './shape.ts';
export type { Schema, Wire } from './shape.ts';
export { StatFigures, StatPoint, Stats } from './stats.ts';
export {
  EntitySyncStatus,
  RequestedRun,
  SyncRun,
  SyncRunPage,
  SyncRunReport,
  SyncStatus,
} from './sync.ts';
export { ApplicationToken, ScopedToken, ScopedTokenInfo } from './tokens.ts';
