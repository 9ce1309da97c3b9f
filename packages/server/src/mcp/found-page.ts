import type { JsonObject, SearchOutcome } from '@patchbay/tools';
import type { Found } from '../operations/outcome.ts';

/** What was found, for tools. Their answers hold few of the hits that a page may have, and only those are parsed. */
export function foundPage({ page, tookMs, sync, warnings }: Found): SearchOutcome {
  const { hits, nextCursor, isPartial, ...counts } = page;
  return {
    hits: hits.map((hit) => ({
      ...hit,
      get data() {
        // The store gives the text of an object.
        return JSON.parse(hit.data) as JsonObject;
      },
    })),
    next_cursor: nextCursor,
    took_ms: tookMs,
    ...(isPartial ? { partial: true } : {}),
    ...counts,
    sync,
    warnings,
  };
}
