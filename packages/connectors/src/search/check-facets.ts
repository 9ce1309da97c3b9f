import type { Fault } from '../errors.ts';
import { quote } from '../json-value.ts';
import { facetName } from './counts.ts';
import { checkSegments, findField, namesIn } from './field-path.ts';
import type { FieldPath } from './filter.ts';
import type { SearchSchema } from './search-schema.ts';

/**
 * Checks the paths of facets, and adds what is wrong with them to `faults`.
 *
 * @see docs/search.md#counts-and-facets
 */
export function checkFacets(
  schema: SearchSchema,
  given: readonly unknown[],
  faults: Fault[],
): readonly FieldPath[] {
  const facets: FieldPath[] = [];
  for (const [index, entry] of given.entries()) {
    const at = `params.facets.${index}`;
    const found = checkFacet(schema, entry, at);
    if ('errorCode' in found) faults.push(found);
    else if (facets.some((facet) => facetName(facet) === facetName(found)))
      faults.push(repeatedName(found, at));
    else facets.push(found);
  }
  return facets;
}

function checkFacet(schema: SearchSchema, entry: unknown, at: string): FieldPath | Fault {
  const segments = checkSegments(entry, at);
  if ('errorCode' in segments) return segments;
  const found = findField(schema, segments, at);
  if ('errorCode' in found) {
    return found.errorCode === 'unknown' ? { ...found, allowed: countedIn(schema) } : found;
  }
  if (found.type !== 'object') return found;
  const name = facetName(found);
  const message = `is an object, and facets count scalars and the elements of arrays; name a path below it, as in ${quote(`${name}.…`)}`;
  return { field: at, errorCode: 'not_allowed', message, allowed: countedIn(schema) };
}

/** Where the values are that facets count, for people. */
function countedIn(schema: SearchSchema): string {
  const objects = namesIn(schema, ({ type }) => type === 'object');
  const others = namesIn(schema, ({ type }) => type !== 'object');
  return objects === '' ? others : `${others}, and paths below ${objects}`;
}

/** In the answer, facets go by their names: of one name there can be only one. */
function repeatedName(facet: FieldPath, at: string): Fault {
  const message = `is called ${quote(facetName(facet))}, as another facet is`;
  return { field: at, errorCode: 'conflict', message, allowed: 'each name once' };
}
