import type { Warning } from '@patchbay/connectors/definitions';
import type { ExecutionMetadata, SearchResult } from '@patchbay/connectors/wire';

/** One page of what a search found, and how the service ran it. */
export interface SearchPage<H> extends Omit<SearchResult, 'hits'> {
  readonly hits: readonly H[];
  readonly execution_metadata: ExecutionMetadata;
  /** What the caller should know although the search went well; mostly nothing. */
  readonly warnings: readonly Warning[];
}
