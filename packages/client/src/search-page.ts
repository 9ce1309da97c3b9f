import type { ExecutionMetadata, SearchResult } from '@patchbay/connectors/wire';

/** One page of what a search found, and how the service ran it. */
export interface SearchPage<H> extends Omit<SearchResult, 'hits'> {
  readonly hits: readonly H[];
  readonly execution_metadata: ExecutionMetadata;
}
