/** What the address of the page says: the secret of a link, or the session that it has opened. */
export type Address = { readonly secret: string } | { readonly sessionId: string };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the address; `undefined` where it names no session. */
export function readAddress(location: Pick<Location, 'hash' | 'search'>): Address | undefined {
  const secret = location.hash.slice(1);
  if (secret !== '') return { secret };
  const sessionId = new URLSearchParams(location.search).get('session');
  return sessionId !== null && UUID.test(sessionId) ? { sessionId } : undefined;
}

/**
 * Puts the session in the place of the secret: a reload goes on by the cookie, and nobody comes back to the secret.
 * Browsers may list it among the addresses visited nevertheless (Chromium does); only the first that opens it gets in.
 */
export function rememberSession(id: string): void {
  replace(`/connect?session=${encodeURIComponent(id)}`);
}

/** The secret is of no more use, and leaves the address. */
export function forgetSecret(): void {
  if (location.hash !== '') replace('/connect');
}

function replace(address: string): void {
  // What was noted of this entry of the history stays.
  history.replaceState(history.state, '', address);
}
