import { isConnectorError, type Clock } from '@patchbay/connectors';
import { FailedAttempts } from '../access/failed-attempts.ts';
import { CALLBACK_PATH, START_PATH, type Consents } from '../consent/consents.ts';
import { ConsentStop } from '../consent/consent-stop.ts';
import { MAX_CODE } from '../consent/callback.ts';
import { isSecret, SECRET } from '../random-secret.ts';
import { PAGE_HEADERS, consentPageAnswer, startPage, stopPage } from './consent-pages.ts';
import type { Answer, PublicCall, Route } from './route.ts';

const TAG = 'Consent';
/** Of one address in a minute: several people may come by the same proxy, each with an old tab or two. */
const UNKNOWN_STATES = 60;

const PAGE = { 'text/html': undefined };
const SECRET_TEXT = { type: 'string', pattern: SECRET.source } as const;

interface ConsentPageParts {
  readonly consents: Pick<Consents, 'show' | 'goOn' | 'recognise' | 'finish'>;
  readonly clock: Clock;
}

/**
 * What the browser of a person sees of a consent: pages without script, and redirects. Their queries are
 * in no log.
 *
 * @see docs/wire.md#oauth-consent
 */
export function consentPageRoutes({ consents, clock }: ConsentPageParts): readonly Route[] {
  const failed = new FailedAttempts(clock, UNKNOWN_STATES);
  return [
    {
      method: 'GET',
      path: START_PATH,
      hasEffect: true,
      reach: 'public',
      waitsFor: 'database',
      doc: {
        summary: 'The page on which a person goes on to the vendor',
        tag: TAG,
        query: [
          { name: 'state', doc: 'Of `consent_url`.', schema: SECRET_TEXT },
          { name: 'press', doc: 'Of the button of that page.', schema: SECRET_TEXT },
        ],
        type: 'text/html',
        further: { '303': PAGE, default: PAGE },
      },
      handle: (call) => guarded(call, failed, () => start(consents, call)),
    },
    {
      method: 'GET',
      path: CALLBACK_PATH,
      hasEffect: true,
      reach: 'public',
      waitsFor: 'upstream',
      doc: {
        summary: 'Where vendors send people back to: the redirect URL of every OAuth app',
        tag: TAG,
        query: [
          { name: 'state', doc: 'From the vendor.', schema: SECRET_TEXT },
          {
            name: 'code',
            doc: 'From the vendor.',
            schema: { type: 'string', minLength: 1, maxLength: MAX_CODE },
          },
          { name: 'error', doc: 'From the vendor.', schema: { type: 'string' } },
        ],
        status: 303,
        type: 'text/html',
        further: { default: PAGE },
      },
      lookUp: (call) =>
        guarded(call, failed, () => consents.recognise(call.query, call.header('cookie'))),
      handle: (call) =>
        guarded(call, failed, async () =>
          redirect(await consents.finish(call.query, call.header('cookie'))),
        ),
    },
  ];
}

async function start(
  consents: Pick<Consents, 'show' | 'goOn'>,
  { query: { state, press }, header }: PublicCall,
): Promise<Answer> {
  const isPress = press === undefined || (typeof press === 'string' && isSecret(press));
  if (typeof state !== 'string' || !isSecret(state) || !isPress) throw new ConsentStop('malformed');
  const cookies = header('cookie');
  if (press !== undefined) return redirect(await consents.goOn({ state, press }, cookies));
  const shown = await consents.show(state, cookies);
  return consentPageAnswer(200, startPage(shown.view), { 'set-cookie': [...shown.cookies] });
}

function redirect({ location, cookie }: { readonly location: string; readonly cookie: string }) {
  const headers = { ...PAGE_HEADERS, location, 'set-cookie': cookie };
  return { status: 303, text: '', type: 'text/html; charset=utf-8', headers };
}

/** Answers with a page what a person can do something about. */
async function guarded<T>(
  call: PublicCall,
  failed: FailedAttempts,
  run: () => Promise<T>,
): Promise<T | Answer> {
  try {
    return await run();
  } catch (error) {
    const found = stopOf(error);
    if (found === undefined) throw error;
    const isTooMany = found.reason === 'unknown' && failed.secondsToWait(call.address) > 0;
    const stop = isTooMany ? new ConsentStop('too_many') : found;
    call.log.code = stop.reason;
    return stopPage(stop);
  }
}

function stopOf(error: unknown): ConsentStop | undefined {
  if (error instanceof ConsentStop) return error;
  if (!isConnectorError(error, 'oauth_not_configured')) return undefined;
  return new ConsentStop('not_configured');
}
