import type { ServedKinds } from '../operations/served-kinds.ts';
import { renderDocs } from './docs-page.ts';
import { buildOpenApi } from './openapi.ts';
import type { Answer, Route } from './route.ts';

const HTML = 'text/html; charset=utf-8';

/** The page needs nothing but its own inline style, so it may load nothing else. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/**
 * The OpenAPI document of the given routes and of these, and a page made from it. Both are built
 * when they are first asked for.
 */
export function documentRoutes(
  routes: readonly Route[],
  version: string,
  { all: kinds }: ServedKinds,
): readonly Route[] {
  const own: readonly Route[] = [
    {
      method: 'GET',
      path: '/openapi.json',
      reach: 'public',
      doc: {
        summary: 'This interface as OpenAPI 3.1',
        tag: 'System',
        answer: { type: 'object', additionalProperties: true },
      },
      handle: (): Answer => ({ status: 200, text: (openApiText ??= JSON.stringify(openApi())) }),
    },
    {
      method: 'GET',
      path: '/docs',
      reach: 'public',
      doc: { summary: 'This interface as a page', tag: 'System', type: 'text/html' },
      handle: (): Answer => ({
        status: 200,
        text: (page ??= renderDocs(openApi(), kinds)),
        type: HTML,
        headers: PAGE_HEADERS,
      }),
    },
  ];
  const openApi = () => buildOpenApi([...routes, ...own], version, kinds);
  let openApiText: string | undefined;
  let page: string | undefined;
  return own;
}
