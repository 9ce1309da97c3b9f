/** What the two clocks have to differ by: the header has whole seconds, and answers are on their way for a while. */
const SLACK_MS = 5_000;

/** How far the clock of the service is ahead of the browser's. */
let aheadMs = 0;

/**
 * The time by the clock of the service, as milliseconds since 1970: its instants are compared with no other, since that
 * of the browser may be wrong.
 */
export function serverNow(): number {
  return Date.now() + aheadMs;
}

/** Learns what time the service has, from an answer that has just come. */
export function noteServerTime({ headers }: Response): void {
  const at = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(at)) return;
  const found = at - Date.now();
  if (Math.abs(found - aheadMs) <= SLACK_MS) return;
  aheadMs = Math.abs(found) <= SLACK_MS ? 0 : found;
}
