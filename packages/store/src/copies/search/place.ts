import type { FieldPath } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { CopyColumn, CopyTable } from '../copy-table.ts';
import type { Lanes } from '../hashes.ts';
import type { TermPlaces } from '../term-places.ts';

/** What paths start from: the row, or an element of an array somewhere in it. */
export interface Root {
  /** `undefined` where paths start from the row. */
  readonly element?: {
    /** The element, as JSON. */
    readonly sql: RawBuilder<unknown>;
    readonly place: Lanes;
    /** Where words are hashed at: with the array, for all its elements together. */
    readonly words: Lanes;
    readonly hasGrams: boolean;
  };
  /** How many arrays are around. */
  readonly depth: number;
}

export const ROW: Root = { depth: 0 };

/** Where a condition looks, in SQL and in the indexes. */
export interface Place {
  /** The column itself, a typed scalar; or JSON, null where there is nothing. */
  readonly sql: RawBuilder<unknown>;
  readonly type: CopyColumn['sqlType'];
  readonly column: CopyColumn | undefined;
  /** Where values are hashed at. */
  readonly values: Lanes;
  /** Where words are hashed at. */
  readonly words: Lanes;
  /** The words there are those of this place alone, not of an array's other elements too. */
  readonly hasOwnWords: boolean;
  /** The texts there have grams. */
  readonly hasGrams: boolean;
}

/** What places are found with. */
export interface Places {
  readonly table: CopyTable;
  readonly places: TermPlaces;
  /** What paths start from. */
  readonly root: Root;
}

export function findPlace({ table, places, root }: Places, { segments }: FieldPath): Place {
  if (root.element !== undefined) return placeInElement(places, root.element, segments);
  const [name = '', ...below] = segments;
  const column = table.byField.get(name);
  if (column === undefined) throw new Error(`${name} is no searchable field of ${table.entity}`);
  const hashed = places.at(segments);
  return {
    sql: memberOf(sql.id(column.name), below),
    type: column.sqlType,
    column: below.length === 0 ? column : undefined,
    values: hashed,
    words: hashed,
    hasOwnWords: true,
    hasGrams: column.field.isText,
  };
}

/** The same in each element of the array at a place. */
export function inElements<Within extends Places>(within: Within, array: Place): Within {
  const { places, root } = within;
  const element = {
    sql: sql.id(`e${root.depth}`, 'value'),
    place: places.element(array.values),
    words: array.words,
    hasGrams: array.hasGrams,
  };
  return { ...within, root: { element, depth: root.depth + 1 } };
}

function placeInElement(
  places: TermPlaces,
  element: NonNullable<Root['element']>,
  segments: readonly string[],
): Place {
  return {
    sql: memberOf(element.sql, segments),
    type: 'jsonb',
    column: undefined,
    values: segments.reduce((place, segment) => places.below(place, segment), element.place),
    words: element.words,
    hasOwnWords: false,
    hasGrams: element.hasGrams,
  };
}

/** Own properties of objects only: on anything else the operator gives null. */
function memberOf(json: RawBuilder<unknown>, segments: readonly string[]): RawBuilder<unknown> {
  return segments.reduce((parent, segment) => sql`(${parent} -> ${segment}::text)`, json);
}
