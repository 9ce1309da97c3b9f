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

let lastId = 0;

/** An id that no other part of any filter of this page has. */
export function newId(): number {
  return ++lastId;
}

export function newGroup(join: Join, nodes: readonly FilterNode[] = []): GroupNode {
  return { as: 'group', id: newId(), join, nodes };
}

export function newCondition(path: Path, operator: PlainOperator, value: unknown): ConditionNode {
  return { as: 'condition', id: newId(), operator, path, value };
}
