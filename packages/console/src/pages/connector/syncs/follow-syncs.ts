import type { Patchbay, SyncStatus } from '@patchbay/client';
import { failureOf, type Failure } from '../../../service/failure.ts';

/** What is known of the syncs of a connector, and how. */
export interface SyncNews {
  /** `undefined` until the service has said so for the first time. */
  readonly status: SyncStatus | undefined;
  /** The service tells every change; otherwise it is asked from time to time. */
  readonly isLive: boolean;
  /** Why the last question had no answer; the status is that of before. */
  readonly failure: Failure | undefined;
}

interface Following {
  readonly service: Patchbay;
  readonly connectorId: string;
  /** What is new; the status stays as it was where it is not known. */
  readonly onNews: (news: Omit<SyncNews, 'status'> & { readonly status?: SyncStatus }) => void;
  readonly signal: AbortSignal;
  /** Waits so long, or until somebody wants to know. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How often one that is not syncing is asked whether it is. */
const IDLE_MS = 5_000;
/** How often one is asked that does not tell by itself. */
const ASK_MS = 2_000;
/** How long a service may take to answer before that is told. */
const TIMEOUT_MS = 8_000;
/** How long one that has told its events is waited for after they broke off. */
const EVENTS_TIMEOUT_MS = 2_000;
/** After events have failed, so many questions are asked before they are tried again. */
const QUESTIONS_WITHOUT_EVENTS = 10;

/**
 * Tells how the syncs of a connector go, until the signal aborts: by the events of a run where there is one, by
 * asking where there is none or the events do not come. A service that is away is asked until it is back.
 *
 * @see docs/wire.md#events
 */
export async function followSyncs(following: Following): Promise<void> {
  const { signal, pause } = following;
  let questionsBeforeEvents = 0;
  while (!signal.aborted) {
    const status = await ask(following);
    if (status === undefined) await pause(ASK_MS, signal);
    else if (status.current === null) await pause(IDLE_MS, signal);
    else if (questionsBeforeEvents > 0) {
      questionsBeforeEvents--;
      await pause(ASK_MS, signal);
    } else if (!(await hearEvents(following, status.current.run_id)))
      questionsBeforeEvents = QUESTIONS_WITHOUT_EVENTS;
  }
}

/** Asks once; `undefined` where there was no answer, which has been told. */
async function ask({
  service,
  connectorId,
  onNews,
  signal,
}: Following): Promise<SyncStatus | undefined> {
  try {
    const options = { signal, timeoutMs: TIMEOUT_MS };
    const status = await service.connectors.sync.status(connectorId, options);
    onNews({ status, isLive: false, failure: undefined });
    return status;
  } catch (error) {
    if (!signal.aborted) onNews({ isLive: false, failure: failureOf(error) });
    return undefined;
  }
}

/** Tells every change of a run until it has ended; whether the events came. */
async function hearEvents(
  { service, connectorId, onNews, signal }: Following,
  runId: string,
): Promise<boolean> {
  let hasHeard = false;
  const options = { runId, signal, timeoutMs: EVENTS_TIMEOUT_MS };
  try {
    for await (const status of service.connectors.sync.watch(connectorId, options)) {
      hasHeard = true;
      onNews({ status, isLive: true, failure: undefined });
    }
    return true;
  } catch {
    // The question that follows tells what is wrong, should it still be.
    return hasHeard;
  }
}
