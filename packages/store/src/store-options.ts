import type { ConnectorKind } from '@patchbay/connectors';
import type { Lane } from './contract/lane-use.ts';
import type { DistributedTables } from './distribution/distribute-tables.ts';
import type { StoreError } from './store-error.ts';

/** Where the store reports what nobody waits for, such as a lost idle connection. pino fits. */
export interface StoreLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** What `openStore` is about to do; only `creating` takes seconds. */
export type OpeningStep = 'connecting' | 'creating' | 'migrating';

/** Connections at most, in each process. */
export type LaneSizes = Readonly<Record<Lane, number>>;

export interface StoreOptions {
  /** A `postgres://` URL; when given, `dataFolder` is not used. */
  readonly databaseUrl?: string;
  /** Where the embedded database lives; made when absent, with mode 0700. */
  readonly dataFolder?: string;
  /** No database is made, and no schema where there is none: that is `database_absent` then. */
  readonly mustExist?: boolean;
  /** Connections at most to a server, by what they are for, where that is to differ from the defaults. */
  readonly connections?: Partial<LaneSizes>;
  /** Kinds whose records are copied; those that the program knows, unless said. */
  readonly kinds?: readonly ConnectorKind[];
  /** Default: reports nothing. */
  readonly logger?: StoreLogger;
  readonly onProgress?: (step: OpeningStep) => void;
  /**
   * Spreads the tables over the nodes of a Citus cluster, if they are not, and is told how far that is. No
   * other process may be running.
   */
  readonly distribute?: (tables: DistributedTables) => void;
  /** Gives up what is waited for of a server, with its reason. */
  readonly signal?: AbortSignal;
  /**
   * Called once if the embedded database, once open, ends by itself or gets stuck, with an error that
   * says what to do. No call to the store is answered any more, so the process should end.
   */
  readonly onBroken?: (error: StoreError) => void;
}
