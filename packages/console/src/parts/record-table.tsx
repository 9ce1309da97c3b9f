import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';

export type JsonRecord = Readonly<Record<string, unknown>>;

interface Props {
  readonly records: readonly JsonRecord[];
  readonly columns: readonly string[];
  /** What the table is of, for whoever does not see it. */
  readonly label: string;
  /** The record that is shown beside it. */
  readonly selected: number | undefined;
  readonly onSelect: (index: number) => void;
}

const ROW_PX = 29;
const LONGEST_TEXT = 200;

/** Records as rows, of which only those in sight are drawn; one can be chosen to be looked at whole. */
export function RecordTable({ records, columns, label, selected, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 15,
  });
  const shown = rows.getVirtualItems();
  const after = rows.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <section ref={box} className="records" aria-label={label} tabIndex={0}>
      <table className="table" aria-rowcount={records.length + 1}>
        <thead>
          <tr>
            <th scope="col">#</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer px={shown[0]?.start ?? 0} columns={columns.length + 1} />
          {shown.map(({ index }) => (
            <tr
              key={index}
              aria-rowindex={index + 2}
              className={index === selected ? 'selected' : undefined}
            >
              <td>
                <button
                  type="button"
                  className="row-button"
                  aria-pressed={index === selected}
                  aria-label={`Show record ${index + 1} whole`}
                  onClick={() => onSelect(index)}
                >
                  {index + 1}
                </button>
              </td>
              {columns.map((name) => (
                <td key={name} className="cut">
                  {cellText(records[index]?.[name])}
                </td>
              ))}
            </tr>
          ))}
          <Spacer px={after} columns={columns.length + 1} />
        </tbody>
      </table>
    </section>
  );
}

/** Stands for rows that are out of sight. */
function Spacer({ px, columns }: { readonly px: number; readonly columns: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td className="spacer" colSpan={columns} style={{ height: px }} />
    </tr>
  );
}

/** A value in one short line. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
