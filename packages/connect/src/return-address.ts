import type { ConnectPageSession } from '@patchbay/connectors/wire';

/** What the application is told, by message to the page that opened this one or in the return address. */
export interface Outcome {
  readonly session_id: string;
  readonly status: ConnectPageSession['status'];
  readonly connector_id: string | null;
  readonly error: ConnectPageSession['error'];
}

/** Where the person goes back to, with what came of it; `undefined` where there is no such place. */
export function returnAddress(returnUrl: string | null, outcome: Outcome): string | undefined {
  const address = webAddress(returnUrl);
  if (address === undefined) return undefined;
  const { searchParams } = address;
  // An application may ask again from the very address that an earlier attempt led back to.
  for (const name of ['connector_id', 'error', 'error_description']) searchParams.delete(name);
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
