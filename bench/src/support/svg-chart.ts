/** A scale from values to places in a drawing. */
interface Scale {
  readonly place: (value: number) => number;
  /** Values to be written at the axis. */
  readonly ticks: readonly number[];
}

/** Powers of ten at equal distances, from the one below the least value to the one above the greatest. */
export function logScale(
  values: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): Scale {
  const positive = values.filter((value) => value > 0);
  const least = Math.floor(Math.log10(Math.min(...positive)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...positive))));
  const ticks = Array.from({ length: most - least + 1 }, (_, nth) => 10 ** (least + nth));
  return {
    ticks,
    place: (value) => {
      const power = Math.log10(Math.max(value, 10 ** least));
      return from + ((power - least) / (most - least)) * (to - from);
    },
  };
}

/** Equal steps from 0 to the greatest value; `ticks` are the values themselves. */
export function linearScale(
  values: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): Scale {
  const most = Math.max(...values);
  return { ticks: values, place: (value) => from + (value / most) * (to - from) };
}

/** A drawing of elements on a light ground. */
export function drawing(
  {
    width,
    height,
    title,
  }: { readonly width: number; readonly height: number; readonly title: string },
  elements: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    label(title, { x: 16, y: 24, size: 15 }),
    ...elements,
    '</svg>\n',
  ].join('\n');
}

/** Where a label stands, and how. */
interface Standing {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly colour?: string;
  readonly size?: number;
}

export function label(
  text: string,
  { x, y, anchor = 'start', colour = '#1f2933', size = 12 }: Standing,
): string {
  return `<text x="${place(x)}" y="${place(y)}" text-anchor="${anchor}" fill="${colour}" font-size="${size}">${escaped(text)}</text>`;
}

/** A line between two points. */
export function line(
  [x1, y1, x2, y2]: readonly [number, number, number, number],
  {
    colour,
    width = 1,
    dashes,
  }: { readonly colour: string; readonly width?: number; readonly dashes?: string },
): string {
  const dashed = dashes === undefined ? '' : ` stroke-dasharray="${dashes}"`;
  return `<line x1="${place(x1)}" y1="${place(y1)}" x2="${place(x2)}" y2="${place(y2)}" stroke="${colour}" stroke-width="${width}"${dashed}/>`;
}

/** A dot; hollow where it has a line around it alone. */
export function dot(
  [x, y]: readonly [number, number],
  { colour, isHollow = false }: { readonly colour: string; readonly isHollow?: boolean },
): string {
  const fill = isHollow ? '#ffffff' : colour;
  return `<circle cx="${place(x)}" cy="${place(y)}" r="4" fill="${fill}" stroke="${colour}" stroke-width="1.5"/>`;
}

/** Milliseconds, or another number, in few characters. */
export function inWords(value: number): string {
  return value >= 1 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(1)));
}

function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
