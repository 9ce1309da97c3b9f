import assert from 'node:assert/strict';
import type { ConnectorKind } from '@patchbay/connectors';
import { allKinds } from '@patchbay/connectors/engine';
import {
  startSandbox,
  type OAuthVendor,
  type Sandbox,
  type SandboxOptions,
} from '@patchbay/sandbox';
import type { OperatorApps, ServiceOptions, UpstreamSettings } from '../../src/index.ts';
import { textAt } from './http-client.ts';
import type { TestService } from './start-test-service.ts';

/** Where the application has people come back to; nothing answers there. */
export const BACK = 'http://127.0.0.1:1/back';

export const INITIATE = '/v1/integrations/connectors/oauth/initiate';

/** What the sandbox calls the vendor of each kind, and where it is. */
const VENDORS = {
  'chat-workspace': { vendor: 'slack', url: 'slack' },
  'support-chat': { vendor: 'zendeskChat', url: 'zendeskChat' },
  'customer-messaging': { vendor: 'intercom', url: 'intercom' },
  'support-ticketing': { vendor: 'zendeskSupport', url: 'zendeskSupport' },
} as const satisfies Record<string, { vendor: OAuthVendor; url: keyof Sandbox['urls'] }>;

export type KindName = keyof typeof VENDORS;
export const KIND_NAMES = Object.keys(VENDORS) as readonly KindName[];

/** Settings with which people can consent to all kinds, at the sandbox. */
export function consentOptions(sandbox: Sandbox): Partial<ServiceOptions> & {
  readonly oauthApps: OperatorApps;
} {
  const upstreams: UpstreamSettings = Object.fromEntries(
    KIND_NAMES.map((kind) => [
      kind,
      { baseUrl: sandbox.urls[VENDORS[kind].url], label: 'sandbox', limits: 'reactive' },
    ]),
  );
  const oauthApps: OperatorApps = Object.fromEntries(
    KIND_NAMES.map((kind) => [kind, appOf(sandbox, kind)]),
  );
  return { upstreams, oauthApps };
}

/** The first app that is registered with the vendor of a kind. */
export function appOf(sandbox: Sandbox, kind: KindName) {
  const [client] = sandbox.oauth.servers[VENDORS[kind].vendor].clients;
  return { clientId: client?.clientId ?? '', clientSecret: client?.clientSecret ?? '' };
}

/** Those who can consent at the vendor of a kind. */
export function peopleOf(sandbox: Sandbox, kind: KindName) {
  return sandbox.oauth.servers[VENDORS[kind].vendor].people;
}

export function kindOf(name: KindName): ConnectorKind {
  const kind = allKinds().find((each) => each.kind === name);
  assert.ok(kind);
  return kind;
}

/** A sandbox with little in it. */
export async function smallSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ scale: 10, ...options });
}

/** An answer, as a browser has it that follows nothing. */
export interface BrowserAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Where it leads; `undefined` for a page. */
  readonly location: string | undefined;
}

/** A browser as far as consent needs one: it keeps cookies, as `__Host-` ones are kept. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  /** Every address that it has been at. */
  readonly visited: string[] = [];

  async open(url: string, init: RequestInit = {}): Promise<BrowserAnswer> {
    this.visited.push(url);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, redirect: 'manual', headers });
    for (const set of response.headers.getSetCookie()) this.#keep(set);
    return {
      status: response.status,
      text: await response.text(),
      headers: response.headers,
      location: response.headers.get('location') ?? undefined,
    };
  }

  /** Presses the button of our page; returns where that leads: to the vendor. */
  async goOn(consentUrl: string): Promise<string> {
    const page = await this.open(consentUrl);
    assert.equal(page.status, 200, page.text);
    const href = /<a class="go" href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
    assert.ok(href !== undefined, page.text);
    const next = await this.open(href);
    assert.equal(next.status, 303, next.text);
    assert.ok(next.location !== undefined);
    return next.location;
  }

  /** Decides on the page of the sandbox; returns the callback that it leads back to. */
  async decide(
    authorizeUrl: string,
    personId: string,
    decision: 'allow' | 'deny' = 'allow',
  ): Promise<string> {
    const body = new URLSearchParams({ person: personId, decision });
    const answer = await this.open(authorizeUrl, { method: 'POST', body });
    assert.equal(answer.status, 302, answer.text);
    assert.ok(answer.location !== undefined);
    return answer.location;
  }

  #keep(set: string): void {
    const [pair = '', ...attributes] = set.split(';').map((each) => each.trim());
    const [name = '', value = ''] = pair.split('=');
    const has = (attribute: string) => attributes.includes(attribute);
    assert.ok(name.startsWith('__Host-'), name);
    for (const needed of ['Secure', 'HttpOnly', 'Path=/', 'SameSite=Lax'])
      assert.ok(has(needed), set);
    if (has('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** Asks for consent, and returns the address to send a person to. */
export async function initiate(
  running: Pick<TestService, 'send'>,
  token: string,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  const answer = await running.send('POST', INITIATE, {
    token,
    body: { external_user_id: 'user-1', redirect_url: BACK, ...body },
  });
  assert.equal(answer.status, 200, answer.text);
  return textAt(answer, 'consent_url');
}

/** Where a person ends up who consents, from the first page to the last redirect. */
export async function consentTo(
  consentUrl: string,
  personId: string,
  {
    browser = new TestBrowser(),
    decision = 'allow',
  }: { readonly browser?: TestBrowser; readonly decision?: 'allow' | 'deny' } = {},
): Promise<URL> {
  const authorizeUrl = await browser.goOn(consentUrl);
  const back = await browser.open(await browser.decide(authorizeUrl, personId, decision));
  assert.equal(back.status, 303, back.text);
  return new URL(back.location ?? '');
}
