import type { OAuthVendor, Sandbox } from '../src/index.ts';

/** Where consent leads back to in tests; nothing answers there. */
export const CALLBACK = 'http://127.0.0.1:1/callback';

/** What an authorize page is asked, and what a person then does. */
export interface ConsentStep {
  readonly asked: Readonly<Record<string, string>>;
  readonly decision?: 'allow' | 'deny';
  /** The first person by default. */
  readonly personId?: string;
}

/** An answer as JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Opens an authorize page. */
export async function authorizePage(
  sandbox: Sandbox,
  vendor: OAuthVendor,
  asked: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly html: string }> {
  const response = await fetch(authorizeUrl(sandbox, vendor, asked));
  return { status: response.status, html: await response.text() };
}

/** Sends the form of an authorize page, and gives the parameters that the browser comes back with. */
export async function consent(
  sandbox: Sandbox,
  vendor: OAuthVendor,
  { asked, decision = 'allow', personId }: ConsentStep,
): Promise<URLSearchParams> {
  const person = personId ?? sandbox.oauth.servers[vendor].people[0]?.id ?? '';
  const response = await fetch(authorizeUrl(sandbox, vendor, asked), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ person, decision }),
  });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`${String(response.status)} ${await response.text()}`);
  return new URL(location).searchParams;
}

/** Posts a form to an address. */
export async function postForm(
  url: string,
  params: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer> {
  // Without a charset, which Slack warns of.
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(params).toString();
  return await send(url, { method: 'POST', body, headers: { ...type, ...headers } });
}

/** Sends a request, and reads the JSON object of its answer; empty for no JSON. */
export async function send(url: string, init: RequestInit = {}): Promise<JsonAnswer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : {};
  return {
    status: response.status,
    headers: response.headers,
    body: Object.fromEntries(Object.entries(parsed ?? {})),
  };
}

/** The Authorization header of a token. */
export function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

/** A clock that stands until it is moved. */
export function handClock(start = Date.UTC(2026, 5, 1)) {
  let now = start;
  return {
    now: () => now,
    advance: (seconds: number) => {
      now += seconds * 1_000;
    },
  };
}

function authorizeUrl(
  sandbox: Sandbox,
  vendor: OAuthVendor,
  asked: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams(asked).toString();
  return `${sandbox.oauth.servers[vendor].authorizeUrl}?${query}`;
}
