import { createHash } from 'node:crypto';
import { curlLine } from './curl-line.ts';
import { escapeHtml as escape } from './html.ts';
import type { PublicCall, Route } from './route.ts';
import { object } from './schemas.ts';
import type { ServiceState } from './system-routes.ts';

/** The page has one style of its own, which stands in it, and loads nothing at all. */
const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 2rem 1rem;
  color: light-dark(#1b1f24, #e6e8eb); background: light-dark(#fff, #16191d); }
h1 { margin: 0; font-size: 1.75rem; }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
p, ul { margin: .5rem 0; }
ul { padding-left: 1.25rem; }
a { color: light-dark(#1a56b0, #8ab8ff); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .75rem 1rem; border-radius: .5rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere;
  background: light-dark(#f1f3f5, #23282e); }
.aside { color: light-dark(#57606a, #a4adb7); }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface HomeParts {
  readonly version: string;
  readonly state: () => Promise<ServiceState>;
  /** Where browsers reach the service, as the operator says or as it listens; absent where nobody knows. */
  readonly publicUrl: () => string | undefined;
  /** Names of upstreams that stand in for those of the vendors, as the operator's settings call them. */
  readonly standIns: readonly string[];
  /** Whether the console is built. */
  readonly hasConsole: boolean;
}

const LINKS = { docs: '/docs', openapi: '/openapi.json', ready: '/readyz' };

/** What people find who open the address of the service, and programs that do. */
export function homeRoutes(parts: HomeParts): readonly Route[] {
  const headers = {
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    vary: 'accept',
  };
  const text = { type: 'string' };
  return [
    {
      method: 'GET',
      path: '/',
      reach: 'public',
      doc: {
        summary: 'What this is, as a page or as JSON',
        tag: 'System',
        answer: object({
          name: { type: 'string', examples: ['Patchbay'] },
          version: text,
          links: object({ docs: text, openapi: text, ready: text }),
        }),
        further: { '200': { 'text/html': undefined } },
      },
      handle: async (call) =>
        wantsPage(call)
          ? {
              status: 200,
              text: homePage(parts, await parts.state()),
              type: 'text/html; charset=utf-8',
              headers,
            }
          : {
              status: 200,
              body: { name: 'Patchbay', version: parts.version, links: LINKS },
              headers: { vary: 'accept' },
            },
    },
  ];
}

function wantsPage({ header }: PublicCall): boolean {
  return /\btext\/html\b/i.test(header('accept') ?? '');
}

function homePage(
  { version, publicUrl, standIns, hasConsole }: HomeParts,
  state: ServiceState,
): string {
  const url = publicUrl();
  const login = curlLine({
    method: 'POST',
    path: '/api/v1/account/applications/token',
    body: { client_id: 'CLIENT_ID', client_secret: 'CLIENT_SECRET' },
    needsToken: false,
  });
  const where =
    url === undefined
      ? '<p>Set <code>PATCHBAY_BASE_URL</code> to the address of this page, without the slash at its end.</p>'
      : '';
  const setting = url === undefined ? '' : `export PATCHBAY_BASE_URL=${url}\n`;
  const links = [
    ['/docs', 'Reference', 'every route with examples, to be tried out with a token'],
    ['/openapi.json', 'OpenAPI document', 'the same for programs'],
    ...(hasConsole ? [['/console', 'Console', 'applications, connectors and what they do']] : []),
  ].map(([path = '', name, what]) => `<li><a href="${path}">${name}</a>: ${what}</li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Patchbay</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Patchbay</h1>
<p>AI agents and programs read from, search and write to business systems here, through one call shape: <code>execute(entity, action, params)</code>. <span class="aside">Version ${escape(version)}.</span></p>
<h2>State</h2>
<ul>
${stateLines(state, standIns)
  .map((line) => `<li>${escape(line)}</li>`)
  .join('\n')}
</ul>
<h2>Where to go</h2>
<ul>
${links.join('\n')}
</ul>
<p><code>/connect</code> is where an external user connects an account. It opens from a link that an application makes for that person, so it shows nothing by itself.</p>
<h2>How to get a token</h2>
<p>Every call but this page and its like needs one. A backend logs in with the client id and secret of its application, and gets an application token, good for 15 minutes:</p>
${where}<pre>${escape(setting + login)}</pre>
<p>Who started the service has both: the first start told where they are. From an application token come tokens for one external user: <code>POST /api/v1/account/applications/scoped-token</code>.</p>
</main>
</body>
</html>
`;
}

/** In words; nothing that only those with a token should know. */
function stateLines(state: ServiceState, standIns: readonly string[]): readonly string[] {
  return [
    state.isReady ? 'Ready: it answers calls.' : `Not ready. ${state.problem}`,
    ...(state.isReady ? [DATABASES[state.readiness.database] ?? ''] : []),
    ...(state.isReady ? [copying(state.readiness.workers)] : []),
    standIns.length === 0
      ? 'Calls go to the real systems.'
      : `In place of the real systems, calls go to: ${standIns.join(', ')}.`,
  ];
}

const DATABASES: Readonly<Record<string, string>> = {
  embedded: 'The database is embedded: one process, one folder.',
  postgresql: 'The database is a PostgreSQL server, and answers.',
};

function copying(workers: number): string {
  return workers === 0
    ? 'No process copies records, so searches find nothing new.'
    : 'Records are copied for searches.';
}
