import { ConnectorError } from '@patchbay/connectors';
import type { TrialConnector } from '@patchbay/connectors/wire';
import type { ServedKinds } from '../operations/served-kinds.ts';
import { docsReference } from './docs-reference.ts';
import { buildOpenApi } from './openapi.ts';
import type { Route } from './route.ts';
import { SharedText } from './shared-text.ts';
import { assetAnswer, pageAnswer, type StaticPage } from './static-page.ts';

/**
 * The viewer shows its icons from `data:` addresses. It needs no inline style, and compiles nothing; what
 * a person tries out goes to this origin alone.
 */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const ANY_OBJECT = { type: 'object', additionalProperties: true };
const NOT_BUILT =
  'The reference page is not built. Run "npm run build --workspace @patchbay/server", then start the service again.';

export interface DocumentParts {
  readonly version: string;
  readonly kinds: ServedKinds;
  /** Where the operator says the service is. */
  readonly publicUrl: string | undefined;
  /** Connectors that work at once here. */
  readonly trials: readonly TrialConnector[];
  /** The built viewer; nothing where it is not built: the routes then say what to run. */
  readonly page: StaticPage | undefined;
}

/**
 * The OpenAPI document of the given routes and of these, and a page that shows it. The documents are
 * built when they are first asked for.
 */
export function documentRoutes(
  routes: readonly Route[],
  { version, kinds: { all: kinds }, publicUrl, trials, page }: DocumentParts,
): readonly Route[] {
  const required = (): StaticPage => {
    if (page === undefined) throw new ConnectorError('not_ready', {}, { message: NOT_BUILT });
    return page;
  };
  const own: readonly Route[] = [
    {
      method: 'GET',
      path: '/openapi.json',
      reach: 'public',
      doc: {
        summary: 'This interface as OpenAPI 3.1',
        tag: 'System',
        answer: ANY_OBJECT,
        isTagged: true,
      },
      handle: () => ({ status: 200, shared: openApiText() }),
    },
    {
      method: 'GET',
      path: '/docs',
      reach: 'public',
      doc: {
        summary: 'This interface as a page, on which it can be tried out',
        tag: 'System',
        type: 'text/html',
        isTagged: true,
      },
      handle: () => pageAnswer(required().document, PAGE_HEADERS),
    },
    {
      method: 'GET',
      path: '/docs/reference.json',
      reach: 'public',
      doc: {
        summary: 'What that page shows: the same, with an operation for every call of every kind',
        tag: 'System',
        answer: ANY_OBJECT,
        isTagged: true,
      },
      handle: () => ({ status: 200, shared: referenceText() }),
    },
    {
      method: 'GET',
      path: '/docs/assets/:file',
      reach: 'public',
      doc: { summary: 'A part of that page', tag: 'System', type: '*/*', isTagged: true },
      handle: ({ params }) => assetAnswer(required(), params['file']),
    },
  ];
  const openApi = once(() =>
    buildOpenApi([...routes, ...own], version, { kinds, publicUrl, trials }),
  );
  const openApiText = once(() => new SharedText(JSON.stringify(openApi())));
  const referenceText = once(() => new SharedText(JSON.stringify(docsReference(openApi(), kinds))));
  return own;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
