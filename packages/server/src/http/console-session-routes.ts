import { ConnectorError } from '@patchbay/connectors';
import {
  ConsoleSession,
  ConsoleToken,
  isLoopbackHost,
  type TrialConnector,
} from '@patchbay/connectors/wire';
import { forbidden } from '../access/reach.ts';
import {
  SESSION_SECONDS,
  type ConsoleSessions,
  type SignedIn,
  type SignInOrigin,
} from '../console/console-sessions.ts';
import { checkSignIn, checkTokenRequest } from '../console/sign-in-input.ts';
import { cookieIn } from '../cookie-header.ts';
import { requireBody } from './require-body.ts';
import type { Answer, PublicCall, Route } from './route.ts';
import { ref } from './schemas.ts';

export interface ConsoleSessionRouteParts {
  readonly sessions: ConsoleSessions;
  /** Where browsers reach the service, where that is known. */
  readonly publicUrl: () => string | undefined;
  /** What whoever is signed in can create to try things with. */
  readonly trials: readonly TrialConnector[];
}

const TAG = 'Console';
const SESSION = '/console/session';

/**
 * Signing in to the web console. Its scripts alone call these routes, from its own origin; no other route
 * knows their cookie.
 *
 * @see docs/wire.md#console
 */
export function consoleSessionRoutes(parts: ConsoleSessionRouteParts): readonly Route[] {
  const { sessions, publicUrl, trials } = parts;
  const answer = answerWith(trials);
  const change = (call: PublicCall): void => {
    requireJson(call);
    refuseForeignPage(call, publicUrl());
  };
  const cookie = (call: PublicCall): Cookie => cookieFor(call, publicUrl());
  const kept = (call: PublicCall): string | undefined =>
    cookieIn(call.header('cookie'), cookie(call).name);
  const require = async (call: PublicCall): Promise<SignedIn> => {
    const session = await sessions.require(kept(call));
    noteIn(call, session);
    return session;
  };
  return [
    {
      method: 'POST',
      path: SESSION,
      reach: 'public',
      waitsFor: 'database',
      doc: { summary: 'Sign in', tag: TAG, body: ref('ConsoleSignIn'), answer: ConsoleSession },
      handle: async (call) => {
        change(call);
        const given = checkSignIn(requireBody(call));
        const { session, secret } = await sessions.signIn(given, originOf(call), kept(call));
        noteIn(call, session);
        return answer(session, { 'set-cookie': cookie(call).with(secret) });
      },
    },
    {
      method: 'GET',
      path: SESSION,
      reach: 'public',
      waitsFor: 'database',
      doc: { summary: 'Who is signed in', tag: TAG, answer: ConsoleSession },
      handle: async (call) => answer(await require(call)),
    },
    {
      method: 'DELETE',
      path: SESSION,
      reach: 'public',
      waitsFor: 'database',
      doc: {
        summary: 'Sign out; where nobody is signed in, the same answer',
        tag: TAG,
        status: 204,
        type: 'text/plain',
      },
      handle: async (call) => {
        change(call);
        await sessions.signOut(kept(call));
        const headers = { 'set-cookie': cookie(call).gone };
        return { status: 204, text: '', type: 'text/plain', headers };
      },
    },
    {
      method: 'POST',
      path: '/console/token',
      reach: 'public',
      waitsFor: 'database',
      doc: {
        summary: 'A token of ten minutes, for the page to call the other routes with',
        tag: TAG,
        body: ref('ConsoleTokenRequest'),
        answer: ConsoleToken,
      },
      handle: async (call) => {
        change(call);
        const session = await require(call);
        const made = await sessions.token(session, checkTokenRequest(requireBody(call)));
        if (made.applicationId !== null) call.log.applicationId = made.applicationId;
        return {
          status: 200,
          body: {
            token: made.token,
            expires_at: made.expiresAt.toISOString(),
            role: made.role,
            application_id: made.applicationId,
          },
        };
      },
    },
  ];
}

function answerWith(trials: readonly TrialConnector[]) {
  return (
    { role, application, expiresAt }: SignedIn,
    headers: Readonly<Record<string, string>> = {},
  ): Answer => ({
    status: 200,
    body: {
      role,
      application: application && { id: application.id, name: application.name },
      expires_at: expiresAt.toISOString(),
      trials,
    },
    headers,
  });
}

/** The log says whose the session is. */
function noteIn({ log }: PublicCall, { role, application }: SignedIn): void {
  if (role === 'operator') log.isOperator = true;
  else log.applicationId = application.id;
}

/**
 * Forms of other sites cannot send JSON, and their scripts only once they have asked, which is never granted.
 *
 * @throws `unsupported_media_type`.
 */
function requireJson({ header }: PublicCall): void {
  if (/^application\/json\b/i.test(header('content-type') ?? '')) return;
  throw new ConnectorError('unsupported_media_type', {});
}

/**
 * Refuses what another site's page sends. Where a browser does not say from which site (over http, but from
 * loopback addresses), it says from which origin.
 *
 * @throws `forbidden`.
 * @see https://www.w3.org/TR/fetch-metadata/
 */
function refuseForeignPage({ header }: PublicCall, publicUrl: string | undefined): void {
  const site = header('sec-fetch-site');
  const origin = header('origin');
  const isOurs =
    site === undefined
      ? origin === undefined || isOwnOrigin(origin, header('host'), publicUrl)
      : site === 'same-origin';
  if (!isOurs) throw forbidden('Only the console itself calls this, from its own origin.');
}

function isOwnOrigin(
  origin: string,
  host: string | undefined,
  publicUrl: string | undefined,
): boolean {
  const url = URL.parse(origin);
  if (url === null) return false;
  return url.host === host || (publicUrl !== undefined && url.origin === new URL(publicUrl).origin);
}

/** What proxies say of the clients that they pass on. */
const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

function originOf({ address, header }: PublicCall): SignInOrigin {
  const isForwarded = FORWARDED.some((name) => header(name) !== undefined);
  // A proxy that says nothing of the client still passes on which page the browser has open.
  const page = header('origin');
  const isPageHere = page === undefined || isLoopbackHost(URL.parse(page)?.hostname ?? '');
  const isFromHere = isLoopbackHost(address.replace(/^::ffff:/i, ''));
  return { address, isDirect: !isForwarded && isPageHere && isFromHere };
}

interface Cookie {
  readonly name: string;
  /** `Set-Cookie`, to keep the secret. */
  readonly with: (secret: string) => string;
  /** The same, to forget it. */
  readonly gone: string;
}

/**
 * Over https, the name makes browsers take the cookie from this host alone, and nothing else at its name;
 * where the service is reached over http, they would not take it at all.
 */
function cookieFor({ isHttps }: PublicCall, publicUrl: string | undefined): Cookie {
  const isSecure = isHttps || publicUrl?.startsWith('https:') === true;
  const name = isSecure ? '__Host-patchbay-console' : 'patchbay-console';
  const where = isSecure ? 'Path=/; Secure' : 'Path=/console';
  const make = (secret: string, seconds: number) =>
    `${name}=${secret}; ${where}; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return { name, with: (secret) => make(secret, SESSION_SECONDS), gone: make('', 0) };
}
