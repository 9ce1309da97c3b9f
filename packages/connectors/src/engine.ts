/**
 * The parts that connectors are made of, for programs that run them on behalf of others: the service,
 * its store, the command line. Users of the library need none of it.
 */
export { isSameAccount } from './account.ts';
export type { Account } from './account.ts';
export { checkMembers } from './check-members.ts';
export { isJsonObject, quote } from './json-value.ts';
export type { CheckedMembers, Member } from './check-members.ts';
export { credentialWarnings } from './credentials-ending.ts';
export type { CredentialsLife } from './credentials-ending.ts';
export { editDistance } from './edit-distance.ts';
export { MAX_FIELDS, MAX_SEGMENTS } from './input-bounds.ts';
export { faultsText, faultText, invalidRequest } from './errors.ts';
export { checkConnector } from './execution/check-connector.ts';
export type { CheckResult } from './execution/check-connector.ts';
export { beginStretch, newCallTimes } from './execution/call-times.ts';
export type { CallTimes } from './execution/call-times.ts';
export { checkCall, findAction, findEntity } from './execution/check-call.ts';
export {
  baseUrlFault,
  checkConfig,
  checkReplicationConfig,
  completeReplicationConfig,
  fillBaseUrl,
  isInstantSetting,
  missingConfig,
} from './execution/check-settings.ts';
export { systemClock, wait } from './execution/clock.ts';
export { ConnectorEngine, DEFAULT_TIMEOUT_MS } from './execution/connector-engine.ts';
export type {
  AcceptedWrite,
  EngineOptions,
  Outcome,
  PreparedCall,
} from './execution/connector-engine.ts';
export { checkCredentials, MAX_CREDENTIAL, NoCredentialsError } from './execution/credentials.ts';
export type { Authorize, CheckedCredentials } from './execution/credentials.ts';
export type {
  BudgetWait,
  UpstreamAttempt,
  UpstreamObserver,
} from './execution/upstream-observer.ts';
export { untilAborted } from './execution/until-aborted.ts';
export type { ProjectedRecord } from './execution/projection.ts';
export type { Page, RawPage } from './execution/read-answer.ts';
export { nestedTooDeeply, requireWritable } from './execution/require-writable.ts';
export type { Selection, SelectionRequest } from './field-selection.ts';
export {
  allKinds,
  findKind,
  findKindByDefinitionId,
  findKindOfApp,
  kindsInWords,
} from './find-kind.ts';
export { nearestName } from './nearest-name.ts';
export { unknownEntity, unsupportedAction } from './unknown-name.ts';
export type {
  CopiedRecord,
  EntityRead,
  ParentLink,
  ParentSelection,
  ReadPage,
  ReadRequest,
  WrittenCopy,
} from './replication/contract.ts';
export { MAX_KEY_BYTES } from './replication/copied-record.ts';
export { joinedDrift } from './replication/copy-drift.ts';
export type { CopyDrift } from './replication/copy-drift.ts';
export { oauthAddress } from './oauth/oauth-address.ts';
export type { OAuthSite } from './oauth/oauth-address.ts';
export { TOKEN_TIMEOUT_MS } from './oauth/ask-for-tokens.ts';
export type { OAuthUpstream } from './oauth/ask-for-tokens.ts';
export { RenewingCredentials } from './oauth/renewing-credentials.ts';
export { authorizeUrl, consentMethodOf, newCodeVerifier, redeemCode } from './oauth/consent.ts';
export type { AuthorizeRequest, GivenConsent, OAuthApp, RedeemOutcome } from './oauth/consent.ts';
export { appIdOf, isRenewable, renew, renewalGrantOf, tokenLifeOf } from './oauth/renewal.ts';
export { accessTokenOf, isRevocable, revocationOf, revoke } from './oauth/revoke.ts';
export type { RevocationOutcome } from './oauth/revoke.ts';
export type {
  OAuthClient,
  Renewable,
  RenewalGrant,
  RenewalOutcome,
  TokenLife,
} from './oauth/renewal.ts';
export { planRead } from './replication/plan-read.ts';
export { writtenCopies } from './replication/written-copies.ts';
export { renderReferencePage } from './reference-page.ts';
export { canonicalText } from './search/canonical-text.ts';
export { checkSearch } from './search/check-search.ts';
export { SEARCH_LIMITS } from './search/search-limits.ts';
export { compareCodePoints } from './search/code-points.ts';
export {
  countRecords,
  countsOf,
  FacetTally,
  LONG_TEXT,
  MAX_FACET_TEXT,
  MAX_VALUES_OF_FACETS,
} from './search/counts.ts';
export { MAX_COUNTED } from './search/search-params.ts';
export type { Counts } from './search/counts.ts';
export { Effort, MAX_EFFORT } from './search/effort.ts';
export { judge, judgeScore, matches, scoreOf } from './search/evaluate.ts';
export type {
  Condition,
  FieldPath,
  Filter,
  Search,
  SortKey,
  TextCondition,
} from './search/filter.ts';
export { isSameJson, valueAt } from './search/json-values.ts';
export { namedPathsOf } from './search/named-paths.ts';
export type { NamedPath } from './search/named-paths.ts';
export { nearestPath } from './search/nearest-path.ts';
export { textsOf } from './search/judged-texts.ts';
export { compareHits, pickFields, searchRecords } from './search/search-records.ts';
export type { PlainHit, ScoredRecord, SearchableRecord } from './search/search-records.ts';
export { searchSchemaOf } from './search/search-schema.ts';
export type { SearchField, SearchSchema, SearchType } from './search/search-schema.ts';
export { searchableValues, wellFormed, wellFormedText } from './search/storable-values.ts';
export type { Steps } from './search/steps.ts';
export {
  editAllowance,
  isLettersOnly,
  letterBits,
  normalisedText,
  wordQuality,
  wordsOf,
} from './search/words.ts';
export {
  distributionNamesOf,
  distributionTermsOf,
  isWrite,
  knownFieldsOf,
  memberPathsOf,
  recordSchema,
} from './vocabulary/index.ts';
export type { Action, Field, RecordFields } from './vocabulary/index.ts';
export { ELEMENTS, pathInWords, writtenPath } from './written-path.ts';
