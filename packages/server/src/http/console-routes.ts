import { ConnectorError } from '@patchbay/connectors';
import { routeNotFound } from './route-not-found.ts';
import type { Route } from './route.ts';
import { assetAnswer, pageAnswer, type StaticPage } from './static-page.ts';

/** What the console is built of sets style attributes; scripts come from files of this origin alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  // The address of the page holds the secret of a link until the page has taken it.
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  // No other site holds on to the window; pop-ups that the console opens for consent may answer it.
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const NOT_BUILT =
  'The console is not built. Run "npm run build --workspace @patchbay/console", then start the service again.';

/** Below `/console`, what is none of its pages. */
const NO_PAGES: ReadonlySet<string> = new Set(['assets', 'session', 'token']);

/**
 * The static files of the web console: one document, which reads from its address which page it shows.
 *
 * @param built Nothing where it is not built: the routes then say what to run.
 */
export function consoleRoutes(built: StaticPage | undefined): readonly Route[] {
  const required = (): StaticPage => {
    if (built === undefined) throw new ConnectorError('not_ready', {}, { message: NOT_BUILT });
    return built;
  };
  const page = () => pageAnswer(required().document, PAGE_HEADERS);
  return [
    {
      method: 'GET',
      path: '/console',
      reach: 'public',
      doc: { summary: 'The web console', tag: 'Console', type: 'text/html' },
      handle: page,
    },
    {
      method: 'GET',
      path: '/console/assets/:file',
      reach: 'public',
      doc: { summary: 'A part of it', tag: 'Console', type: '*/*', isTagged: true },
      handle: ({ params }) => assetAnswer(required(), params['file']),
    },
    {
      method: 'GET',
      path: '/console/*',
      reach: 'public',
      doc: { summary: 'The same, at one of its pages', tag: 'Console', type: 'text/html' },
      handle: ({ params }) => {
        if (NO_PAGES.has(params['*']?.split('/', 1)[0] ?? '')) throw routeNotFound();
        return page();
      },
    },
  ];
}
