import type { FilterNode, GroupNode, Path } from './filter-tree.ts';

type Json = Readonly<Record<string, unknown>>;

/** The filter that a form says, as it is sent. */
export function filterOf(node: FilterNode): Json {
  return writeNode(node, '', new Map());
}

/** Where in the filter that a form says each of its parts stands, as faults tell it; the filter itself is `at`. */
export function placesOf(node: FilterNode, at: string): ReadonlyMap<FilterNode, string> {
  const places = new Map<FilterNode, string>();
  writeNode(node, at, places);
  return places;
}

function writeNode(node: FilterNode, at: string, places: Map<FilterNode, string>): Json {
  switch (node.as) {
    case 'condition': {
      const { operator, path, value } = node;
      places.set(node, placeOf(operator, path, at).of);
      return atPath(operator, path, value);
    }
    case 'element': {
      const { of, value } = placeOf('any', node.path, at);
      places.set(node, of);
      return atPath('any', node.path, writeNode(node.group, value, places));
    }
    case 'group':
      places.set(node, at);
      return writeGroup(node, at, places);
  }
}

function writeGroup({ join, nodes }: GroupNode, at: string, places: Map<FilterNode, string>): Json {
  const isSingle = nodes.length === 1;
  const inList = (operator: string, below: string) => ({
    [operator]: nodes.map((node, index) =>
      writeNode(node, `${below}.${operator}.${index}`, places),
    ),
  });
  const [only] = nodes;
  switch (join) {
    case 'all':
      if (only === undefined) return {};
      return isSingle ? writeNode(only, at, places) : inList('and', at);
    case 'any':
      return inList('or', at);
    case 'none':
      if (only === undefined || !isSingle) return { not: inList('or', `${at}.not`) };
      return { not: writeNode(only, `${at}.not`, places) };
  }
}

/** Where a condition stands, and where what it is compared with does. */
function placeOf(operator: string, path: Path, at: string) {
  const of = typeof path === 'string' ? `${at}.${operator}.${path}` : `${at}.${operator}.0`;
  return { of, value: typeof path === 'string' ? of : `${of}.value` };
}

function atPath(operator: string, path: Path, value: unknown): Json {
  return { [operator]: typeof path === 'string' ? { [path]: value } : [{ path, value }] };
}
