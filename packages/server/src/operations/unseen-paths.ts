import type { Entity, Warning } from '@patchbay/connectors';
import {
  ELEMENTS,
  memberPathsOf,
  namedPathsOf,
  nearestPath,
  pathInWords,
  type NamedPath,
  type Search,
} from '@patchbay/connectors/engine';
import type { CopyId, Store } from '@patchbay/store';

/** A large search must have a small answer. */
const MAX_WARNINGS = 20;

/** What is asked of a store to know which paths its copies have. */
export type PathsOfCopies = Pick<Store['copies'], 'paths' | 'unseenPaths'>;

/**
 * A warning for each path of a search that no record of the copy has: a search for `profile.emial` finds
 * nothing, and looks as if there were nothing. None where the copy does not know all its paths.
 */
export async function warnOfUnseenPaths(
  copies: PathsOfCopies,
  { copy, entity }: { readonly copy: CopyId; readonly entity: Entity },
  search: Pick<Search, 'filter' | 'fields' | 'facets'>,
): Promise<readonly Warning[]> {
  const named = namedPathsOf(search);
  // Most searches name none, and cost nothing.
  if (named.length === 0) return [];
  const unseen = await copies.unseenPaths(
    copy,
    named.map(({ segments }) => segments),
  );
  if (unseen.length === 0) return [];
  const isUnseen = new Set(unseen.map(pathInWords));
  const observed = (await copies.paths(copy.connectorId, copy.entity)).get(copy.entity) ?? [];
  const known = [...documentedPaths(entity), ...observed.map(({ segments }) => segments)];
  return named
    .filter(({ segments }) => isUnseen.has(pathInWords(segments)))
    .slice(0, MAX_WARNINGS)
    .map((path) => warningOf(path, copy.entity, known));
}

/** What the vendor documents below object and array fields. */
function documentedPaths({ record, search }: Entity): readonly (readonly string[])[] {
  return Object.entries({ ...record, ...search?.only }).flatMap(([name, field]) => {
    const isArray = field['x-field'] === 'array';
    return memberPathsOf(name, field['x-members'] ?? {}, { isArray }).map(
      ({ segments }) => segments,
    );
  });
}

function warningOf(
  { segments, at, outer }: NamedPath,
  entity: string,
  known: readonly (readonly string[])[],
): Warning {
  const given = pathInWords(segments);
  const nearest = nearestPath(segments, known);
  const nearestText = nearest === undefined ? given : pathInWords(nearest);
  const unseen = `No record in the copy of ${entity} has ${given}`;
  if (nearest === undefined || nearestText === given)
    return { code: 'path_not_seen', message: `${unseen}.`, field: at };
  return {
    code: 'path_not_seen',
    message: `${unseen}; did you mean ${nearestText}${howToReach(nearest, segments)}?`,
    field: at,
    did_you_mean: isSameStart(nearest, segments, outer)
      ? pathInWords(nearest.slice(outer))
      : nearestText,
  };
}

/** What cannot be written in the place of what was, but in another form. */
function howToReach(nearest: readonly string[], given: readonly string[]): string {
  const hasNew = (isMeant: (segment: string) => boolean) =>
    nearest.filter(isMeant).length > given.filter(isMeant).length;
  if (hasNew((segment) => segment === ELEMENTS)) return ', which filters reach with "any"';
  if (hasNew((segment) => segment.includes('.')))
    return ', a name with a dot in it, which takes the form with "path"';
  return '';
}

/** What stands inside `any` is relative to the element. */
function isSameStart(one: readonly string[], other: readonly string[], length: number): boolean {
  return one.slice(0, length).every((segment, index) => segment === other[index]);
}
