import './data.css';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { cellText } from './cell-text.ts';
import { columnWidths } from './column-widths.ts';
import type { Column, Row } from './row.ts';

interface Props {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What the rows are, for screen readers. */
  readonly label: string;
}

const ROW_HEIGHT = 29;

/** Records as rows of one line each; only those in sight are drawn. */
export function RecordTable({ columns, rows, label }: Props) {
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
          <Gap height={before} columns={columns.length} />
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {columns.map(({ name }) => (
                <Cell key={name} value={rows[index]?.[name]} />
              ))}
            </tr>
          ))}
          <Gap height={after} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Cell({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <td className="dim">–</td>;
  const text = cellText(value);
  return <td title={text}>{text}</td>;
}

/** The room of the rows that are out of sight. */
function Gap({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true" className="gap">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}
