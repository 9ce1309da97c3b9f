import type { SortKey } from './collection.ts';

/** What is needed of a collection to sort it. */
export interface Orderable {
  readonly end: number;
  readonly isWhole: boolean;
  /** A number that grows with every change. */
  readonly revision: number;
  has(position: number): boolean;
  sortKeyAt(name: string, position: number): SortKey;
}

/** How a list is sorted; ties are broken by position. */
export interface Sorting {
  /** What to sort by; `id` is the order of the positions themselves. */
  readonly name: string;
  readonly isDescending: boolean;
}

/** Which records of a list are shown. */
export interface Filter {
  /** The same for equal filters, to find the order that was built for one. */
  readonly key: string;
  passes(position: number): boolean;
}

/** Where a cursor points: at a record, which may have been removed since. */
export interface Place {
  readonly key: SortKey;
  readonly position: number;
}

/** The positions of a list in the order in which it is read. */
export interface Order {
  readonly length: number;
  positionAt(rank: number): number;
  placeAt(rank: number): Place;
  /** How many records stand before a place; `isInclusive` counts the record at the place too. */
  countBefore(place: Place, isInclusive: boolean): number;
}

/** Sorting packs key and position into one number: positions take the lower 21 bits. */
const POSITION_RANGE = 2 ** 21;
const MAX_PACKED_KEY = 2 ** 32;

/** The order of a list; nothing is built where it is the order of the positions. */
export function orderOf(collection: Orderable, sorting: Sorting, filter?: Filter): Order {
  const isNatural = sorting.name === 'id';
  if (isNatural && collection.isWhole && filter === undefined) {
    return naturalOrder(collection.end, sorting.isDescending);
  }
  const positions: number[] = [];
  for (let position = 0; position < collection.end; position += 1) {
    if (collection.has(position) && (filter?.passes(position) ?? true)) positions.push(position);
  }
  const keyAt = isNatural
    ? (position: number) => position
    : (position: number) => collection.sortKeyAt(sorting.name, position);
  return builtOrder(sorted(positions, keyAt), keyAt, sorting.isDescending);
}

function naturalOrder(end: number, isDescending: boolean): Order {
  const flip = (rank: number) => (isDescending ? end - 1 - rank : rank);
  return {
    length: end,
    positionAt: flip,
    placeAt: (rank) => ({ key: flip(rank), position: flip(rank) }),
    countBefore: ({ position }, isInclusive) => {
      const before = isDescending ? end - 1 - position : position;
      return Math.max(0, Math.min(end, before + (isInclusive ? 1 : 0)));
    },
  };
}

function builtOrder(
  positions: Uint32Array,
  keyAt: (position: number) => SortKey,
  isDescending: boolean,
): Order {
  const end = positions.length;
  const positionAt = (rank: number) => positions[isDescending ? end - 1 - rank : rank] ?? 0;
  const placeAt = (rank: number): Place => {
    const position = positionAt(rank);
    return { key: keyAt(position), position };
  };
  const direction = isDescending ? -1 : 1;
  return {
    length: end,
    positionAt,
    placeAt,
    countBefore: (place, isInclusive) => {
      let low = 0;
      let high = end;
      while (low < high) {
        const middle = (low + high) >>> 1;
        const compared = direction * comparePlaces(placeAt(middle), place);
        if (compared < 0 || (isInclusive && compared === 0)) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}

function comparePlaces(left: Place, right: Place): number {
  const { key: a } = left;
  const { key: b } = right;
  if (a === b) return left.position - right.position;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : 1;
}

function sorted(
  positions: readonly number[],
  keyAt: (position: number) => SortKey,
): Uint32Array<ArrayBuffer> {
  const packed = new Float64Array(positions.length);
  for (const [index, position] of positions.entries()) {
    const key = keyAt(position);
    if (typeof key === 'string' || key < 0 || key >= MAX_PACKED_KEY) {
      return sortedByComparing(positions, keyAt);
    }
    packed[index] = key * POSITION_RANGE + position;
  }
  // Numbers sort natively: a million of them in a fraction of a second.
  packed.sort();
  return Uint32Array.from(packed, (value) => value % POSITION_RANGE);
}

function sortedByComparing(
  positions: readonly number[],
  keyAt: (position: number) => SortKey,
): Uint32Array<ArrayBuffer> {
  const places = positions.map((position) => ({ key: keyAt(position), position }));
  places.sort(comparePlaces);
  return Uint32Array.from(places, ({ position }) => position);
}
