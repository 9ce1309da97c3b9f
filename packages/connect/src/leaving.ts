import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { webAddress, type Outcome } from './return-address.ts';

/** What came of the session so far. */
export function outcomeOf({ id, status, connector_id, error }: ConnectPageSession): Outcome {
  return { session_id: id, status, connector_id, error };
}

/** The same where the person leaves an open session: nobody learns more than that they declined. */
export function declinedOutcome(view: ConnectPageSession, message: string): Outcome {
  return { ...outcomeOf(view), error: view.error ?? { code: 'access_denied', message } };
}

/**
 * Whether there is somebody to tell: the page was opened as a pop-up, and neither its opener's nor a
 * vendor's opener policy has cut the tie.
 */
export function hasOpener({ origin }: ConnectPageSession): boolean {
  // Typed as if it were always there for others to read.
  const opener = window.opener as Window | null;
  return opener !== null && !opener.closed && isOrigin(origin);
}

/** Tells the page that opened this one, if it is of the origin that the session names. */
export function tellOpener({ origin }: ConnectPageSession, outcome: Outcome): void {
  const opener = window.opener as Window | null;
  if (opener === null || !isOrigin(origin)) return;
  opener.postMessage({ type: 'patchbay:connect', ...outcome }, origin);
}

function isOrigin(origin: string | null): origin is string {
  return origin !== null && webAddress(origin)?.origin === origin;
}
