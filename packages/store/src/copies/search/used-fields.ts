import type { Filter } from '@patchbay/connectors/engine';
import type { CopyColumn, CopyTable } from '../copy-table.ts';

/** The columns that a filter looks at, in the order of the table. */
export function usedColumns(table: CopyTable, filter: Filter): readonly CopyColumn[] {
  const names = new Set(usedFields(filter));
  return table.columns.filter(({ field }) => names.has(field.name));
}

/** The columns that some paths begin with; all of them where nothing is said. */
export function namedColumns(
  table: CopyTable,
  fields: readonly (readonly string[])[] | undefined,
): readonly CopyColumn[] {
  if (fields === undefined) return table.columns;
  const names = new Set(fields.map(([first]) => first));
  return table.columns.filter(({ field }) => names.has(field.name));
}

function usedFields(filter: Filter): readonly (string | undefined)[] {
  switch (filter.operator) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(usedFields);
    case 'not':
      return usedFields(filter.filter);
    default:
      return [filter.path.segments[0]];
  }
}

/** Whether hits may score other than 1. */
export function hasTextConditions(filter: Filter): boolean {
  switch (filter.operator) {
    case 'and':
    case 'or':
      return filter.filters.some(hasTextConditions);
    case 'any':
      return hasTextConditions(filter.filter);
    case 'like':
    case 'keyword':
    case 'fuzzy':
      return true;
    default:
      return false;
  }
}

/** Words of fuzzy conditions that count somewhere, but for those whose terms are of no use. */
export function fuzzyWords(filter: Filter): readonly string[] {
  switch (filter.operator) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(fuzzyWords);
    case 'not':
      return fuzzyWordsUnderNot(filter.filter);
    case 'any':
      return fuzzyWords(filter.filter);
    case 'fuzzy':
      return filter.words;
    default:
      return [];
  }
}

/** Under `not`, only what is under another `not` is looked up. */
function fuzzyWordsUnderNot(filter: Filter): readonly string[] {
  switch (filter.operator) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(fuzzyWordsUnderNot);
    case 'any':
      return fuzzyWordsUnderNot(filter.filter);
    case 'not':
      return fuzzyWords(filter.filter);
    default:
      return [];
  }
}
