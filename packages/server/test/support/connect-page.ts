import assert from 'node:assert/strict';
import { textAt, type TestAnswer, type TestRequest } from './http-client.ts';
import type { TestService } from './start-test-service.ts';

/** A browser that has the connect page open: it keeps cookies, and says which page it is. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  send(method: string, path: string, request?: TestRequest): Promise<TestAnswer>;
  /** Opens a link; without an attempt of its own unless said. */
  open(connectUrl: string, attempt?: string): Promise<TestAnswer>;
  view(sessionId: string): Promise<TestAnswer>;
  /** Enters credentials: for a Slack with a token unless said. */
  submit(sessionId: string, changes?: Readonly<Record<string, unknown>>): Promise<TestAnswer>;
  consent(sessionId: string, body?: Readonly<Record<string, unknown>>): Promise<TestAnswer>;
}

export function makeBrowser({ send, service }: Pick<TestService, 'send' | 'service'>): TestBrowser {
  const cookies = new Map<string, string>();
  const asPage: TestBrowser['send'] = async (method, path, request = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await send(method, path, {
      ...request,
      headers: {
        ...(method === 'GET' ? {} : { origin: service.url }),
        'sec-fetch-site': 'same-origin',
        ...(cookie === '' ? {} : { cookie }),
        ...request.headers,
      },
    });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      if (/;\s*max-age=0\s*(?:;|$)/i.test(set)) cookies.delete(name);
      else cookies.set(name, pair.slice(at + 1));
    }
    return answer;
  };
  return {
    cookies,
    send: asPage,
    open: (url, attempt) =>
      asPage('POST', item('open'), { body: { secret: secretOf(url), attempt } }),
    view: (id) => asPage('GET', item(id)),
    submit: (id, changes) => asPage('POST', item(id, '/credentials'), { body: entry(changes) }),
    consent: (id, body = { connector_type: 'chat-workspace' }) =>
      asPage('POST', item(id, '/consent'), { body }),
  };
}

/** What a form sends, in which nothing is missing. */
export function entry(
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    connector_type: 'chat-workspace',
    method: 'token',
    credentials: { api_token: 'xoxb-test' },
    config: {},
    ...changes,
  };
}

/** The secret in the fragment of a link. */
export function secretOf(connectUrl: string): string {
  const { hash, pathname, search } = new URL(connectUrl);
  assert.equal(pathname + search, '/connect', 'nothing else is in the link');
  assert.match(hash, /^#[A-Za-z0-9_-]{43}$/);
  return hash.slice(1);
}

/** Makes a session; returns its id and its link. */
export async function makeSession(
  { send }: Pick<TestService, 'send'>,
  token: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly url: string }> {
  const answer = await send('POST', '/v1/connect-sessions', {
    token,
    body: { external_user_id: 'alice', ...body },
  });
  assert.equal(answer.status, 201, answer.text);
  return { id: textAt(answer, 'id'), url: textAt(answer, 'connect_url') };
}

function item(id: string, what = ''): string {
  return `/connect/sessions/${id}${what}`;
}
