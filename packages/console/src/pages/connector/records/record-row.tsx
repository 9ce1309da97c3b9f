import { memo } from 'react';
import type { KnownPage } from './known-pages.ts';
import { useRecord, type Copy } from './record-pages.ts';
import { cellText } from '../../../parts/data/cell-text.ts';
import { plainText } from '../../../parts/plain-text.ts';
import { RecordAge } from './record-age.tsx';

interface Props extends Copy {
  readonly page: KnownPage;
  /** The place of the record among all. */
  readonly index: number;
  readonly columns: readonly string[];
  readonly isChosen: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly onChoose: (index: number) => void;
}

/** What the row of a record is known by in the document. */
export function rowId(index: number): string {
  return `record-${index}`;
}

/** A record in a line; dots stand for it while the page that it is on is read again. */
export const RecordRow = memo(function RecordRow(props: Props) {
  const { connectorId, entity, page, index, columns, isChosen, now, onChoose } = props;
  const { record, isGone, error } = useRecord({ connectorId, entity }, page, index);
  return (
    <tr
      id={rowId(index)}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      onClick={() => onChoose(index)}
    >
      <td className="record-key" title={error?.message}>
        {record === undefined ? placeholder(isGone, error) : plainText(record.id)}
      </td>
      <td className="record-age">
        {record !== undefined && <RecordAge record={record} now={now} />}
      </td>
      {columns.map((name) => (
        <td key={name}>{cellText(record?.data[name])}</td>
      ))}
    </tr>
  );
});

function placeholder(isGone: boolean, error: Error | null): string {
  if (isGone) return 'no longer there';
  return error === null ? '…' : 'It could not be read';
}
