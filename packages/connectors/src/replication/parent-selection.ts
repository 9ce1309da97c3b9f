import type { Filter } from '../search/filter.ts';
import { searchSchemaOf } from '../search/search-schema.ts';
import type { Entity, ParentCondition, Parents } from '../vocabulary/index.ts';
import type { ParentSelection } from './contract.ts';
import { writtenInstant } from './instants.ts';

type Settings = Readonly<Record<string, unknown>>;

/** What decides which parents have lists to read. */
export interface SelectionRequest {
  readonly mode: 'full' | 'increment';
  readonly settings: Settings;
  /** Start of the last complete read, in an increment. */
  readonly asOf: Date | null;
}

const DAY_MS = 86_400_000;

/** The records of `parent`'s copy that have a list to read. */
export function selectParents(
  parent: Entity,
  parents: Parents,
  request: SelectionRequest,
): ParentSelection {
  const { mode, settings } = request;
  const conditions = filterOf(parent, parents.where ?? [], settings);
  const recent = mode === 'increment' ? recentFilter(parent, parents, request) : undefined;
  return {
    entity: parent.name,
    filter: conditions,
    fields: [
      ...new Set([
        ...Object.values(parents.params),
        ...(parents.before?.where ?? []).flatMap(fieldsOf),
      ]),
    ],
    isChangedOnly: mode === 'increment' && parents.changedOnly === true,
    ...(recent === undefined ? {} : { orFilter: all([conditions, recent]) }),
  };
}

/**
 * The filter that conditions make, all of them together. One whose `when` or `unless` does not hold
 * is left out, also among alternatives.
 */
export function filterOf(
  parent: Entity,
  conditions: readonly ParentCondition[],
  settings: Settings,
): Filter {
  return all(
    conditions
      .filter((condition) => isMeant(condition, settings))
      .map((condition) => conditionFilter(parent, condition, settings)),
  );
}

function conditionFilter(parent: Entity, condition: ParentCondition, settings: Settings): Filter {
  if ('anyOf' in condition) {
    const meant = condition.anyOf.filter((each) => isMeant(each, settings));
    return {
      operator: 'or',
      filters: meant.map((each) => conditionFilter(parent, each, settings)),
    };
  }
  const path = pathOf(parent, condition.field);
  if ('above' in condition) return { operator: 'gt', path, value: condition.above };
  if ('is' in condition) return { operator: 'eq', path, value: condition.is };
  return { operator: 'not', filter: { operator: 'eq', path, value: condition.isNot } };
}

function isMeant(condition: ParentCondition, settings: Settings): boolean {
  if ('anyOf' in condition) return true;
  const { when, unless } = condition;
  return (
    (when === undefined || settings[when] === true) &&
    (unless === undefined || settings[unless] !== true)
  );
}

/** Parents with something within the lookback; `undefined` where there is none. */
function recentFilter(
  parent: Entity,
  { recent }: Parents,
  { settings, asOf }: SelectionRequest,
): Filter | undefined {
  const days = recent === undefined ? 0 : Number(settings[recent.lookbackDays] ?? 0);
  if (recent === undefined || asOf === null || days === 0) return undefined;
  const value = writtenInstant(recent.as, asOf.getTime() - days * DAY_MS);
  return {
    operator: 'or',
    filters: recent.fields.map((field) => ({
      operator: 'gte',
      path: pathOf(parent, field),
      value,
    })),
  };
}

function pathOf(parent: Entity, field: string) {
  return { segments: [field], type: searchSchemaOf(parent)?.byName.get(field)?.type };
}

function fieldsOf(condition: ParentCondition): readonly string[] {
  return 'anyOf' in condition ? condition.anyOf.flatMap(fieldsOf) : [condition.field];
}

function all(filters: readonly Filter[]): Filter {
  const [only] = filters;
  return filters.length === 1 && only !== undefined ? only : { operator: 'and', filters };
}
