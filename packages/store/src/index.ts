export { openStore } from './open-store.ts';
export { isStoreError, StoreError } from './store-error.ts';
export type { StoreErrorCode } from './store-error.ts';
export { isStorable } from './storable-text.ts';
export type { OpeningStep, StoreLogger, StoreOptions } from './store-options.ts';
export type {
  Application,
  ConnectorChange,
  ConnectorFilter,
  ConnectorRow,
  ConnectorState,
  DatabaseProfile,
  IdempotencyRecord,
  Organization,
  SigningKey,
  Store,
  StoredAnswer,
} from './store.ts';
