import { Button } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import type { ConnectorInfo } from '@patchbay/client';
import { ConnectorRow } from './connector-row.tsx';

interface Props {
  readonly connectors: readonly ConnectorInfo[];
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  readonly onMore: () => void;
}

const ROW_PX = 41;
const COLUMNS = ['State', 'Name', 'Account', 'External user', 'Copy', 'Records', 'Last error'];

/** Any number of connectors, of which only the rows that are in sight are drawn. */
export function ConnectorTable({ connectors, hasMore, isBusy, onMore }: Props) {
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
  return (
    <>
      <table ref={table} className="table stacked" aria-rowcount={connectors.length + 1}>
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name} scope="col" className={name === 'Records' ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer px={before} />
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
          <Spacer px={after} />
        </tbody>
      </table>
      {hasMore && (
        <Button variant="default" loading={isBusy} onClick={onMore}>
          More connectors
        </Button>
      )}
    </>
  );
}

/** Stands for rows that are out of sight. */
function Spacer({ px }: { readonly px: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td className="spacer" colSpan={COLUMNS.length} style={{ height: px }} />
    </tr>
  );
}
