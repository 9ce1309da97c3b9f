import type { RecordFields } from './field.ts';

/**
 * Searchable fields in alphabetical order, as the service reference has them for most entities: those
 * of the record but for some, and `only` some more or of another type.
 */
export function searchable<
  const R extends RecordFields,
  const O extends RecordFields = Record<string, never>,
>(
  record: R,
  search: {
    readonly without?: readonly (keyof R & string)[];
    readonly only?: O;
    readonly sortable: readonly (keyof (R & O) & string)[];
    readonly text?: readonly (keyof (R & O) & string)[];
  },
) {
  const { without = [], sortable, text = [] } = search;
  // Absent means no further fields, and O is then inferred as its default, the empty record.
  const only = search.only ?? ({} as O);
  const names: (keyof (R & O) & string)[] = Object.keys({ ...record, ...only });
  const fields = names.filter((name) => !without.includes(name)).toSorted();
  return { fields, only, sortable, text };
}
