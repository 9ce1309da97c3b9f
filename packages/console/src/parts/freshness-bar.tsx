import type { CopyFreshness } from '../service/connectors.ts';
import { dateTime, durationText } from './words.ts';

/** How often connectors are synced where a service does not say it (docs/wire.md#syncs). */
const USUAL_INTERVAL_SECONDS = 900;
/** Of a shorter interval most is the sync itself. */
const LEAST_INTERVAL_SECONDS = 60;
/** Longer ago than this many intervals, the bar is full, and something is wrong. */
const LATE_INTERVALS = 2;

/** How old a copy is, in words, and as a bar against the time between two syncs. */
export function FreshnessBar({
  freshness,
}: {
  readonly freshness: CopyFreshness | null | undefined;
}) {
  const { as_of: asOf, lag_seconds: lag, complete, interval_seconds: interval } = freshness ?? {};
  if (typeof asOf !== 'string' || typeof lag !== 'number')
    return <span className="dim">not copied yet</span>;
  const seconds = Math.max(LEAST_INTERVAL_SECONDS, interval ?? USUAL_INTERVAL_SECONDS);
  const share = Math.min(1, lag / (LATE_INTERVALS * seconds));
  const isLate = share === 1;
  return (
    <span
      className="freshness"
      title={`As of ${dateTime(asOf)}; synced every ${durationText(seconds)}`}
    >
      <span className="freshness-bar" aria-hidden="true">
        <span
          className={isLate ? 'freshness-late' : undefined}
          style={{ width: `${Math.max(4, share * 100)}%` }}
        />
      </span>
      <span>
        {durationText(lag)} old{complete === false && ', not whole yet'}
      </span>
    </span>
  );
}
