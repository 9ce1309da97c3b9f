import {
  newCondition,
  newGroup,
  newId,
  PLAIN_OPERATORS,
  type ElementNode,
  type FilterNode,
  type GroupNode,
  type Path,
} from './filter-tree.ts';

type Json = Readonly<Record<string, unknown>>;

/** A filter as a form shows it, and where each of its parts was written. */
export interface ReadFilter {
  readonly tree: GroupNode;
  readonly places: ReadonlyMap<FilterNode, string>;
}

/**
 * A filter as a form shows it: whatever the service takes means the same there.
 *
 * @throws Error that says what is no filter, and where.
 */
export function treeOf(filter: unknown): GroupNode {
  return readFilter(filter).tree;
}

/**
 * The same, and where in the filter as it was written each part stands, as faults tell it: the filter itself is
 * `filter`.
 */
export function readFilter(filter: unknown): ReadFilter {
  const places = new Map<FilterNode, string>();
  const node = parseFilter(filter, 'filter', places);
  const tree = node.as === 'group' ? node : newGroup('all', [node]);
  places.set(tree, 'filter');
  return { tree, places };
}

type Places = Map<FilterNode, string>;

function parseFilter(filter: unknown, at: string, places: Places): FilterNode {
  const nodes = Object.entries(objectAt(filter, at))
    .filter(([, operand]) => operand !== null)
    .flatMap(([operator, operand]) =>
      parseOperator(operator, operand, `${at}.${operator}`, places),
    );
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return only;
  return placed(newGroup('all', nodes), at, places);
}

function placed<N extends FilterNode>(node: N, at: string, places: Places): N {
  places.set(node, at);
  return node;
}

// oxlint-disable-next-line max-params -- where it is, and where that is noted
function parseOperator(
  operator: string,
  operand: unknown,
  at: string,
  places: Places,
): readonly FilterNode[] {
  switch (operator) {
    case 'and':
      return [placed(newGroup('all', parseAll(operand, at, places)), at, places)];
    case 'or':
      return [placed(newGroup('any', parseAll(operand, at, places)), at, places)];
    case 'not':
      return [placed(negated(parseFilter(operand, at, places)), at, places)];
    case 'any':
      return entriesAt(operand, at).map(({ path, value, of, valueAt }): ElementNode => {
        const inside = parseFilter(value, valueAt, places);
        const group = inside.as === 'group' ? inside : newGroup('all', [inside]);
        return placed({ as: 'element', id: newId(), path, group }, of, places);
      });
    default: {
      const known = PLAIN_OPERATORS.find((each) => each === operator);
      if (known === undefined) throw new Error(`${at} is no operator.`);
      return entriesAt(operand, at).map(({ path, value, of }) =>
        placed(newCondition(path, known, value), of, places),
      );
    }
  }
}

function parseAll(operand: unknown, at: string, places: Places): readonly FilterNode[] {
  if (!Array.isArray(operand)) throw new Error(`${at} must be an array of filters.`);
  return operand.map((each, index) => parseFilter(each, `${at}.${index}`, places));
}

/** Not one of several is none of them. */
function negated(node: FilterNode): GroupNode {
  return node.as === 'group' && node.join === 'any'
    ? { ...node, join: 'none' }
    : newGroup('none', [node]);
}

/** A path and what it is compared with, and where both stand. */
interface Entry {
  readonly path: Path;
  readonly value: unknown;
  readonly of: string;
  readonly valueAt: string;
}

/** Paths and values, in either form (docs/search.md#filters). */
function entriesAt(operand: unknown, at: string): readonly Entry[] {
  if (!Array.isArray(operand))
    return Object.entries(objectAt(operand, at)).map(([path, value]) => {
      const of = `${at}.${path}`;
      return { path, value, of, valueAt: of };
    });
  return operand.map((each: unknown, index) => {
    const of = `${at}.${index}`;
    const { path, value } = objectAt(each, of);
    if (isPath(path)) return { path, value, of, valueAt: `${of}.value` };
    throw new Error(`${of}.path must be a name, or an array of names.`);
  });
}

function isPath(value: unknown): value is Path {
  if (typeof value === 'string') return true;
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function objectAt(value: unknown, at: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${at} must be an object.`);
  // A JSON object has members by name.
  return value as Json;
}
