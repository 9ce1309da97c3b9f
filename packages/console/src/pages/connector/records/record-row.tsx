import { memo } from 'react';
import { useRecord, type Copy, type KnownPage } from './record-pages.ts';
import { cellText } from '../../../parts/data/cell-text.ts';

interface Props extends Copy {
  readonly page: KnownPage;
  /** The place of the record among all. */
  readonly index: number;
  readonly columns: readonly string[];
  readonly isChosen: boolean;
  readonly onChoose: (index: number) => void;
}

/** What the row of a record is known by in the document. */
export function rowId(index: number): string {
  return `record-${index}`;
}

/** A record in a line; dots while the page that it is on is read again. */
export const RecordRow = memo(function RecordRow(props: Props) {
  const { connectorId, entity, page, index, columns, isChosen, onChoose } = props;
  const record = useRecord({ connectorId, entity }, page, index);
  return (
    <tr
      id={rowId(index)}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      onClick={() => onChoose(index)}
    >
      <td className="record-key">{record?.id ?? '…'}</td>
      {columns.map((name) => (
        <td key={name}>{cellText(record?.data[name])}</td>
      ))}
    </tr>
  );
});
