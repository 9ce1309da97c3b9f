import type { StatFigures, Stats } from '@patchbay/client';
import { NativeSelect } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { loadable } from '../../parts/loadable.tsx';
import { countText, durationText, numberText } from '../../parts/words.ts';
import { changeQuery, usePlace } from '../../routing/location.ts';
import { failureOf } from '../../service/failure.ts';
import { isRange, RANGES, useStats } from '../../service/stats.ts';

/** The list of connectors does not wait for what draws charts. */
const chart = loadable(async () => (await import('./chart.tsx')).Chart);
const { Component: Chart } = chart;

/** A line of a chart. */
export interface Line {
  readonly label: string;
  /** The tone of its colour. */
  readonly tone: 'calm' | 'bad' | 'wary' | 'good';
  /** Null where there is nothing to show. */
  readonly valueOf: (figures: StatFigures) => number | null;
}

/** What a chart shows, and how its figures are said. */
interface ChartSpec {
  readonly title: string;
  readonly sum: (total: StatFigures) => string;
  readonly text: (value: number) => string;
  /** What is said where there is nothing to draw. */
  readonly nothing: string;
  readonly lines: readonly Line[];
}

const CHARTS: readonly ChartSpec[] = [
  {
    title: 'Calls',
    nothing: 'No calls in this time.',
    sum: ({ calls, errors }) => `${countText(calls, 'call')}, ${countText(errors, 'error')}`,
    text: numberText,
    lines: [
      { label: 'Calls', tone: 'calm', valueOf: ({ calls }) => calls },
      { label: 'Errors', tone: 'bad', valueOf: ({ errors }) => errors },
    ],
  },
  {
    title: 'Latency',
    nothing: 'No calls in this time.',
    sum: ({ latency_ms: latency }) =>
      latency === null ? 'no calls' : `95 % of the calls within ${msText(latency.p95)}`,
    text: msText,
    lines: [
      { label: 'Half within', tone: 'calm', valueOf: ({ latency_ms: ms }) => ms?.p50 ?? null },
      { label: '95 % within', tone: 'wary', valueOf: ({ latency_ms: ms }) => ms?.p95 ?? null },
    ],
  },
  {
    title: 'Waits for upstreams',
    nothing: 'No waits in this time.',
    sum: ({ upstream_wait_ms: ms, upstream_requests: requests }) =>
      `${msText(ms)} over ${countText(requests, 'request')}`,
    text: msText,
    lines: [{ label: 'Waited', tone: 'wary', valueOf: ({ upstream_wait_ms: ms }) => ms }],
  },
  {
    title: 'Records copied',
    nothing: 'No records in this time.',
    sum: ({ records }) => countText(records, 'record'),
    text: numberText,
    lines: [{ label: 'Records', tone: 'good', valueOf: ({ records }) => records }],
  },
];

/** What the application did lately, from the service's own figures. */
export function Charts() {
  const { query } = usePlace();
  const asked = query.get('range');
  const range = isRange(asked) ? asked : 'hour';
  const { data, error, refetch } = useStats(range);
  // While the figures are asked for.
  useEffect(chart.loadAhead, []);
  return (
    <section className="charts" aria-label="Figures">
      <NativeSelect
        size="xs"
        aria-label="Time"
        value={range}
        onChange={(event) => {
          const { value } = event.currentTarget;
          changeQuery({ range: value === 'hour' ? '' : value });
        }}
        data={Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))}
      />
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      <div className="charts-row" role="group" aria-label="Charts" tabIndex={0}>
        {CHARTS.map((spec) => (
          <ChartBox key={spec.title} spec={spec} stats={data} />
        ))}
      </div>
    </section>
  );
}

function ChartBox({
  spec,
  stats,
}: {
  readonly spec: ChartSpec;
  readonly stats: Stats | undefined;
}) {
  const { title, sum, text, nothing, lines } = spec;
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong>{' '}
        <span className="dim">{stats === undefined ? '…' : sum(stats.total)}</span>
      </figcaption>
      <div className="chart-space">
        {stats !== undefined && hasValues(stats, lines) && (
          <Suspense>
            <Chart series={stats.series} lines={lines} text={text} />
          </Suspense>
        )}
        {stats !== undefined && !hasValues(stats, lines) && <p className="dim">{nothing}</p>}
      </div>
    </figure>
  );
}

/** Whether there is more to draw than a line along the axis, or none. */
function hasValues({ series }: Stats, lines: readonly Line[]): boolean {
  return series.some((figures) => lines.some(({ valueOf }) => (valueOf(figures) ?? 0) > 0));
}

function msText(ms: number): string {
  return durationText(ms / 1_000);
}
