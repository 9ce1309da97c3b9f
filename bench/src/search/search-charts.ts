import type { SearchResults } from './search-results.ts';
import { dot, drawing, inWords, label, line, linearScale, logScale } from '../support/svg-chart.ts';

const WIDTH = 960;
const OURS = '#1d5fbf';
const BY_HAND = '#8a6d1f';
const GRID = '#e3e7ec';
const WORDS = '#52606d';
const BOUND = '#c0392b';
const ROW = 22;
const TOP = 84;
const NAMES = 360;
const P99_BOUND_MS = 100;

/** Of each case a line from p50 to p99, on an axis of powers of ten, and SQL by hand beside it. */
export function chartOfCases({ cases, database, load }: SearchResults): string {
  const values = cases.flatMap(({ p50, p99, byHand }) => [
    p50,
    p99,
    ...(byHand ? [byHand.p50] : []),
  ]);
  const scale = logScale(values, { from: NAMES, to: WIDTH - 40 });
  const bottom = TOP + cases.length * ROW;
  const axis = scale.ticks.flatMap((tick) => [
    line([scale.place(tick), TOP - 8, scale.place(tick), bottom], { colour: GRID }),
    label(`${inWords(tick)} ms`, {
      x: scale.place(tick),
      y: TOP - 14,
      anchor: 'middle',
      colour: WORDS,
    }),
  ]);
  const rows = cases.flatMap(({ name, p50, p99, byHand }, nth) => {
    const y = TOP + (nth + 0.5) * ROW;
    return [
      label(name, { x: NAMES - 16, y: y + 4, anchor: 'end' }),
      line([scale.place(p50), y, scale.place(p99), y], { colour: OURS, width: 2 }),
      line([scale.place(p99), y - 5, scale.place(p99), y + 5], { colour: OURS, width: 2 }),
      ...(byHand === null
        ? []
        : [dot([scale.place(byHand.p50), y], { colour: BY_HAND, isHollow: true })]),
      dot([scale.place(p50), y], { colour: OURS }),
    ];
  });
  const title = `Searches over ${load.rows.toLocaleString('en')} contacts on ${database}, one after another`;
  const key = [
    dot([22, 46], { colour: OURS }),
    label('p50, and the line to p99, over HTTP', { x: 34, y: 50, colour: WORDS }),
    dot([292, 46], { colour: BY_HAND, isHollow: true }),
    label('p50 of SQL by hand', { x: 304, y: 50, colour: WORDS }),
  ];
  return drawing({ width: WIDTH, height: bottom + 20, title }, [...key, ...axis, ...rows]);
}

const MIXES = { everyday: 'Everyday searches', openLoop: 'Searches of all sorts' } as const;

/** p50 and p99 of a mix over the rate at which searches come. */
export function chartOfRates(results: SearchResults, mix: keyof typeof MIXES): string {
  const { database, load } = results;
  const height = 360;
  const { steps } = results[mix];
  const across = linearScale(
    steps.map(({ perSecond }) => perSecond),
    { from: 80, to: WIDTH - 60 },
  );
  const values = [...steps.flatMap(({ p50, p99 }) => [p50, p99]), P99_BOUND_MS];
  const up = logScale(values, { from: height - 50, to: 80 });
  const grid = up.ticks.flatMap((tick) => [
    line([80, up.place(tick), WIDTH - 60, up.place(tick)], { colour: GRID }),
    label(`${inWords(tick)} ms`, { x: 72, y: up.place(tick) + 4, anchor: 'end', colour: WORDS }),
  ]);
  const rates = across.ticks.map((tick) =>
    label(String(tick), { x: across.place(tick), y: height - 30, anchor: 'middle', colour: WORDS }),
  );
  const curve = (at: 'p50' | 'p99', colour: string) =>
    steps.flatMap((step, nth) => {
      const point = [across.place(step.perSecond), up.place(step[at])] as const;
      const before = steps[nth - 1];
      return [
        ...(before === undefined
          ? []
          : [
              line([across.place(before.perSecond), up.place(before[at]), ...point], {
                colour,
                width: 2,
              }),
            ]),
        dot(point, { colour, isHollow: Object.keys(step.failures).length > 0 }),
      ];
    });
  const title = `${MIXES[mix]} at rising rates, ${load.rows.toLocaleString('en')} contacts on ${database}`;
  const key = [
    dot([22, 46], { colour: WORDS }),
    label('p50', { x: 34, y: 50, colour: WORDS }),
    dot([82, 46], { colour: OURS }),
    label('p99 (hollow: some failed)', { x: 94, y: 50, colour: WORDS }),
    label('searches a second', { x: WIDTH / 2, y: height - 10, anchor: 'middle', colour: WORDS }),
    line([80, up.place(P99_BOUND_MS), WIDTH - 60, up.place(P99_BOUND_MS)], {
      colour: BOUND,
      dashes: '4 4',
    }),
  ];
  return drawing({ width: WIDTH, height, title }, [
    ...grid,
    ...rates,
    ...key,
    ...curve('p50', WORDS),
    ...curve('p99', OURS),
  ]);
}
