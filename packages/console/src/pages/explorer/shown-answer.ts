import type { Column, Row } from '../../parts/data/row.ts';
import { numberText } from '../../parts/words.ts';
import type { EntityDescription, FieldDescription } from '../../service/description.ts';
import { isFile, type Answer } from '../../service/execute.ts';

/** An answer as a table. */
export interface AnswerTable {
  /** "12 records". */
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/**
 * What an answer has for a table: its records or hits, or the fields of its one record. `undefined` for what has
 * neither, such as a file.
 */
export function tableOf({ body }: Answer, entity: EntityDescription): AnswerTable | undefined {
  if (isFile(body)) return undefined;
  const { result } = body;
  if (Array.isArray(result)) return recordTable(result.filter(isRow), entity.record);
  if (!isRow(result)) return undefined;
  const { hits, data } = result;
  if (Array.isArray(hits)) return hitTable(hits.filter(isRow), entity);
  if (Array.isArray(data) && 'meta' in result)
    return recordTable(data.filter(isRow), entity.searchable);
  return fieldTable(result, entity);
}

/** Hits as rows: key and score, then what was found. */
export function hitTable(hits: readonly Row[], entity: EntityDescription): AnswerTable {
  const found = hits.map(({ data }) => (isRow(data) ? data : {}));
  const columns = columnsOf(found, entity.searchable).filter(({ name }) => name !== 'score');
  return {
    title: countText(hits.length, 'hit'),
    columns: [
      { name: 'id', doc: 'The key of the record.' },
      { name: 'score', doc: 'Relevance; higher is better.' },
      ...columns.filter(({ name }) => name !== 'id'),
    ],
    rows: hits.map(({ id, score }, index) => ({ ...found[index], id, score })),
  };
}

/** The params of the page after a page of a list; `undefined` where there is none. */
export function nextPageOf({ body, call }: Answer): Row | undefined {
  if (isFile(body)) return undefined;
  const params = { ...call.params, ...body.connector_metadata.next_params };
  // Where nothing changes, going on would never end (docs/wire.md#pages).
  return JSON.stringify(params) === JSON.stringify(call.params) ? undefined : params;
}

function recordTable(rows: readonly Row[], fields: readonly FieldDescription[]): AnswerTable {
  return { title: countText(rows.length, 'record'), columns: columnsOf(rows, fields), rows };
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

function fieldTable(record: Row, { record: fields }: EntityDescription): AnswerTable {
  const docs = new Map(fields.map(({ name, doc }) => [name, doc]));
  return {
    title: 'Record',
    columns: [{ name: 'field' }, { name: 'value' }, { name: 'meaning' }],
    rows: Object.entries(record).map(([name, value]) => ({
      field: name,
      value,
      meaning: docs.get(name),
    })),
  };
}

function countText(count: number, what: string): string {
  return `${numberText(count)} ${what}${count === 1 ? '' : 's'}`;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
