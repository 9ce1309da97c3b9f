import type { Database } from '../database.ts';
import type { Copies } from './contract.ts';
import type { CopyContext } from './copy-context.ts';
import { findParents } from './find-parents.ts';
import { mergeRecord } from './merge-record.ts';
import { searchCopy } from './search/search-copy.ts';

/** The copies in a database. */
export function openCopies(database: Database, context: CopyContext): Copies {
  return {
    search: (copy, search, options) => searchCopy(database, context, copy, search, options?.signal),
    parents: (copy, query) => findParents(database, context, copy, query),
    merge: (copy, record, options) => mergeRecord(database, context, copy, record, options),
  };
}
