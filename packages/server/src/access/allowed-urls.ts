import type { ConnectorError, Fault } from '@patchbay/connectors';
import { invalidRequest } from '@patchbay/connectors/engine';

/** Where an application may send people back to, and from which pages it may open the connect page. */
export interface AllowedUrls {
  readonly allowedOrigins: readonly string[];
  readonly allowedReturnUrls: readonly string[];
}

/** How a URL is judged that is not on the list, and what it is called in the error. */
export interface JudgeOptions {
  /**
   * Whether the service can be reached from its own machine only. There, an empty list allows every
   * loopback address, so that trying things out needs no list; elsewhere it allows nothing.
   */
  readonly isLoopbackService: boolean;
  /** The member of the request; `return_url` or `origin` unless said. */
  readonly field?: string;
}

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
 * A return URL that the application may use: scheme, host, port and path are exactly those of one on
 * its list, the query is free. Send people to what comes back, never to the text that was given.
 *
 * @throws `invalid_request` with a fault at the field.
 */
export function requireAllowedReturnUrl(
  { allowedReturnUrls }: Pick<AllowedUrls, 'allowedReturnUrls'>,
  text: string,
  { isLoopbackService, field = 'return_url' }: JudgeOptions,
): URL {
  const url = parseReturnUrl(text);
  if (url === undefined) throw refused(field, `must be ${RETURN_URL_EXPECTS}`);
  const isAllowed =
    allowedReturnUrls.length === 0
      ? isLoopbackService && isLoopbackHost(url.hostname)
      : allowedReturnUrls.some((allowed) => placeOf(parseReturnUrl(allowed)) === placeOf(url));
  if (isAllowed) return url;
  throw refused(field, notListed('allowed_return_urls', allowedReturnUrls));
}

/**
 * An origin that the application may use: exactly one on its list.
 *
 * @throws as `requireAllowedReturnUrl`.
 */
export function requireAllowedOrigin(
  { allowedOrigins }: Pick<AllowedUrls, 'allowedOrigins'>,
  text: string,
  { isLoopbackService, field = 'origin' }: JudgeOptions,
): string {
  const origin = parseOrigin(text);
  if (origin === undefined) throw refused(field, `must be ${ORIGIN_EXPECTS}`);
  const isAllowed =
    allowedOrigins.length === 0
      ? isLoopbackService && isLoopbackHost(new URL(origin).hostname)
      : allowedOrigins.includes(origin);
  if (isAllowed) return origin;
  throw refused(field, notListed('allowed_origins', allowedOrigins));
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

/**
 * Where a service that listens at a URL is reached from its own machine, without leaving it; `undefined` where
 * it listens on another interface alone.
 */
export function loopbackUrlOf(listensAt: string): string | undefined {
  const url = new URL(listensAt);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return isLoopbackHost(url.hostname) ? url.origin : undefined;
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

function placeOf(url: URL | undefined): string | undefined {
  return url === undefined ? undefined : url.origin + url.pathname;
}

/** The URL itself is not quoted: its query may hold what is nobody else's to see. */
function notListed(list: string, allowed: readonly string[]): string {
  return allowed.length === 0
    ? `must be allowed: the application's ${list} is empty, which allows loopback addresses on a service that listens on loopback only; add it to ${list}`
    : `must be one of the application's ${list}`;
}

function refused(field: string, message: string): ConnectorError<'invalid_request'> {
  const fault: Fault = { field, errorCode: 'not_allowed', message };
  return invalidRequest([fault]);
}
