/** The colours of what is filled with the accent. */
export interface Accent {
  readonly fill: string;
  /** Black or white, whichever reads better on it: the contrast is 4.58 : 1 at least. */
  readonly text: '#000' | '#fff';
}

/**
 * Reads six hex digits, with or without `#`; anything else is no colour.
 *
 * @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
export function readAccent(value: string | null | undefined): Accent | undefined {
  const digits = /^#?([0-9a-f]{6})$/i.exec(value ?? '')?.[1];
  if (digits === undefined) return undefined;
  const luminance = luminanceOf(digits);
  const onBlack = (luminance + 0.05) / 0.05;
  const onWhite = 1.05 / (luminance + 0.05);
  return { fill: `#${digits.toLowerCase()}`, text: onBlack >= onWhite ? '#000' : '#fff' };
}

/** Relative luminance of six hex digits, from 0 to 1. */
export function luminanceOf(digits: string): number {
  const linear = (index: number): number => {
    const share = Number.parseInt(digits.slice(index, index + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(0) + 0.7152 * linear(2) + 0.0722 * linear(4);
}
