const NUMBER = new Intl.NumberFormat('en');
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' });
const DATE_TIME = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
});

/** `12,345`. */
export function numberText(value: number): string {
  return NUMBER.format(value);
}

/** `1 error`, `2 errors`: of words that only take an s. */
export function countText(count: number, word: string): string {
  return `${numberText(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** `14:05`, where the browser is. */
export function timeOfDay(instant: string): string {
  return TIME.format(new Date(instant));
}

/** `Mon 23`, where the browser is. */
export function dayText(instant: string): string {
  return DAY.format(new Date(instant));
}

/** `22 Nov 2026, 09:20:20`, where the browser is. */
export function dateTime(instant: string): string {
  return DATE_TIME.format(new Date(instant));
}

/** A length of time as people say it, in one unit: `3 min`. */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** How long ago an instant was: `3 min ago`. */
export function agoText(instant: string, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - Date.parse(instant)) / 1_000);
  return seconds < 2 ? 'just now' : `${durationText(seconds)} ago`;
}

/** A name of the wire as a label: `reauth_required` is `Reauth required`, `api_token` `API token`. */
export function labelOf(name: string): string {
  const words = name
    .split(/[_-]+/)
    .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word))
    .join(' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const ABBREVIATIONS: ReadonlySet<string> = new Set(['api', 'url']);
