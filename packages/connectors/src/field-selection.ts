import { MAX_TOLD } from './check-members.ts';
import { quote } from './json-value.ts';
import type { Fault } from './errors.ts';
import { MAX_FIELDS, MAX_SEGMENTS } from './input-bounds.ts';
import { memberPathsIn, pathThatEndsWith } from './member-paths.ts';
import { nearestName } from './nearest-name.ts';
import type { Entity, RecordFields } from './vocabulary/index.ts';

type Fields = { readonly [name: string]: unknown };

/** The named parts of a record: `true` for a whole value, else the parts inside it. */
interface Tree {
  readonly [name: string]: Tree | true;
}

/** Cuts a record down to what was asked for, in the record's order. */
export type Selection = (record: Fields) => Fields;

export interface SelectionRequest {
  readonly selectFields?: readonly unknown[] | undefined;
  readonly excludeFields?: readonly unknown[] | undefined;
}

/**
 * Compiles `select_fields` (which wins) or `exclude_fields`: top-level or dotted names of the
 * record. Without either, `select` is `undefined`. In arrays, dotted names mean every element.
 *
 * @see docs/wire.md#field-selection
 */
export function compileSelection(
  entity: Pick<Entity, 'name' | 'record'>,
  request: SelectionRequest,
): { readonly select: Selection | undefined; readonly faults: readonly Fault[] } {
  const selected = checkNames(entity, 'select_fields', request.selectFields);
  const excluded = checkNames(entity, 'exclude_fields', request.excludeFields);
  const faults = [...selected.faults, ...excluded.faults];
  if (faults.length > 0) return { select: undefined, faults };
  if (selected.names.length > 0) {
    const tree = treeOf(selected.names);
    return { select: (record) => pick(record, tree), faults };
  }
  if (excluded.names.length === 0) return { select: undefined, faults };
  const tree = treeOf(excluded.names);
  return { select: (record) => omit(record, tree), faults };
}

function checkNames(
  entity: Pick<Entity, 'name' | 'record'>,
  member: string,
  list: readonly unknown[] | undefined,
): { readonly names: readonly string[]; readonly faults: readonly Fault[] } {
  if (list === undefined) return { names: [], faults: [] };
  if (list.length > MAX_FIELDS) return { names: [], faults: [tooMany(member, list.length)] };
  const names: string[] = [];
  const faults: Fault[] = [];
  for (const [index, name] of list.entries()) {
    if (faults.length === MAX_TOLD) break;
    const field = `${member}.${index}`;
    if (typeof name !== 'string')
      faults.push({
        field,
        errorCode: 'wrong_type',
        message: `must be a field name, got ${quote(name)}`,
      });
    else if (name.split('.', MAX_SEGMENTS + 1).length > MAX_SEGMENTS) faults.push(tooLong(field));
    else if (isKnown(entity.record, name.split('.'))) names.push(name);
    else faults.push(unknownName(entity, field, name));
  }
  return { names, faults };
}

function tooMany(field: string, given: number): Fault {
  const allowed = `at most ${MAX_FIELDS.toLocaleString('en')} field names`;
  const message = `must be ${allowed}, got ${given}`;
  return { field, errorCode: 'out_of_range', message, allowed };
}

function tooLong(field: string): Fault {
  const allowed = `at most ${MAX_SEGMENTS} names joined by dots`;
  return { field, errorCode: 'out_of_range', message: `must have ${allowed}`, allowed };
}

function isKnown(fields: RecordFields, path: readonly string[]): boolean {
  const [first = '', ...rest] = path;
  if (!Object.hasOwn(fields, first) || path.includes('')) return false;
  if (rest.length === 0) return true;
  const field = fields[first];
  switch (field?.['x-field']) {
    case 'items':
      return isKnown(field['x-items'] ?? {}, rest);
    case 'obj*':
    case 'object':
    case 'array':
      // Handed on verbatim: what is inside is the upstream's affair.
      return true;
    default:
      return false;
  }
}

function unknownName(
  { name: entityName, record }: Pick<Entity, 'name' | 'record'>,
  field: string,
  name: string,
): Fault {
  const allowed = Object.keys(record);
  const [first = '', ...below] = name.split('.');
  const nearest = nearestName(first, allowed);
  const didYouMean =
    pathThatEndsWith(memberPathsIn(record), [first, ...below]) ??
    (nearest === undefined || nearest === first ? undefined : [nearest, ...below].join('.'));
  const hint =
    didYouMean === undefined ? `it has ${allowed.join(', ')}` : `did you mean "${didYouMean}"?`;
  return {
    field,
    errorCode: 'unknown',
    message: `${quote(name)} is no field of ${entityName}; ${hint}`,
    allowed: allowed.join(', '),
    ...(didYouMean === undefined ? {} : { didYouMean }),
  };
}

function treeOf(names: readonly string[]): Tree {
  const root: Record<string, Tree | true> = Object.create(null) as Record<string, Tree | true>;
  for (const name of names) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    let node: Record<string, Tree | true> = root;
    let isCovered = false;
    for (const segment of path) {
      const next = (node[segment] ??= Object.create(null) as Tree);
      isCovered = next === true;
      if (isCovered) break;
      // Not `true`, so it is a tree, made here and still open.
      node = next as Record<string, Tree | true>;
    }
    if (!isCovered) node[last] = true;
  }
  return root;
}

function pick(record: Fields, tree: Tree): Fields {
  const picked: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const wanted = tree[name];
    if (wanted === undefined) continue;
    put(picked, name, wanted === true ? record[name] : inside(record[name], wanted, pick));
  }
  return picked;
}

function omit(record: Fields, tree: Tree): Fields {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const unwanted = tree[name];
    if (unwanted === true) continue;
    put(kept, name, unwanted === undefined ? record[name] : inside(record[name], unwanted, omit));
  }
  return kept;
}

/** Upstream objects may have a key `__proto__`, which plain assignment would swallow. */
function put(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true });
  else target[name] = value;
}

function inside(value: unknown, tree: Tree, cut: (record: Fields, tree: Tree) => Fields): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => inside(element, tree, cut));
  if (typeof value !== 'object' || value === null) return value;
  // An object that is no array, from parsed JSON.
  return cut(value as Fields, tree);
}
