/** Whole seconds since 1970. */
export type Seconds = number;

export const DAY_SECONDS = 86_400;

/** A time as Zendesk writes it, without fractions: `2025-06-01T09:30:00Z`. */
export function isoTime(seconds: Seconds): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
}
