import { placesFoundBy } from '@patchbay/client';
import { isRow, type AnswerTable } from '../../parts/data/answer-table.ts';
import { marksOf, type CellMarks } from '../../parts/data/cell-marks.ts';
import type { Row } from '../../parts/data/row.ts';
import type { Call } from '../../service/execute.ts';

/** What is marked of a hit, by the names of the fields that it carries. */
export type MarksOfHit = (hit: Row | undefined) => ReadonlyMap<string, CellMarks>;

/** So many hits say which columns have marks. */
const SAMPLE = 50;

/** What of its hits the conditions of a search have found, as far as hits carry it. */
export function hitMarks({ params }: Call): MarksOfHit {
  const { query } = params;
  const places = placesFoundBy((isRow(query) ? query['filter'] : undefined) ?? {});
  return (hit) => marksOf(isRow(hit?.['data']) ? places(hit['data']) : []);
}

/** The same table, and first of its fields those in which something is marked: the others may be far to the right. */
export function markedFirst(
  table: AnswerTable,
  hits: readonly Row[],
  marks: MarksOfHit,
): AnswerTable {
  const marked = new Set(hits.slice(0, SAMPLE).flatMap((hit) => [...marks(hit).keys()]));
  // What tells hits apart stays in front: those columns are of no field, or the key.
  const rank = ({ name }: { readonly name: string }) =>
    name === 'id' || name.startsWith('hit ') ? 0 : marked.has(name) ? 1 : 2;
  return { ...table, columns: table.columns.toSorted((a, b) => rank(a) - rank(b)) };
}
