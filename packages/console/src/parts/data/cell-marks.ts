import type { FoundPlace, TextRange } from '@patchbay/client';

/** What of a value is marked. */
export interface CellMarks {
  /** All of it. */
  readonly isWhole?: boolean;
  /** Parts of a text, in its order. */
  readonly ranges?: readonly TextRange[];
  /** What is inside, by names of members and indexes of elements. */
  readonly inside?: ReadonlyMap<string, CellMarks>;
}

/** What is marked of a record, by the names of its fields. */
export function marksOf(places: readonly FoundPlace[]): ReadonlyMap<string, CellMarks> {
  return marksBelow(places.map(({ path, ranges }) => ({ path: path.map(String), ranges })));
}

interface Below {
  readonly path: readonly string[];
  readonly ranges: readonly TextRange[] | undefined;
}

function marksBelow(places: readonly Below[]): ReadonlyMap<string, CellMarks> {
  const byName = Map.groupBy(places, ({ path: [name = ''] }) => name);
  return new Map(
    [...byName].map(([name, found]) => [
      name,
      marksAt(found.map(({ path: [, ...rest], ranges }) => ({ path: rest, ranges }))),
    ]),
  );
}

function marksAt(places: readonly Below[]): CellMarks {
  const here = places.filter(({ path }) => path.length === 0);
  const isWhole = here.some(({ ranges }) => ranges === undefined);
  if (isWhole) return { isWhole };
  const ranges = here.flatMap((place) => place.ranges ?? []);
  return {
    ranges: ranges.toSorted((a, b) => a.from - b.from || b.to - a.to),
    inside: marksBelow(places.filter(({ path }) => path.length > 0)),
  };
}
