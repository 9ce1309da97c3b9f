import type { WasmModules } from './wasm-modules.ts';

/** What the worker is started with. */
export interface WorkerInput {
  /** The folder that holds, or shall hold, the database. */
  readonly databaseFolder: string;
  /** Where to listen. */
  readonly socketPath: string;
  readonly modules: WasmModules;
  /** The memory of `DoorSigns`. */
  readonly signs: SharedArrayBuffer;
}

/** What the worker tells. `opened` or `failed` comes once; `closed` answers `CLOSE`. */
export type WorkerMessage =
  | { readonly type: 'creating' }
  | { readonly type: 'opened' }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'broken'; readonly reason: string }
  | { readonly type: 'closed' };

/** The one thing the worker is told. */
export const CLOSE = 'close';
