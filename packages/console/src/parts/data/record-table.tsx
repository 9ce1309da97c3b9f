import './data.css';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef } from 'react';
import { SpacerRow } from '../spacer-row.tsx';
import type { CellMarks } from './cell-marks.ts';
import { cellParts, textOf } from './cell-text.ts';
import { columnWidths } from './column-widths.ts';
import type { Column, Row } from './row.ts';

interface Props {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What the rows are, for screen readers. */
  readonly label: string;
  /** What is marked of a row, by columns; nothing unless said. */
  readonly marksOf?: ((index: number) => ReadonlyMap<string, CellMarks>) | undefined;
}

const ROW_HEIGHT = 29;

/** Records as rows of one line each; only those in sight are drawn. */
export function RecordTable({ columns, rows, label, marksOf }: Props) {
  const widths = useMemo(() => columnWidths(columns, rows), [columns, rows]);
  const scroller = useRef<HTMLDivElement>(null);
  const inSight = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const items = inSight.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = inSight.getTotalSize() - (items.at(-1)?.end ?? 0);
  const width = widths.reduce((sum, each) => sum + each, 0);
  return (
    <div ref={scroller} className="scroller" tabIndex={0} role="region" aria-label={label}>
      <table className="records" aria-rowcount={rows.length + 1} style={{ width: `${width}ch` }}>
        <colgroup>
          {widths.map((each, index) => (
            <col key={columns[index]?.name} style={{ width: `${each}ch` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, doc }) => (
              <th key={name} scope="col" title={doc}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <SpacerRow px={before} columns={columns.length} />
          {items.map(({ index }) => (
            <RecordRow key={index} index={index} columns={columns} row={rows[index]} marksOf={marksOf} />
          ))}
          <SpacerRow px={after} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

interface RowProps extends Pick<Props, 'columns' | 'marksOf'> {
  readonly index: number;
  readonly row: Row | undefined;
}

const RecordRow = memo(function RecordRow({ index, columns, row, marksOf }: RowProps) {
  const marks = useMemo(() => marksOf?.(index), [marksOf, index]);
  return (
    <tr aria-rowindex={index + 2}>
      {columns.map(({ name }) => (
        <Cell key={name} value={row?.[name]} marks={marks?.get(name)} />
      ))}
    </tr>
  );
});

interface CellProps {
  readonly value: unknown;
  readonly marks: CellMarks | undefined;
}

function Cell({ value, marks }: CellProps) {
  if (value === null || value === undefined) return <td className="dim">–</td>;
  const parts = cellParts(value, marks);
  return (
    <td title={textOf(parts)}>
      {parts.map(({ text, isMarked }, index) =>
        // Parts of a text have no name but their place.
        isMarked ? <mark key={index}>{text}</mark> : text,
      )}
    </td>
  );
}
