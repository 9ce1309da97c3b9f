import { nearestName } from '../nearest-name.ts';
import { ELEMENTS } from '../written-path.ts';

type Path = readonly string[];

/**
 * The path most like one that is not among those known: with every name that is not below those before
 * it replaced by the nearest that is. Names that are one name with dots in it are joined, and where one is
 * below the elements of an array, these come before it. `undefined` where one of them has none near it.
 */
export function nearestPath(given: Path, known: Iterable<Path>): Path | undefined {
  const names = namesBelow(known);
  const nearest = given.slice(0, 1);
  for (let index = 1; index < given.length;) {
    const below = names.get(keyOf(nearest)) ?? new Set<string>();
    const rest = given.slice(index);
    const [name = ''] = rest;
    const joined = countJoined(rest, below);
    const found = joined > 0 ? rest.slice(0, joined).join('.') : nearestName(name, below);
    if (found === undefined && !below.has(ELEMENTS)) return undefined;
    nearest.push(found ?? ELEMENTS);
    if (found !== undefined) index += Math.max(joined, 1);
  }
  return nearest;
}

/** How many of the first names, as many as can be, are one that there is, once joined; 0 for none. */
function countJoined(given: Path, below: ReadonlySet<string>): number {
  const lengths = given.map((_, index) => index + 1).toReversed();
  return lengths.find((length) => below.has(given.slice(0, length).join('.'))) ?? 0;
}

/** The names that there are below each path. */
function namesBelow(paths: Iterable<Path>): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const path of paths) {
    for (let length = 1; length < path.length; length++) {
      const above = keyOf(path.slice(0, length));
      const below = names.get(above) ?? new Set<string>();
      below.add(path[length] ?? '');
      names.set(above, below);
    }
  }
  return names;
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}
