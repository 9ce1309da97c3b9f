import type { FieldPath } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { CopyColumn, CopyTable } from '../../copy-table.ts';
import type { HashLanes } from '../../hashes.ts';
import type { PathHashes } from '../../path-hashes.ts';

/** What paths start from: the row, or an element of an array somewhere in it. */
export interface Root {
  /** `undefined` where paths start from the row. */
  readonly element?: {
    /** The element, as JSON. */
    readonly sql: RawBuilder<unknown>;
    readonly place: HashLanes;
    /** Where words are hashed at: with the array, for all its elements together. */
    readonly words: HashLanes;
    readonly hasGrams: boolean;
  };
  /** How many arrays are around. */
  readonly depth: number;
}

export const ROW: Root = { depth: 0 };

/** Where a condition looks, in SQL and in the indexes. */
export interface FieldPlace {
  /** The column itself, a typed scalar; or JSON, null where there is nothing. */
  readonly sql: RawBuilder<unknown>;
  readonly type: CopyColumn['sqlType'];
  readonly column: CopyColumn | undefined;
  /** Where values are hashed at. */
  readonly values: HashLanes;
  /** Where words are hashed at. */
  readonly words: HashLanes;
  /** The words there are those of this place alone, not of an array's other elements too. */
  readonly hasOwnWords: boolean;
  /** The texts there have grams. */
  readonly hasGrams: boolean;
}

/** What places are found with. */
export interface FieldScope {
  readonly table: CopyTable;
  readonly hashes: PathHashes;
  /** What paths start from. */
  readonly root: Root;
}

export function findPlace(
  { table, hashes, root }: FieldScope,
  { segments }: FieldPath,
): FieldPlace {
  if (root.element !== undefined) return placeInElement(hashes, root.element, segments);
  const [name = '', ...below] = segments;
  const column = table.byField.get(name);
  if (column === undefined) throw new Error(`${name} is no searchable field of ${table.entity}`);
  const hashed = hashes.at(segments);
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
export function inElements<Within extends FieldScope>(within: Within, array: FieldPlace): Within {
  const { hashes, root } = within;
  const element = {
    sql: sql.id(`e${root.depth}`, 'value'),
    place: hashes.element(array.values),
    words: array.words,
    hasGrams: array.hasGrams,
  };
  return { ...within, root: { element, depth: root.depth + 1 } };
}

function placeInElement(
  hashes: PathHashes,
  element: NonNullable<Root['element']>,
  segments: readonly string[],
): FieldPlace {
  return {
    sql: memberOf(element.sql, segments),
    type: 'jsonb',
    column: undefined,
    values: segments.reduce((place, segment) => hashes.below(place, segment), element.place),
    words: element.words,
    hasOwnWords: false,
    hasGrams: element.hasGrams,
  };
}

/** Own properties of objects only: on anything else the operator gives null. */
function memberOf(json: RawBuilder<unknown>, segments: readonly string[]): RawBuilder<unknown> {
  return segments.reduce((parent, segment) => sql`(${parent} -> ${segment}::text)`, json);
}
