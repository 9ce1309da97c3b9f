/** What secrets look like, as opposed to the place on a page that a fragment usually names. */
const SECRET = /^[\w-]{20,}$/;

/**
 * The secret of a one-time link, which stands in the fragment of the address. It goes off the address at once, so
 * that it stays in no history, and nobody reads it over a shoulder.
 */
export function takeLinkSecret(): string | undefined {
  const secret = location.hash.slice(1);
  if (!SECRET.test(secret)) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}
