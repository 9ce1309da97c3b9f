/** What secrets look like, as opposed to the place on a page that a fragment usually names. */
const SECRET = /^[\w-]{20,}$/;

/**
 * The secret of a one-time link, which stands in the fragment of the address. It goes off the address at once, so
 * that nobody reads it over a shoulder or comes back to it. Browsers may list it among the addresses visited
 * nevertheless (Chromium does): it signs in once.
 */
export function takeLinkSecret(): string | undefined {
  const secret = location.hash.slice(1);
  if (!SECRET.test(secret)) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}
