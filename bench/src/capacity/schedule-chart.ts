import { drawing, inWords, label, line, linearScale } from '../support/svg-chart.ts';

/** Numbers by second, with the words that stand for them. */
interface Curve {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly number[];
}

const WIDTH = 960;
const HEIGHT = 360;
const LEFT = 90;
const RIGHT = WIDTH - 40;
const TOP = 80;
const BOTTOM = HEIGHT - 50;
const GRID = '#e3e7ec';
const WORDS = '#52606d';
const STEPS_UP = 4;
const MINUTES_APART = 15;

/** Curves over hours, each point the mean of so many seconds. */
export function chartOfCurves(
  title: string,
  { curves, secondsAPoint }: { readonly curves: readonly Curve[]; readonly secondsAPoint: number },
): string {
  const points = curves.map((curve) => ({ ...curve, means: meansOf(curve.values, secondsAPoint) }));
  const most = Math.max(...points.flatMap(({ means }) => means));
  const longest = Math.max(...curves.map(({ values }) => values.length));
  const up = linearScale(
    Array.from({ length: STEPS_UP + 1 }, (_, step) => (most * step) / STEPS_UP),
    { from: BOTTOM, to: TOP },
  );
  const minutes = Array.from(
    { length: Math.floor(longest / 60 / MINUTES_APART) + 1 },
    (_, step) => step * MINUTES_APART,
  );
  const across = linearScale([...minutes, longest / 60], { from: LEFT, to: RIGHT });
  const grid = up.ticks.flatMap((tick) => [
    line([LEFT, up.place(tick), RIGHT, up.place(tick)], { colour: GRID }),
    label(inWords(tick), { x: LEFT - 8, y: up.place(tick) + 4, anchor: 'end', colour: WORDS }),
  ]);
  const times = minutes.map((minute) =>
    label(`${minute} min`, {
      x: across.place(minute),
      y: BOTTOM + 20,
      anchor: 'middle',
      colour: WORDS,
    }),
  );
  const x = (point: number) => across.place((point * secondsAPoint) / 60);
  const drawn = points.flatMap(({ means, colour }) =>
    means.slice(1).map((mean, index) => {
      const from = [x(index), up.place(means[index] ?? 0)] as const;
      return line([...from, x(index + 1), up.place(mean)], { colour, width: 1.5 });
    }),
  );
  const key = curves.flatMap(({ name, colour }, nth) => [
    line([LEFT + nth * 400, 48, LEFT + 24 + nth * 400, 48], { colour, width: 2 }),
    label(name, { x: LEFT + 32 + nth * 400, y: 52, colour: WORDS }),
  ]);
  return drawing({ width: WIDTH, height: HEIGHT, title }, [...grid, ...times, ...key, ...drawn]);
}

function meansOf(values: readonly number[], size: number): readonly number[] {
  const means: number[] = [];
  for (let from = 0; from + size <= values.length; from += size)
    means.push(values.slice(from, from + size).reduce((sum, value) => sum + value, 0) / size);
  return means;
}
