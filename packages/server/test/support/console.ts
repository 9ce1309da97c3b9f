import assert from 'node:assert/strict';
import { makeBrowser } from './connect-page.ts';
import { textAt, type TestAnswer, type TestRequest } from './http-client.ts';
import type { TestService } from './start-test-service.ts';

type Json = Readonly<Record<string, unknown>>;

/** A browser that has the console open: it keeps cookies, and says which page it is. */
export interface ConsoleBrowser {
  readonly cookies: Map<string, string>;
  signIn(body: Json, headers?: TestRequest['headers']): Promise<TestAnswer>;
  session(): Promise<TestAnswer>;
  signOut(): Promise<TestAnswer>;
  askToken(body?: Json): Promise<TestAnswer>;
  /** A token, which there must be. */
  token(body?: Json): Promise<string>;
}

export function openConsole(running: Pick<TestService, 'send' | 'service'>): ConsoleBrowser {
  const browser = makeBrowser(running);
  const { cookies } = browser;
  const askToken = (body: Json = {}) => browser.send('POST', '/console/token', { body });
  return {
    cookies,
    signIn: (body, headers = {}) => browser.send('POST', '/console/session', { body, headers }),
    session: () => browser.send('GET', '/console/session'),
    signOut: () =>
      browser.send('DELETE', '/console/session', {
        headers: { 'content-type': 'application/json' },
      }),
    askToken,
    token: async (body) => {
      const answer = await askToken(body);
      assert.equal(answer.status, 200, answer.text);
      return textAt(answer, 'token');
    },
  };
}

/** The body that signs an application in. */
export function asClient({ clientId, clientSecret }: TestService['client']): Json {
  return { client_id: clientId, client_secret: clientSecret };
}

/** The secret in a link that a start prints. */
export function linkSecret(link: string | undefined): string {
  assert.ok(link !== undefined, 'there is no link');
  return new URL(link).hash.slice(1);
}
