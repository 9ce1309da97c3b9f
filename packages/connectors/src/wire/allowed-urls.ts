/** What an allowed origin looks like, as it completes the sentence "must be …". */
export const ORIGIN_EXPECTS =
  'an origin such as https://app.example.com: https (or http on a loopback address), without path, query or user';

/** The same of a return URL. */
export const RETURN_URL_EXPECTS =
  'a URL such as https://app.example.com/connected: https (or http on a loopback address), without fragment or user';

/** Longest URL that is taken, in characters. */
export const MAX_URL = 2_048;

/** Visible ASCII without what browsers read as something else: they drop tabs and turn `\` into `/`. */
const PLAIN = /^[!-[\]-~]+$/;

/** An entry of an application's list: as it is kept, or what it must be, as it completes "must be …". */
export type AllowedEntry = { readonly value: string } | { readonly expects: string };

/** Reads an entry of `allowed_origins`. */
export function readAllowedOrigin(text: string): AllowedEntry {
  const value = parseOrigin(text);
  return value === undefined ? { expects: ORIGIN_EXPECTS } : { value };
}

/** Reads an entry of `allowed_return_urls`. */
export function readAllowedReturnUrl(text: string): AllowedEntry {
  const url = parseReturnUrl(text);
  if (url === undefined) return { expects: RETURN_URL_EXPECTS };
  // Whoever lists one with a query would think that only that query is allowed.
  return text.includes('?')
    ? { expects: 'a URL without a query: any query is allowed of a URL that is listed' }
    : { value: url.href };
}

/**
 * The origin that a text names, as browsers write it; `undefined` where it names none that may be
 * allowed.
 */
export function parseOrigin(text: string): string | undefined {
  const url = parseSafeUrl(text);
  // `URL` gives every origin the path "/"; whoever writes that path, or more, means no origin.
  return url !== undefined && !/[/?#@]/.test(text.slice(text.indexOf('://') + 3))
    ? url.origin
    : undefined;
}

/** The URL that a text names; `undefined` where nobody may be sent there whatever a list says. */
export function parseReturnUrl(text: string): URL | undefined {
  const url = parseSafeUrl(text);
  return url !== undefined && !text.includes('#') ? url : undefined;
}

/**
 * Whether a host is the machine itself: 127.0.0.0/8, ::1, and the names of RFC 6761, part 6.3.
 *
 * @param host As in a URL or in `HOST`: IPv6 with or without brackets.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  const bare = name.startsWith('[') ? name.slice(1, -1) : name;
  return bare === '::1' || /^127(?:\.\d{1,3}){3}$/.test(bare);
}

/** https, or http on the machine itself; `URL` has by then brought every spelling of a host to one. */
function parseSafeUrl(text: string): URL | undefined {
  if (text.length > MAX_URL || !PLAIN.test(text) || !/^https?:\/\//i.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  // `URL` takes a wildcard for a name, and whoever writes one expects more of it.
  if (url.hostname.includes('*')) return undefined;
  return isSafe && !authorityOf(text).includes('@') ? url : undefined;
}

/** An empty user, as in `https://@host`, is gone once the URL is parsed. */
function authorityOf(text: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
}
