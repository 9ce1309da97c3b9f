import { nearestName } from '../nearest-name.ts';

type Path = readonly string[];

/**
 * The path most like one that is not among those known: with every name that is not below those before
 * it replaced by the nearest that is. `undefined` where one of them has none near it.
 */
export function nearestPath(given: Path, known: Iterable<Path>): Path | undefined {
  const names = namesBelow(known);
  const nearest = given.slice(0, 1);
  for (const name of given.slice(1)) {
    const below = names.get(keyOf(nearest)) ?? new Set<string>();
    const found = below.has(name) ? name : nearestName(name, below);
    if (found === undefined) return undefined;
    nearest.push(found);
  }
  return nearest;
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
