import type { CopyId } from '../contract/copies.ts';
import type { Database } from '../database.ts';
import { ALL_AT_ONCE, type Pace } from '../pace.ts';
import type { CopyTable, CopyTables } from './copy-table.ts';
import { KnownWords } from './known-words.ts';
import { PathMemory } from './path-memory.ts';
import { SEARCH_PACE, type SearchPace } from './search-pace.ts';

/** What all copies of an open store share. */
export interface CopyContext {
  readonly tables: CopyTables;
  readonly knownWords: KnownWords;
  readonly pathMemory: PathMemory;
  readonly pace: SearchPace;
  /** How many characters of records are written in one transaction. */
  readonly commitPace: Pace;
  /** How exactly the planner gets to know a table: it takes a sample of 300 times as many rows. */
  readonly statisticsTarget: number;
  /** As of the database. */
  readonly isDistributed: boolean;
  /** Whether connections of the database keep plans; then plans must serve for other values, too. */
  readonly keepsPlans: boolean;
}

/** How copies are searched and filled where not as a server can. */
export type CopyPaces = Partial<Omit<CopyContext, 'tables' | 'knownWords' | 'pathMemory'>>;

/** Less than usual: nothing is asked but how many rows connectors and values roughly have. */
const STATISTICS_TARGET = 30;

export function makeCopyContext(tables: CopyTables, paces: CopyPaces = {}): CopyContext {
  return {
    tables,
    knownWords: new KnownWords(),
    pathMemory: new PathMemory(),
    pace: SEARCH_PACE,
    commitPace: ALL_AT_ONCE,
    statisticsTarget: STATISTICS_TARGET,
    isDistributed: false,
    keepsPlans: false,
    ...paces,
  };
}

/** A copy, looked at and changed over connections to the database, or within one transaction. */
export interface OpenCopy extends CopyContext, CopyId {
  readonly database: Database;
  readonly table: CopyTable;
  /** Which copy of the connector it is; 0 where nothing is added to it. */
  readonly copyNumber: number;
}

export function openCopy(
  database: Database,
  context: CopyContext,
  { connectorId, kind, entity, copyNumber = 0 }: CopyId & { readonly copyNumber?: number },
): OpenCopy {
  const table = context.tables.of({ kind, entity });
  return { ...context, connectorId, kind, entity, database, table, copyNumber };
}
