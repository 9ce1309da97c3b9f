import type { CopyFreshness } from '../service/connectors.ts';
import { dateTime, durationText } from './words.ts';

/** How often connectors are synced unless the operator says otherwise (docs/wire.md#syncs). */
const INTERVAL_SECONDS = 900;
/** Longer ago than this many intervals, the bar is full, and something is wrong. */
const LATE_INTERVALS = 2;

/** How old a copy is, in words, and as a bar against the time between two syncs. */
export function FreshnessBar({
  freshness,
}: {
  readonly freshness: CopyFreshness | null | undefined;
}) {
  const { as_of: asOf, lag_seconds: lag, complete } = freshness ?? {};
  if (typeof asOf !== 'string' || typeof lag !== 'number')
    return <span className="dim">not copied yet</span>;
  const share = Math.min(1, lag / (LATE_INTERVALS * INTERVAL_SECONDS));
  const isLate = share === 1;
  return (
    <span className="freshness" title={`As of ${dateTime(asOf)}`}>
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
