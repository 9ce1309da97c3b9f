import { InvalidArgumentError } from 'commander';

/** A flag's value as a whole number within bounds. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

const SECONDS_IN = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** A flag's duration, such as `5s`, `30m`, `12h` or `2d`, in seconds. */
export function durationSeconds(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (new Map(Object.entries(SECONDS_IN)).get(unit) ?? 0);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('It must be a duration such as 5s, 30m, 12h or 2d.');
}

/** A flag's comma-separated names, added to those before it. */
export function collectNames(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be names, comma-separated.');
  return [...before, ...names];
}

/** A flag's value, added to those before it. */
export function collectTexts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
