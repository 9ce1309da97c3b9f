import './data.css';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { CopyText } from '../copy-text.tsx';
import { jsonLines } from './json-lines.ts';

interface Props {
  readonly value: unknown;
  /** What it is, for screen readers. */
  readonly label: string;
}

const LINE_HEIGHT = 18;

/** A value as JSON; only the lines in sight are drawn, so that megabytes of it scroll. */
export function JsonView({ value, label }: Props) {
  const { lines, longest } = useMemo(() => jsonLines(value), [value]);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  return (
    <div className="json-view">
      <CopyText text={() => JSON.stringify(value, null, 2)} what="the JSON" />
      <div ref={scroller} className="scroller" tabIndex={0} role="region" aria-label={label}>
        <div className="json" style={{ height: rows.getTotalSize(), minWidth: `${longest}ch` }}>
          {rows.getVirtualItems().map(({ index, start }) => (
            <div key={index} className="json-line" style={{ top: start }}>
              {lines[index]}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
