import type { ConnectorError, Fault } from '@patchbay/connectors';
import { invalidRequest } from '@patchbay/connectors/engine';
import {
  isLoopbackHost,
  ORIGIN_EXPECTS,
  parseOrigin,
  parseReturnUrl,
  RETURN_URL_EXPECTS,
} from '@patchbay/connectors/wire';

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
 * Where a service that listens at a URL is reached from its own machine, without leaving it; `undefined` where
 * it listens on another interface alone.
 */
export function loopbackUrlOf(listensAt: string): string | undefined {
  const url = new URL(listensAt);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return isLoopbackHost(url.hostname) ? url.origin : undefined;
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
