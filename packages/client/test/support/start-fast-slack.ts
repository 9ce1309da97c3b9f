import type { Clock, Kinds } from '@patchbay/connectors';
import type { HostedConnector, Patchbay } from '../../src/index.ts';
import {
  makeFastClock,
  startHosted,
  TEAM_CHAT,
  watchFetch,
  type Hosted,
  type WatchedFetch,
} from './start-hosted.ts';

/** Long enough for a slow machine also where the clock runs fast. */
export const AMPLE_MS = 600_000;

/** A service, and a client of it that waits for no backoff: its clock, timers included, is fast. */
export interface FastSlack extends AsyncDisposable {
  readonly hosted: Hosted;
  readonly clock: Clock;
  readonly watched: WatchedFetch;
  readonly patchbay: Patchbay;
  /** Its only connector. */
  readonly slack: HostedConnector<Kinds['chat-workspace']>;
  /** Forgets what was sent, and lets everything go well again. */
  reset(): void;
}

export async function startFastSlack(): Promise<FastSlack> {
  const clock = makeFastClock(50);
  const hosted = await startHosted();
  const watched = watchFetch();
  const externalUserId = 'in-a-hurry';
  // By the real clock, since the first connector of a database has tables made for it.
  await hosted.client({ externalUserId }).connectors.create(TEAM_CHAT);
  const patchbay = hosted.client({
    fetch: watched.fetch,
    clock,
    timeoutMs: AMPLE_MS,
    externalUserId,
  });
  return {
    hosted,
    clock,
    watched,
    patchbay,
    slack: await patchbay.connector('chat-workspace'),
    reset: () => {
      watched.instead = undefined;
      watched.sent.length = 0;
      hosted.sandbox.faults.clear();
      hosted.sandbox.resetRequests();
    },
    [Symbol.asyncDispose]: () => hosted[Symbol.asyncDispose](),
  };
}
