import { hash } from 'node:crypto';
import { visibleText } from '../visible-text.ts';
import { escapeHtml } from './html.ts';
import type { Answer } from './route.ts';
import type { ConsentStop } from '../consent/consent-stop.ts';
import type { StartView } from '../consent/consents.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1d21; --quiet: #565b64; --paper: #fff; --edge: #d5d8dd; --go: #1d4ed8; --on-go: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef1; --quiet: #a5abb5; --paper: #17191d; --edge: #3a3f47; --go: #8ab0ff; --on-go: #10131a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { width: 100%; max-width: 28rem; padding: 1.5rem; border: 1px solid var(--edge); border-radius: .75rem; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.25; }
dl { margin: 0 0 1rem; }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0 0 .5rem; font-weight: 600; }
p { margin: 0 0 1rem; }
.quiet { color: var(--quiet); font-size: .875rem; margin: 1rem 0 0; }
a.go { display: block; padding: .75rem 1rem; border-radius: .5rem; background: var(--go); color: var(--on-go); text-align: center; text-decoration: none; font-weight: 600; }
a.go:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
`;

/** The pages have no script, load nothing, and lie in no frame; their addresses are told to nobody. */
export const PAGE_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
} as const;

const HTML = 'text/html; charset=utf-8';

/** The page on which a person reads who asks for what, and goes on to the vendor. */
export function startPage(view: StartView): string {
  const { applicationName, user, vendorName, subdomain, isReconnect, goOnUrl } = view;
  const verb = isReconnect ? 'Reconnect' : 'Connect';
  const account =
    subdomain === undefined ? '' : `<dt>Account</dt><dd>${escapeHtml(subdomain)}</dd>`;
  return page(`${verb} ${vendorName}`, [
    `<dl><dt>Asked by</dt><dd><bdi>${escapeHtml(applicationName)}</bdi></dd>`,
    `<dt>For</dt><dd><bdi>${escapeHtml(visibleText(shortened(user)))}</bdi></dd>${account}</dl>`,
    `<p>${escapeHtml(vendorName)} will ask you whether to allow it. Nothing is connected before you agree there.</p>`,
    `<a class="go" href="${escapeHtml(goOnUrl)}" rel="noreferrer">Continue to ${escapeHtml(vendorName)}</a>`,
    `<p class="quiet">Did you not ask for this yourself, or are you somebody else? Then close this page: <bdi>${escapeHtml(applicationName)}</bdi> will use what you connect on behalf of the person above.</p>`,
  ]);
}

const MAX_USER = 200;

/** An external user id may have thousands of characters. */
function shortened(text: string): string {
  return text.length > MAX_USER ? `${text.slice(0, MAX_USER).toWellFormed()}…` : text;
}

/** The page that a person stands before who cannot be sent on. */
export function stopPage({ status, message, advice }: ConsentStop): Answer {
  const text = page(message, [`<p>${escapeHtml(advice)}</p>`]);
  return consentPageAnswer(status, text);
}

/** An answer that is a page. */
export function consentPageAnswer(
  status: number,
  text: string,
  headers: NonNullable<Answer['headers']> = {},
): Answer {
  return { status, text, type: HTML, headers: { ...PAGE_HEADERS, ...headers } };
}

/** `title` is text, the parts of `body` are HTML. */
function page(title: string, body: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>
<h1>${escapeHtml(title)}</h1>
${body.join('\n')}
</main></body>
</html>
`;
}
