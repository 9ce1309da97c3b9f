import type { CopyTables } from './copy-table.ts';
import { KnownWords } from './known-words.ts';
import { SEARCH_PACE, type SearchPace } from './search/search-pace.ts';

/** What the modules of this folder share, one for each open store. */
export interface CopyContext {
  readonly tables: CopyTables;
  readonly knownWords: KnownWords;
  readonly pace: SearchPace;
}

export function makeCopyContext(tables: CopyTables): CopyContext {
  return { tables, knownWords: new KnownWords(), pace: SEARCH_PACE };
}
