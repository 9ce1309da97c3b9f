const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** How old something is, for people: `41 s`, `12 min`, `3 h`, `2 d`. */
export function ageText(seconds: number): string {
  const [unit, length] = UNITS.find(([, least]) => seconds >= 2 * least) ?? ['s', 1];
  return `${Math.floor(seconds / length)} ${unit}`;
}
