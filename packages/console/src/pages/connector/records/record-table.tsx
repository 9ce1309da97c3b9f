import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { SpacerRow } from '../../../parts/spacer-row.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { useNow } from '../../../parts/use-now.ts';
import { countIn, pageWith, type KnownPage } from './known-pages.ts';
import type { Copy } from './record-pages.ts';
import { RecordRow, rowId } from './record-row.tsx';

interface Props {
  readonly copy: Copy;
  readonly pages: readonly KnownPage[];
  readonly columns: readonly string[];
  /** The place of the chosen record among all. */
  readonly chosen: number | undefined;
  readonly onChoose: (index: number | undefined) => void;
  readonly hasMore: boolean;
  /** Reads the next page; `undefined` while it is being read, or cannot be. */
  readonly onMore: (() => void) | undefined;
}

/** How old records are is told in minutes. */
const TICK_MS = 30_000;
/** A name with a blank in it, which no field has. */
const LAST_READ = 'last read';
/** As high as style.css has a row, and the head of the table. */
const ROW_PX = 32;
/** So many rows before the end the next page is read. */
const AHEAD = 60;
/** How far the keys PageUp and PageDown go. */
const KEY_PAGE = 15;

/** Any number of records, of which only those in sight are drawn and kept. */
export function RecordTable(props: Props) {
  const { copy, pages, columns, chosen, onChoose, hasMore, onMore } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const count = countIn(pages);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollPaddingStart: ROW_PX,
  });
  const shown = rows.getVirtualItems();
  const lastShown = shown.at(-1);
  const isNearEnd = hasMore && (lastShown?.index ?? 0) >= count - AHEAD;
  useEffect(() => {
    if (isNearEnd) onMore?.();
  }, [isNearEnd, onMore]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = placeAfter(event.key, chosen, count);
    if (next === 'none') return;
    event.preventDefault();
    onChoose(next);
    if (next !== undefined) rows.scrollToIndex(next);
  };
  const now = useNow(TICK_MS);
  const span = columns.length + 2;
  return (
    <div ref={scroller} className="records-scroller">
      <table
        className="table records-table"
        role="grid"
        aria-label={copy.entity}
        aria-rowcount={hasMore ? -1 : count + 1}
        aria-activedescendant={chosen === undefined ? undefined : rowId(chosen)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ width: `max(100%, ${span * 11}rem)` }}
      >
        <TableHead columns={['record key', LAST_READ, ...columns]} />
        <tbody>
          <SpacerRow px={shown[0]?.start ?? 0} columns={span} />
          {shown.map(({ index, key }) => {
            const page = pageWith(pages, index);
            return (
              page !== undefined && (
                <RecordRow
                  key={key}
                  connectorId={copy.connectorId}
                  entity={copy.entity}
                  page={page}
                  index={index}
                  columns={columns}
                  isChosen={index === chosen}
                  now={now}
                  onChoose={onChoose}
                />
              )
            );
          })}
          <SpacerRow px={rows.getTotalSize() - (lastShown?.end ?? 0)} columns={span} />
        </tbody>
      </table>
      <p className="records-more dim" aria-live="polite">
        {hasMore && 'Reading more …'}
      </p>
    </div>
  );
}

/** Where a key leads: to a record, to none at all, or (`none`) nowhere. */
function placeAfter(
  key: string,
  chosen: number | undefined,
  count: number,
): number | undefined | 'none' {
  const at = (index: number) => Math.min(count - 1, Math.max(0, index));
  switch (key) {
    case 'ArrowDown':
      return at((chosen ?? -1) + 1);
    case 'ArrowUp':
      return at((chosen ?? 0) - 1);
    case 'PageDown':
      return at((chosen ?? 0) + KEY_PAGE);
    case 'PageUp':
      return at((chosen ?? 0) - KEY_PAGE);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    case 'Escape':
      return undefined;
    default:
      return 'none';
  }
}
