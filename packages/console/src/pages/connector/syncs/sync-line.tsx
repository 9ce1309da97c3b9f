import type { SyncStatus } from '@patchbay/client';
import { useNow } from '../../../parts/use-now.ts';
import { agoText, durationText } from '../../../parts/words.ts';
import type { Failure } from '../../../service/failure.ts';
import type { SyncNews } from './follow-syncs.ts';
import { causeText } from './run-words.ts';

const TICK_MS = 1_000;
/** Codes with which the client says that nobody answered. */
const AWAY = new Set(['upstream_unavailable', 'upstream_timeout', 'not_ready']);

/** What is being synced, or was last, and whether what is shown is of this moment. */
export function SyncLine({ syncs }: { readonly syncs: SyncNews }) {
  const { status, isLive, failure } = syncs;
  if (failure !== undefined) return <NotUpToDate failure={failure} />;
  return (
    <p className="sync-line">
      <span>{status !== undefined && <Now status={status} />}</span>
      {isLive && (
        <span className="state" title="The service tells every change as it happens.">
          <span className="dot dot-calm dot-live" aria-hidden="true" />
          Live
        </span>
      )}
    </p>
  );
}

/** In the place of the line, so that nothing moves while the service is away for a moment. */
function NotUpToDate({ failure: { code, message } }: { readonly failure: Failure }) {
  const isAway = code === undefined || AWAY.has(code);
  return (
    <p className="sync-line" role="status" title={message}>
      <span className="state">
        <span className="dot dot-wary" aria-hidden="true" />
        {isAway ? 'The service does not answer.' : message}
      </span>
      <span>What is shown may have changed since; it is asked for again.</span>
    </p>
  );
}

function Now({ status: { current, last } }: { readonly status: SyncStatus }) {
  const now = useNow(TICK_MS);
  if (current !== null) {
    const { started_at: startedAt, cause } = current;
    if (startedAt === null) return <>A sync waits for its turn ({causeText(cause)}).</>;
    const seconds = Math.max(1, Math.round((now - Date.parse(startedAt)) / 1_000));
    return (
      <>
        Syncing for {durationText(seconds)} ({causeText(cause)}).
      </>
    );
  }
  if (last === null) return <>No sync yet.</>;
  return (
    <>
      Last sync {agoText(last.finished_at ?? last.requested_at, now)}: {last.state}.
    </>
  );
}
