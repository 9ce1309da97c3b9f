import type { UpstreamAnswer } from '../upstream.ts';
import type { Person } from './grant.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { OAuthErrors } from './oauth-endpoints.ts';

/** What a consent page says. */
export interface ConsentPage {
  /** The vendor's name for people. */
  readonly vendor: string;
  readonly client: OAuthClient;
  readonly scopes: string;
  readonly people: readonly Person[];
}

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:34rem;padding:1rem}' +
  'fieldset{margin:1rem 0}label{display:block;padding:.25rem 0}button{font:inherit;padding:.5rem 1rem}';

/**
 * The page on which a person allows an app, or does not. Its form is sent to the page's own address,
 * with `person` and `decision` (`allow` or `deny`).
 */
export function consentPage({ vendor, client, scopes, people }: ConsentPage): UpstreamAnswer {
  const choices = people.map(({ id, name, account }, position) => {
    const checked = position === 0 ? ' checked' : '';
    return (
      `<label><input type="radio" name="person" value="${escapeHtml(id)}"${checked}> ` +
      `${escapeHtml(name)}, ${escapeHtml(account.name)}</label>`
    );
  });
  return page(200, `Allow ${client.name}?`, [
    `<p>This is the sandbox, which plays ${escapeHtml(vendor)}: everything in it is invented.</p>`,
    `<p>${escapeHtml(client.name)} asks for: <b>${escapeHtml(scopes)}</b></p>`,
    '<form method="post">',
    `<fieldset><legend>Who are you?</legend>${choices.join('')}</fieldset>`,
    '<button name="decision" value="allow">Allow</button>',
    '<button name="decision" value="deny">Deny</button>',
    '</form>',
  ]);
}

/** Faults as people meet them who stand before a page. */
export const PAGE_ERRORS: OAuthErrors = {
  notFound: () => page(404, 'There is no such page', []),
  injected: ({ code, status = 400 }) => page(status, code, []),
  rateLimited: (retryAfterSeconds) => {
    const { headers, ...answer } = page(429, 'Too many requests', []);
    return { ...answer, headers: [...headers, 'retry-after', String(retryAfterSeconds)] };
  },
  failed: (status) => page(status, 'Something went wrong', []),
};

/** The page that says why an app cannot be allowed; it leads nowhere. */
export function refusalPage(problem: string): UpstreamAnswer {
  return page(400, 'This app cannot be allowed', [`<p>${escapeHtml(problem)}</p>`]);
}

/** Sends the browser back to the app. */
export function redirectTo(uri: string, params: Readonly<Record<string, string>>): UpstreamAnswer {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  const headers = ['location', url.href, 'cache-control', 'no-store'];
  return { status: 302, headers, body: Buffer.alloc(0) };
}

function page(status: number, title: string, body: readonly string[]): UpstreamAnswer {
  const html = [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${escapeHtml(title)}</h1>`,
    ...body,
    '</main></body></html>',
    '',
  ].join('\n');
  const headers = [
    'content-type',
    'text/html; charset=utf-8',
    'cache-control',
    'no-store',
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  ];
  return { status, headers, body: Buffer.from(html) };
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
