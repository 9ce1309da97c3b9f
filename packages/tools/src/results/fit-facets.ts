import type { Facet, SearchResult } from '@patchbay/connectors/wire';
import { bytesOf } from './budget.ts';

type Facets = NonNullable<SearchResult['facets']>;

/** Values that each facet keeps, tried one after another. */
const SIZES = [20, 10, 5, 2, 1, 0] as const;

/** Facets with so many values each as fit; those left out count among the others. */
export function fitFacets(facets: Facets, maxBytes: number): Facets {
  let fitting = facets;
  for (const size of SIZES) {
    fitting = Object.fromEntries(
      Object.entries(facets).map(([name, facet]) => [name, withValues(facet, size)]),
    );
    if (bytesOf(fitting) <= maxBytes) return fitting;
  }
  return fitting;
}

function withValues({ values, relation, other }: Facet, size: number): Facet {
  const leftOut = values.slice(size).reduce((sum, { count }) => sum + count, 0);
  return { values: values.slice(0, size), relation, other: other + leftOut };
}
