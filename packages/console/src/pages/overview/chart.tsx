import type { Stats } from '@patchbay/client';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { dayText, timeOfDay } from '../../parts/words.ts';
import type { Line } from './charts.tsx';

interface Props {
  readonly series: Stats['series'];
  readonly lines: readonly Line[];
  readonly text: (value: number) => string;
}

const HEIGHT_PX = 96;
/** Of longer times, ticks are days. */
const LONG_MS = 2 * 86_400_000;

/** Lines over time; the one under the pointer is read out below. The figures in words stand above it. */
export function Chart({ series, lines, text }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const scheme = useComputedColorScheme('light');
  const [at, setAt] = useState<number>();
  const tickText = isLong(series) ? dayText : timeOfDay;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const drawn = new uPlot(
      optionsFor({ element, lines, text, tickText, onPoint: setAt }),
      undefined,
      element,
    );
    plot.current = drawn;
    const sizes = new ResizeObserver(() =>
      drawn.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      drawn.destroy();
    };
    // The colours are read from the scheme when it is drawn.
  }, [lines, text, tickText, scheme]);
  // Newer figures go into the chart that is there, so that the point under the pointer stays.
  useEffect(() => {
    plot.current?.setData(dataOf(series, lines));
  }, [series, lines, text, tickText, scheme]);
  const point = at === undefined ? undefined : series[at];
  return (
    <>
      <div ref={box} aria-hidden="true" />
      <p className="dim chart-point" aria-hidden="true">
        {point !== undefined &&
          `${momentText(point.at, series)}: ${lines.map((line) => valueText(line, point, text)).join(', ')}`}
      </p>
    </>
  );
}

function valueText(
  { label, valueOf }: Line,
  point: Stats['series'][number],
  text: Props['text'],
): string {
  const value = valueOf(point);
  return `${label} ${value === null ? 'none' : text(value)}`;
}

interface Drawing {
  readonly element: HTMLElement;
  readonly lines: readonly Line[];
  readonly text: (value: number) => string;
  /** Of an instant. */
  readonly tickText: (instant: string) => string;
  readonly onPoint: (index: number | undefined) => void;
}

function optionsFor({ element, lines, text, tickText, onPoint }: Drawing): uPlot.Options {
  const styles = getComputedStyle(element);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--mantine-color-dimmed'),
    font: '11px system-ui',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high)] } },
    axes: [
      {
        ...axis,
        size: 20,
        space: 60,
        values: (_plot, seconds) =>
          seconds.map((each) => tickText(new Date(each * 1_000).toISOString())),
      },
      {
        ...axis,
        size: 52,
        space: 24,
        values: (_plot, values) => values.map((value) => text(value)),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, tone }) => ({
        label,
        stroke: colour(`--${tone}`),
        width: 1.5,
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

/** A time of the day, and over several days the day, too. */
function momentText(instant: string, series: Stats['series']): string {
  return isLong(series) ? `${dayText(instant)}, ${timeOfDay(instant)}` : timeOfDay(instant);
}

function isLong(series: Stats['series']): boolean {
  const [first, last] = [series[0]?.at ?? '', series.at(-1)?.at ?? ''];
  return Date.parse(last) - Date.parse(first) > LONG_MS;
}

function dataOf(series: Stats['series'], lines: readonly Line[]): uPlot.AlignedData {
  return [
    series.map(({ at }) => Date.parse(at) / 1_000),
    ...lines.map(({ valueOf }) => series.map(valueOf)),
  ];
}
