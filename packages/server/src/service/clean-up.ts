import { SESSIONS_KEPT_MS } from '../connect-sessions/connect-sessions.ts';
import { SESSION_IDLE_MS } from '../console/console-sessions.ts';
import { STATS_KEPT_MS } from '../operations/stats.ts';
import { REVOCATIONS_KEPT_MS } from '../revocation/revocation-sweep.ts';
import type { Basis } from './basis.ts';

const CLEAN_UP_EVERY_MS = 3_600_000;
const KEYS_KEPT_MS = 24 * 3_600_000;
/** A person who comes back late is still told so where they began. */
const CONSENTS_KEPT_MS = 3_600_000;

/** Deletes every hour what nobody will ask for any more; ends with the `clearInterval` of what it gives. */
export function startCleanUp({ store, onRefreshError }: Basis): NodeJS.Timeout {
  const works: readonly (() => Promise<unknown>)[] = [
    () => store.revokedTokens.deleteExpired(),
    () => store.consoleSessions.deleteEnded(SESSION_IDLE_MS),
    () => store.idempotency.deleteOlderThan(KEYS_KEPT_MS),
    // Where no worker runs, too.
    () => store.revocations.expire(REVOCATIONS_KEPT_MS),
    // Until then, revoking what their connectors had may take them.
    () => store.oauthApps.deleteOfDeleted(REVOCATIONS_KEPT_MS),
    () => store.creations.deleteOlderThan(KEYS_KEPT_MS),
    () => store.stats.deleteOlderThan(STATS_KEPT_MS),
    () => store.consents.deleteExpired(CONSENTS_KEPT_MS),
    () => store.connectSessions.eraseExpired(),
    () => store.connectSessions.deleteOlderThan(SESSIONS_KEPT_MS),
  ];
  const timer = setInterval(() => {
    for (const work of works) work().catch(onRefreshError);
  }, CLEAN_UP_EVERY_MS);
  return timer.unref();
}
