import { Button } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ConnectorInfo } from '@patchbay/client';
import { SpacerRow } from '../../parts/spacer-row.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { ConnectorRow } from './connector-row.tsx';

interface Props {
  readonly connectors: readonly ConnectorInfo[];
  readonly hasMore: boolean;
  /** The next page could not be read: it is read when somebody asks for it. */
  readonly isStuck: boolean;
  /** Reads the next page; `undefined` while it is being read. */
  readonly onMore: (() => void) | undefined;
}

const ROW_PX = 41;
/** So many rows before the end the next page is read. */
const AHEAD = 60;
const COLUMNS = ['State', 'Name', 'Account', 'External user', 'Copy', 'Records', 'Last error'];

/** Any number of connectors, of which only the rows that are in sight are drawn. */
export function ConnectorTable({ connectors, hasMore, isStuck, onMore }: Props) {
  const table = useRef<HTMLTableElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => setScrollMargin(table.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: connectors.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin,
    getItemKey: (index) => connectors[index]?.id ?? index,
  });
  const shown = rows.getVirtualItems();
  const before = (shown[0]?.start ?? scrollMargin) - scrollMargin;
  const after = rows.getTotalSize() - ((shown.at(-1)?.end ?? scrollMargin) - scrollMargin);
  const isNearEnd = hasMore && !isStuck && (shown.at(-1)?.index ?? 0) >= connectors.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) onMore?.();
  }, [isNearEnd, onMore]);
  return (
    <>
      <table
        ref={table}
        className="table stacked"
        aria-label="Connectors"
        aria-rowcount={hasMore ? -1 : connectors.length + 1}
      >
        <TableHead columns={COLUMNS} numbers={['Records']} />
        <tbody>
          <SpacerRow px={before} columns={COLUMNS.length} />
          {shown.map(({ key, index }) => {
            const connector = connectors[index];
            return (
              connector !== undefined && (
                <ConnectorRow
                  key={key}
                  connector={connector}
                  index={index}
                  measure={rows.measureElement}
                />
              )
            );
          })}
          <SpacerRow px={after} columns={COLUMNS.length} />
        </tbody>
      </table>
      <p className="dim" aria-live="polite">
        {isNearEnd && 'Reading more …'}
      </p>
      {hasMore && isStuck && (
        <Button variant="default" loading={onMore === undefined} onClick={onMore}>
          More connectors
        </Button>
      )}
    </>
  );
}
