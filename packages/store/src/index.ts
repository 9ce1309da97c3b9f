export { openStore } from './open-store.ts';
export type {
  Copies,
  CopyId,
  CopyRecord,
  ParentQuery,
  SearchHit,
  SearchPage,
} from './copies/contract.ts';
export { copyDefinitionHash } from './copies/copy-table.ts';
export type { Job, JobQueue, JobWorker, QueueName } from './jobs/contract.ts';
export { isStoreError, StoreError } from './store-error.ts';
export type { StoreErrorCode } from './store-error.ts';
export type {
  BegunRead,
  CommittedPage,
  EntitySync,
  Lease,
  PageCommit,
  ReadProgress,
  RunCause,
  RunState,
  SyncProblem,
  SyncRun,
  Syncs,
} from './sync/contract.ts';
export { isStorable } from './storable-text.ts';
export type { OpeningStep, StoreLogger, StoreOptions } from './store-options.ts';
export type {
  Application,
  ConnectorChange,
  ConnectorFilter,
  ConnectorRow,
  ConnectorState,
  DatabaseProfile,
  GivenCredentials,
  IdempotencyRecord,
  Organization,
  SigningKey,
  Store,
  StoredAnswer,
} from './store.ts';
