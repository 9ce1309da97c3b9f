import { ELEMENTS } from '../written-path.ts';
import { placeOf } from './condition-places.ts';
import type { Filter, Search } from './filter.ts';

/** A path below a field that a search names. */
export interface NamedPath {
  /** From the searchable field on; `ELEMENTS` stands for an element of the array that `any` looks into. */
  readonly segments: readonly string[];
  /** Where in the params it stands. */
  readonly at: string;
  /** How many of the segments stand elsewhere: those of the array, for what is inside `any`. */
  readonly outer: number;
}

/** The paths below object and array fields that a search names, each place of its own. */
export function namedPathsOf({
  filter,
  fields = [],
  facets,
}: Pick<Search, 'filter' | 'fields' | 'facets'>): readonly NamedPath[] {
  const inFields = fields.map((segments, index) => ({
    segments,
    at: `params.fields.${index}`,
    outer: 0,
  }));
  const inFacets = facets.map(({ segments }, index) => ({
    segments,
    at: `params.facets.${index}`,
    outer: 0,
  }));
  return [...pathsIn(filter, []), ...inFields, ...inFacets].filter(
    ({ segments }) => segments.length > 1,
  );
}

function pathsIn(filter: Filter, above: readonly string[]): readonly NamedPath[] {
  switch (filter.operator) {
    case 'and':
    case 'or':
      return filter.filters.flatMap((each) => pathsIn(each, above));
    case 'not':
      return pathsIn(filter.filter, above);
    default: {
      const segments = [...above, ...filter.path.segments];
      const own = { segments, at: placeOf(filter) ?? 'params.query.filter', outer: above.length };
      return filter.operator === 'any'
        ? [own, ...pathsIn(filter.filter, [...segments, ELEMENTS])]
        : [own];
    }
  }
}
