import type { RecordFields } from './field.ts';

/**
 * Searchable fields in alphabetical order, as the service reference has them for most entities: those
 * of the record but for some, and `only` some more or of another type.
 */
export function searchable<
  const R extends RecordFields,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- no further fields is what it says
  const O extends RecordFields = Record<never, never>,
  const W extends keyof R & string = never,
>(
  record: R,
  search: {
    readonly without?: readonly W[];
    readonly only?: O;
    readonly sortable: readonly (keyof (R & NoInfer<O>) & string)[];
    readonly text?: readonly (keyof (R & NoInfer<O>) & string)[];
    readonly fromParams?: { readonly [field in keyof NoInfer<O> & string]?: string };
  },
) {
  const { sortable, text = [], fromParams = {} } = search;
  // Absent means no further fields, and O is then inferred as its default, the empty record.
  const only = search.only ?? ({} as O);
  const without = new Set<string>(search.without);
  const names = Object.keys({ ...record, ...only }).filter((name) => !without.has(name));
  // The names are those of both but for the ones that were just left out.
  const fields = names.toSorted() as Exclude<keyof (R & O) & string, W>[];
  return { fields, only, sortable, text, fromParams };
}
