/**
 * Message timestamps as whole microseconds since 1970, which a double holds exactly; on the wire
 * they are text with six decimals.
 */
export type Micros = number;

const MICROS_PER_SECOND = 1_000_000;
const MAX_SECONDS_DIGITS = 10;
const TIMESTAMP = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/** The wire form of a time, such as `1767225599.000200`. */
export function formatTimestamp(micros: Micros): string {
  const seconds = Math.floor(micros / MICROS_PER_SECOND);
  return `${String(seconds)}.${String(micros % MICROS_PER_SECOND).padStart(6, '0')}`;
}

/** Reads a timestamp with up to six decimals; undefined if it is none. */
export function parseTimestamp(text: string): Micros | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, seconds = '', decimals = ''] = match;
  return Number(seconds) * MICROS_PER_SECOND + Number(decimals.padEnd(6, '0'));
}

/** Reads microseconds written as bare digits, as cursors hold them; undefined for other text. */
export function parseMicrosDigits(text: string): Micros | undefined {
  const maxDigits = MAX_SECONDS_DIGITS + 6;
  return /^\d+$/.test(text) && text.length <= maxDigits ? Number(text) : undefined;
}

/** Whole seconds, rounded down, as `created` and `updated` fields hold them. */
export function toSeconds(micros: Micros): number {
  return Math.floor(micros / MICROS_PER_SECOND);
}
