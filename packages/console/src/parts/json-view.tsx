import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { CopyText } from './copy-text.tsx';

const LINE_PX = 18;

/** A value as JSON, of which only the lines that are in sight are drawn. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  const lines = useMemo(() => text.split('\n'), [text]);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  return (
    <div className="json">
      <div className="row json-head">
        <strong>{label}</strong>
        <CopyText text={() => text} what="the JSON" />
      </div>
      <section ref={box} className="json-lines mono" aria-label={label} tabIndex={0}>
        <div style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ key, index, start }) => (
            <div key={key} className="json-line" style={{ transform: `translateY(${start}px)` }}>
              {lines[index]}
            </div>
          ))}
        </div>
      </section>
    </div>
  );
}
