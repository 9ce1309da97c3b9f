import { numberText } from '../words.ts';
import type { EntityDescription, FieldDescription } from '../../service/description.ts';
import type { Column, Row } from './row.ts';

/** An answer as a table. */
export interface AnswerTable {
  /** "12 records". */
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** Records as rows. */
export function recordTable(rows: readonly Row[], fields: readonly FieldDescription[]): AnswerTable {
  return { title: countText(rows.length, 'record'), columns: columnsOf(rows, fields), rows };
}

/** Names with a blank in them, which no field has: records may have a score of their own. */
const HIT_SCORE = { name: 'hit score', doc: 'Relevance; higher is better.' };
const HIT_ID = { name: 'hit id', doc: 'The key of the record.' };

/** Hits as rows: the score, then what was found; the key where that does not have it. */
export function hitTable(hits: readonly Row[], entity: EntityDescription): AnswerTable {
  const found = hits.map(({ data }) => (isRow(data) ? data : {}));
  const columns = columnsOf(found, entity.searchable);
  const hasIds = columns.some(({ name }) => name === 'id');
  return {
    title: countText(hits.length, 'hit'),
    columns: [HIT_SCORE, ...(hasIds ? [] : [HIT_ID]), ...columns],
    rows: hits.map(({ id, score }, index) => ({
      ...found[index],
      [HIT_SCORE.name]: score,
      [HIT_ID.name]: id,
    })),
  };
}

/** Fields that are documented in their order, then whatever else there is. */
function columnsOf(rows: readonly Row[], fields: readonly FieldDescription[]): readonly Column[] {
  const present = new Set(rows.flatMap((row) => Object.keys(row)));
  const known = fields.filter(({ name }) => present.delete(name));
  return [
    ...known.map(({ name, doc }) => ({ name, doc })),
    ...[...present].map((name) => ({ name })),
  ];
}

function countText(count: number, what: string): string {
  return `${numberText(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** Whether a value is a JSON object. */
export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
