import type { Effort, Search } from '@patchbay/connectors/engine';
import { findSimilarWords } from '../dictionary.ts';
import type { OpenCopy } from '../open-copy.ts';
import { PathHashes } from '../path-hashes.ts';
import type { Compiler } from './filter/compiler.ts';
import { ROW } from './filter/field-place.ts';
import { fuzzyWords } from './filter/used-fields.ts';
import type { Order } from './order/order.ts';

/** What a page of hits is found with. */
export interface PageQuery extends OpenCopy {
  readonly search: Search;
  readonly order: Order;
  readonly compiler: Compiler;
  readonly signal: AbortSignal | undefined;
  readonly effort: Effort;
  /** Whether hits that were found until then will do: time or work were used up, and that is allowed. */
  readonly isPartialAfter: (error: unknown) => boolean;
}

/** Looks up what the compiler has to know of the copy. */
export async function prepareCompiler(
  copy: OpenCopy,
  { filter }: Pick<Search, 'filter'>,
  signal?: AbortSignal,
): Promise<Compiler> {
  const similar = await findSimilarWords(copy, new Set(fuzzyWords(filter)), signal);
  const { connectorId, isDistributed, table, pace } = copy;
  return {
    connectorId,
    isDistributed,
    table,
    hashes: new PathHashes(connectorId),
    root: ROW,
    mostSets: pace.gatheredTerms,
    isNegated: false,
    similar,
    known: new Map(),
    compiled: { plain: new Map(), negated: new Map() },
  };
}
