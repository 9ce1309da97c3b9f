import { ConnectorError } from '@patchbay/connectors';
import type { Route } from './route.ts';
import { assetAnswer, pageAnswer, type StaticPage } from './static-page.ts';

/**
 * Everything comes from this origin, but the logo of an application: the page is the same for all
 * sessions, so the origin of one cannot be named here, and an image over https does nothing but show.
 * No form is ever sent by the browser itself.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  // The address of the page holds the secret of a session until it is opened.
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  // Any other value would cut a pop-up off from the page that opened it and waits for its message.
  'cross-origin-opener-policy': 'unsafe-none',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const NOT_BUILT =
  'The connect page is not built. Run "npm run build --workspace @patchbay/connect", then start the service again.';

/**
 * The static files of the connect page. It is one page for everybody: which session it is for stands
 * in its address, and what it shows it asks `/connect/sessions` for.
 *
 * @param built Nothing where it is not built: the routes then say what to run.
 */
export function connectPageRoutes(built: StaticPage | undefined): readonly Route[] {
  const required = (): StaticPage => {
    if (built === undefined) throw new ConnectorError('not_ready', {}, { message: NOT_BUILT });
    return built;
  };
  return [
    {
      method: 'GET',
      path: '/connect',
      reach: 'public',
      doc: {
        summary: 'The page on which an end user connects an account',
        tag: 'Connect page',
        type: 'text/html',
      },
      handle: () => pageAnswer(required().document, PAGE_HEADERS),
    },
    {
      method: 'GET',
      path: '/connect/assets/:file',
      reach: 'public',
      doc: { summary: 'A part of that page', tag: 'Connect page', type: '*/*', isTagged: true },
      handle: ({ params }) => assetAnswer(required(), params['file']),
    },
  ];
}
