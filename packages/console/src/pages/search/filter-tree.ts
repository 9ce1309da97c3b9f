/** Where a condition looks: dotted names, or an array of them where one has a dot in it. */
export type Path = string | readonly string[];

/** Operators of conditions (docs/search.md#filters), but `any`, which has a filter of its own. */
export const PLAIN_OPERATORS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'like',
  'keyword',
  'fuzzy',
  'contains',
] as const;
export type PlainOperator = (typeof PLAIN_OPERATORS)[number];

/** How many of a group's conditions have to hold. */
export const JOINS = ['all', 'any', 'none'] as const;
export type Join = (typeof JOINS)[number];

export interface ConditionNode {
  readonly as: 'condition';
  readonly id: number;
  readonly operator: PlainOperator;
  readonly path: Path;
  readonly value: unknown;
}

/** Some element of an array satisfies a group, in which names are relative to the element. */
export interface ElementNode {
  readonly as: 'element';
  readonly id: number;
  readonly path: Path;
  readonly group: GroupNode;
}

export interface GroupNode {
  readonly as: 'group';
  readonly id: number;
  readonly join: Join;
  readonly nodes: readonly FilterNode[];
}

/** A filter as a form shows it. Each part has an id of its own, by which forms know it again. */
export type FilterNode = ConditionNode | ElementNode | GroupNode;

type Json = Readonly<Record<string, unknown>>;

let lastId = 0;

/** An id that no other part of any filter of this page has. */
function newId(): number {
  return ++lastId;
}

export function newGroup(join: Join, nodes: readonly FilterNode[] = []): GroupNode {
  return { as: 'group', id: newId(), join, nodes };
}

export function newCondition(path: Path, operator: PlainOperator, value: unknown): ConditionNode {
  return { as: 'condition', id: newId(), operator, path, value };
}

/** The filter that a form says, as it is sent. */
export function filterOf(node: FilterNode): Json {
  switch (node.as) {
    case 'condition':
      return atPath(node.operator, node.path, node.value);
    case 'element':
      return atPath('any', node.path, filterOf(node.group));
    case 'group':
      return filterOfGroup(node);
  }
}

function filterOfGroup({ join, nodes }: GroupNode): Json {
  const filters = nodes.map(filterOf);
  const [only] = filters;
  const single = filters.length === 1 ? only : undefined;
  switch (join) {
    case 'all':
      return filters.length === 0 ? {} : (single ?? { and: filters });
    case 'any':
      return { or: filters };
    case 'none':
      return { not: single ?? { or: filters } };
  }
}

function atPath(operator: string, path: Path, value: unknown): Json {
  return { [operator]: typeof path === 'string' ? { [path]: value } : [{ path, value }] };
}

/**
 * A filter as a form shows it: whatever the service takes means the same there.
 *
 * @throws Error that says what is no filter, and where.
 */
export function treeOf(filter: unknown): GroupNode {
  const node = parseFilter(filter, 'filter');
  return node.as === 'group' ? node : newGroup('all', [node]);
}

function parseFilter(filter: unknown, at: string): FilterNode {
  const nodes = Object.entries(objectAt(filter, at))
    .filter(([, operand]) => operand !== null)
    .flatMap(([operator, operand]) => parseOperator(operator, operand, `${at}.${operator}`));
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : newGroup('all', nodes);
}

function parseOperator(operator: string, operand: unknown, at: string): readonly FilterNode[] {
  switch (operator) {
    case 'and':
      return [newGroup('all', parseAll(operand, at))];
    case 'or':
      return [newGroup('any', parseAll(operand, at))];
    case 'not':
      return [negated(parseFilter(operand, at))];
    case 'any':
      return entriesAt(operand, at).map(([path, value]): ElementNode => {
        const group = parseFilter(value, `${at}.${String(path)}`);
        return {
          as: 'element',
          id: newId(),
          path,
          group: group.as === 'group' ? group : newGroup('all', [group]),
        };
      });
    default: {
      const known = PLAIN_OPERATORS.find((each) => each === operator);
      if (known === undefined) throw new Error(`${at} is no operator.`);
      return entriesAt(operand, at).map(([path, value]) => newCondition(path, known, value));
    }
  }
}

function parseAll(operand: unknown, at: string): readonly FilterNode[] {
  if (!Array.isArray(operand)) throw new Error(`${at} must be an array of filters.`);
  return operand.map((each, index) => parseFilter(each, `${at}.${index}`));
}

/** Not one of several is none of them. */
function negated(node: FilterNode): GroupNode {
  return node.as === 'group' && node.join === 'any'
    ? { ...node, join: 'none' }
    : newGroup('none', [node]);
}

/** Paths and values, in either form (docs/search.md#filters). */
function entriesAt(operand: unknown, at: string): readonly (readonly [Path, unknown])[] {
  if (!Array.isArray(operand)) return Object.entries(objectAt(operand, at));
  return operand.map((each: unknown, index) => {
    const { path, value } = objectAt(each, `${at}.${index}`);
    if (typeof path === 'string') return [path, value];
    if (Array.isArray(path) && path.every((name) => typeof name === 'string')) return [path, value];
    throw new Error(`${at}.${index}.path must be a name, or an array of names.`);
  });
}

function objectAt(value: unknown, at: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${at} must be an object.`);
  // A JSON object has members by name.
  return value as Json;
}
