import type { ConnectPageSession } from '@patchbay/connectors/wire';

/** What the application is told, by message to the page that opened this one or in the return address. */
export interface Outcome {
  readonly session_id: string;
  readonly status: ConnectPageSession['status'];
  readonly connector_id: string | null;
  readonly error: ConnectPageSession['error'];
}

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

/** Where the person goes back to, with what came of it; `undefined` where there is no such place. */
export function returnAddress(returnUrl: string | null, outcome: Outcome): string | undefined {
  const address = webAddress(returnUrl);
  if (address === undefined) return undefined;
  const { searchParams } = address;
  searchParams.set('session_id', outcome.session_id);
  searchParams.set('status', outcome.status);
  if (outcome.connector_id !== null) searchParams.set('connector_id', outcome.connector_id);
  if (outcome.error !== null) searchParams.set('error', outcome.error.code);
  return address.href;
}

/** A URL that a browser may be sent to: one of http or https, which cannot run anything here. */
export function webAddress(text: string | null): URL | undefined {
  const url = text === null ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

function isOrigin(origin: string | null): origin is string {
  return origin !== null && webAddress(origin)?.origin === origin;
}
