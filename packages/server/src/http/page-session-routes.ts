import { Type } from 'typebox';
import type { ConnectorError } from '@patchbay/connectors';
import { ConnectPageSession, ConsentStart } from '@patchbay/connectors/wire';
import { forbidden } from '../access/reach.ts';
import type { BoundSession, Opening, PageSessions } from '../connect-sessions/page-sessions.ts';
import { cookieIn, cookieNamesIn, tooManyFor } from '../cookie-header.ts';
import { checkBody, FaultList } from '../operations/input.ts';
import { isSecret } from '../random-secret.ts';
import { pathParameter, requireBody } from './require-body.ts';
import type { Answer, PublicCall, Route } from './route.ts';
import { ref } from './schemas.ts';
import { untilDisconnect } from './until-disconnect.ts';

export interface PageSessionRouteParts {
  readonly sessions: PageSessions;
  /** Where browsers reach the service; without an answer there are no sessions. */
  readonly publicUrl: () => string | undefined;
}

const TAG = 'Connect page';
const SESSION = '/connect/sessions/:session';
const COOKIE_SECONDS = 24 * 3_600;
/** Browsers take one that begins with `__Host-` from this host alone: over https, or from loopback addresses. */
const COOKIE_PREFIX = '__Host-patchbay-connect-';

const OPEN_MEMBERS = {
  // Not quoted in errors, whatever they are.
  secret: { schema: Type.Unknown(), isRequired: true, expects: 'a string' },
  attempt: { schema: Type.Unknown(), isRequired: false, expects: 'a string' },
} as const;

const RANDOM = 'must be 256 random bits in base64url';

/**
 * The routes of the connect page itself: its scripts alone call them, from its own origin, with a cookie for
 * each session.
 *
 * @see docs/wire.md#the-page-of-a-session
 */
export function pageSessionRoutes(parts: PageSessionRouteParts): readonly Route[] {
  const { sessions } = parts;
  const bound = (call: PublicCall): Promise<BoundSession> => {
    refuseForeignPage(call, parts.publicUrl());
    const id = pathParameter(call, 'session').toLowerCase();
    return sessions.require(id, cookieOf(call, id));
  };
  const answer = async (session: BoundSession): Promise<Answer> => ({
    status: 200,
    body: await sessions.view(session),
    headers: headersWith(),
    isRepeatable: true,
  });
  return [
    {
      method: 'POST',
      path: '/connect/sessions/open',
      reach: 'public',
      waitsFor: 'database',
      doc: {
        summary: 'Open the session of a link in this browser',
        tag: TAG,
        body: ref('ConnectOpening'),
        answer: ConnectPageSession,
      },
      handle: async (call) => {
        refuseForeignPage(call, parts.publicUrl());
        requireSender(call);
        const opened = await sessions.open(checkOpening(call), {
          address: call.address,
          browserSecret: (id) => cookieOf(call, id),
          // Without the cookie nobody could open it any more.
          onBound: (id, secret) =>
            call.tellAnyway({ 'set-cookie': [...oldCookiesGone(call), newCookie(id, secret)] }),
        });
        return answer(opened);
      },
    },
    {
      method: 'GET',
      path: SESSION,
      reach: 'public',
      waitsFor: 'database',
      doc: { summary: 'The session as the page shows it', tag: TAG, answer: ConnectPageSession },
      handle: async (call) => answer(await bound(call)),
    },
    {
      method: 'POST',
      path: `${SESSION}/credentials`,
      reach: 'public',
      waitsFor: 'upstream',
      doc: {
        summary: 'Try credentials upstream, and take them where they work',
        tag: TAG,
        body: ref('ConnectEntry'),
        answer: ConnectPageSession,
      },
      lookUp: async (call) => {
        requireSender(call);
        await bound(call);
        return undefined;
      },
      handle: async (call) => {
        const session = await bound(call);
        const body = requireBody(call);
        return answer(
          await untilDisconnect(call, (signal) => sessions.submit(session, body, signal)),
        );
      },
    },
    {
      method: 'POST',
      path: `${SESSION}/consent`,
      reach: 'public',
      waitsFor: 'database',
      doc: {
        summary: 'Where the person goes to consent',
        tag: TAG,
        body: ref('ConnectConsent'),
        answer: ConsentStart,
      },
      handle: async (call) => {
        requireSender(call);
        const session = await bound(call);
        const { authorizeUrl, cookie } = await sessions.consent(session, requireBody(call));
        return {
          status: 200,
          body: { authorize_url: authorizeUrl },
          headers: headersWith(cookie),
        };
      },
    },
  ];
}

function headersWith(...cookies: string[]): NonNullable<Answer['headers']> {
  return {
    'referrer-policy': 'no-referrer',
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
  };
}

function checkOpening(call: PublicCall): Opening {
  const faults = new FaultList();
  const { secret, attempt } = checkBody(OPEN_MEMBERS, requireBody(call), faults);
  if (secret !== undefined && typeof secret !== 'string')
    faults.add({ field: 'secret', errorCode: 'wrong_type', message: 'must be a string' });
  const ownAttempt = typeof attempt === 'string' && isSecret(attempt) ? attempt : undefined;
  if (attempt !== undefined && ownAttempt === undefined)
    faults.add({ field: 'attempt', errorCode: 'not_allowed', message: RANDOM });
  faults.throwAny();
  return { secret: String(secret), attempt: ownAttempt };
}

/**
 * Refuses what another site's page sends.
 *
 * @throws `forbidden`.
 * @see https://www.w3.org/TR/fetch-metadata/
 */
function refuseForeignPage({ header }: PublicCall, publicUrl: string | undefined): void {
  const site = header('sec-fetch-site');
  const origin = header('origin');
  const isForeignSite = site !== undefined && site !== 'same-origin';
  const isForeignOrigin =
    origin !== undefined && publicUrl !== undefined && origin !== new URL(publicUrl).origin;
  if (isForeignSite || isForeignOrigin) throw notOurPage();
}

/**
 * Browsers tell where a request comes from that changes something; what comes without is none of theirs.
 *
 * @throws `forbidden`.
 */
function requireSender({ header }: PublicCall): void {
  if (header('sec-fetch-site') === undefined && header('origin') === undefined) throw notOurPage();
}

function notOurPage(): ConnectorError<'forbidden'> {
  return forbidden('Only the connect page itself calls this, from its own origin.');
}

function cookieNameOf(sessionId: string): string {
  return COOKIE_PREFIX + sessionId;
}

function newCookie(sessionId: string, secret: string): string {
  return cookieWith(cookieNameOf(sessionId), secret, COOKIE_SECONDS);
}

/** Takes those of the oldest sessions away, so that with a new one there are as many as there may be. */
function oldCookiesGone({ header }: PublicCall): readonly string[] {
  // Ids of sessions are in the order in which they were made.
  const names = cookieNamesIn(header('cookie'), COOKIE_PREFIX).toSorted();
  return tooManyFor(names).map((name) => cookieWith(name, '', 0));
}

function cookieWith(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Strict`;
}

function cookieOf({ header }: PublicCall, sessionId: string): string | undefined {
  return cookieIn(header('cookie'), cookieNameOf(sessionId));
}
