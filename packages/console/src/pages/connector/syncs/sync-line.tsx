import type { SyncStatus } from '@patchbay/client';
import { Notice } from '../../../parts/notice.tsx';
import { useNow } from '../../../parts/use-now.ts';
import { agoText, durationText } from '../../../parts/words.ts';
import type { SyncNews } from './follow-syncs.ts';
import { causeText } from './run-words.ts';

const TICK_MS = 1_000;

/** What is being synced, or was last, and whether what is shown is of this moment. */
export function SyncLine({ syncs }: { readonly syncs: SyncNews }) {
  const { status, isLive, failure } = syncs;
  if (failure !== undefined)
    return (
      <Notice tone="warning" title={failure.message}>
        <p>What is shown may have changed since. It is asked for again until there is an answer.</p>
      </Notice>
    );
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
