import type { Filter } from '@patchbay/connectors/engine';
import type { CopyColumn, CopyTable } from '../../copy-table.ts';
import { conditionsOf } from './conditions.ts';

/** The columns that a filter looks at, in the order of the table. */
export function usedColumns(table: CopyTable, filter: Filter): readonly CopyColumn[] {
  const inRow = conditionsOf(filter).filter(({ arrays }) => arrays.length === 0);
  return columnsNamed(
    table,
    inRow.map(({ condition }) => condition.path.segments),
  );
}

/** The columns that some paths begin with; all of them where nothing is said. */
export function namedColumns(
  table: CopyTable,
  fields: readonly (readonly string[])[] | undefined,
): readonly CopyColumn[] {
  return fields === undefined ? table.columns : columnsNamed(table, fields);
}

function columnsNamed(
  table: CopyTable,
  paths: readonly (readonly string[])[],
): readonly CopyColumn[] {
  const names = new Set(paths.map(([first]) => first));
  return table.columns.filter(({ field }) => names.has(field.name));
}

/** Whether hits may score other than 1. */
export function hasTextConditions(filter: Filter): boolean {
  return conditionsOf(filter).some(
    ({ condition, nots }) => nots === 0 && TEXT_OPERATORS.has(condition.operator),
  );
}

const TEXT_OPERATORS: ReadonlySet<string> = new Set(['like', 'keyword', 'fuzzy']);

/** Words of fuzzy conditions that count somewhere, but for those whose terms are of no use. */
export function fuzzyWords(filter: Filter): readonly string[] {
  return conditionsOf(filter).flatMap(({ condition, nots }) =>
    condition.operator === 'fuzzy' && nots % 2 === 0 ? condition.words : [],
  );
}
