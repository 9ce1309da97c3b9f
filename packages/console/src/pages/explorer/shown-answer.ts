import { hitTable, isRow, recordTable, type AnswerTable } from '../../parts/data/answer-table.ts';
import type { Row } from '../../parts/data/row.ts';
import type { EntityDescription } from '../../service/description.ts';
import { isFile, type Answer } from '../../service/execute.ts';

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

/** The params of the page after a page of a list; `undefined` where there is none. */
export function nextPageOf({ body, call }: Answer): Row | undefined {
  if (isFile(body)) return undefined;
  const params = { ...call.params, ...body.connector_metadata.next_params };
  // Where nothing changes, going on would never end (docs/wire.md#pages).
  return JSON.stringify(params) === JSON.stringify(call.params) ? undefined : params;
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
