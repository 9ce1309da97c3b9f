export { describeDatabase } from './describe-database.ts';
export { folderState } from './embedded/database-folder.ts';
export type { FolderState } from './embedded/database-folder.ts';
export { isFolderHeld } from './embedded/is-folder-held.ts';
export { moveDatabase } from './move-database.ts';
export type { MovedDatabase, MoveOptions } from './move-database.ts';
export { openStore } from './open-store.ts';
export { checkBackup, restoreBackup } from './restore-backup.ts';
export type { BackupInfo, CarriedRows, RestoreOptions } from './restore-backup.ts';
export type {
  Application,
  Applications,
  ApplicationChange,
  ApplicationSecret,
  NewApplication,
  NewSecret,
} from './contract/applications.ts';
export type {
  ConnectSession,
  ConnectSessions,
  GivenInSession,
  NewConnectSession,
  SessionProblem,
} from './contract/connect-sessions.ts';
export type {
  ConsoleSession,
  ConsoleSessions,
  NewConsoleSession,
} from './contract/console-sessions.ts';
export type {
  Copies,
  CopyId,
  CopyRecord,
  JsonType,
  ObservedPath,
  ParentQuery,
  SearchHit,
  SearchOptions,
  SearchPage,
  SearchTime,
} from './contract/copies.ts';
export { copyDefinitionHash } from './copies/copy-table.ts';
export { Rounds, TimeSlices } from './time-slices.ts';
export type {
  Begun,
  ConsentBounds,
  ConsentRow,
  Consents,
  OAuthAppRow,
  OAuthApps,
} from './contract/consents.ts';
export type {
  IssuedToken,
  DueRenewal,
  Renewal,
  RenewalFailure,
  Renewals,
  RenewalTurn,
  TokenTimes,
} from './contract/renewals.ts';
export type {
  AccountHolder,
  NewRevocation,
  Revocation,
  Revocations,
} from './contract/revocations.ts';
export type { Deletion, Deletions } from './contract/deletions.ts';
export { HEAD_CHARACTERS } from './contract/sealed-values.ts';
export type { SealedCount, SealedValue, SealedValues } from './contract/sealed-values.ts';
export type { ConnectorCount, CopyLag, Figures, WaitingWork } from './contract/figures.ts';
export type { StatCounts, StatPoint, StatQuery, StatRow, Stats } from './contract/stats.ts';
export { isStoreError, isUniqueViolation, StoreError } from './store-error.ts';
export type { StoreErrorCode } from './store-error.ts';
export type {
  BegunRead,
  CommittedBatch,
  CopyStanding,
  DueConnector,
  EntitySync,
  Lease,
  ReadBatch,
  ReadProgress,
  RunCause,
  RunPosition,
  RunProblem,
  RunState,
  SyncProblem,
  SyncRun,
  Syncs,
} from './contract/syncs.ts';
export { isStorable } from './storable-text.ts';
export { isUuid } from './uuid.ts';
export { QUICK_SEARCH_MS } from './contract/lane-use.ts';
export type { Lane, LaneUse } from './contract/lane-use.ts';
export type { LaneSizes, OpeningStep, StoreLogger, StoreOptions } from './store-options.ts';
export type {
  ConnectorChange,
  ConnectorFilter,
  ConnectorRow,
  ConnectorState,
  ConnectorStatus,
  DatabaseProfile,
  GivenCredentials,
  IdempotencyRecord,
  InstanceFacts,
  Intent,
  IntentOfCall,
  Intents,
  KnownSettings,
  Organization,
  RevokedToken,
  SigningKey,
  Store,
  StoredAnswer,
  StoredSigningKey,
} from './contract/store.ts';
