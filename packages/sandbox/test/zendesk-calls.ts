import zendesk from 'node-zendesk';

import type { Sandbox } from '../src/index.ts';
import { field, objects, TOKEN } from './support.ts';

/** An answer read whole. */
export interface ZendeskAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: unknown;
}

/** Basic credentials, as Zendesk takes API tokens. */
export function basic(token: string): string {
  return `Basic ${Buffer.from(`agent@example.com/token:${token}`).toString('base64')}`;
}

/** Sends a GET to an absolute address. */
export async function getUrl(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ZendeskAnswer> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
  });
  const text = await response.text();
  const { status, headers: answered } = response;
  return { status, headers: answered, text, body: parseJson(text) };
}

/** Asks Zendesk Support for a path such as `/tickets.json`. */
export async function support(
  sandbox: Sandbox,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ZendeskAnswer> {
  return await getUrl(`${sandbox.urls.zendeskSupport}${path}`, headers);
}

/** Asks Zendesk Chat for a path such as `/agents`. */
export async function chat(
  sandbox: Sandbox,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ZendeskAnswer> {
  return await getUrl(`${sandbox.urls.zendeskChat}${path}`, headers);
}

/** A third-party client of Zendesk Support. */
export function zendeskClient(sandbox: Sandbox, token = TOKEN) {
  return zendesk.createClient({
    username: 'agent@example.com',
    token,
    endpointUri: sandbox.urls.zendeskSupport,
    throwOriginalException: true,
  });
}

/** Reads every record of a list, page by page along the links it gives. */
export async function followLinks(
  sandbox: Sandbox,
  path: string,
  records: string,
  linkPath: readonly string[],
): Promise<{ readonly all: readonly Record<string, unknown>[]; readonly pages: number }> {
  const all: Record<string, unknown>[] = [];
  let url: string | undefined = `${sandbox.urls.zendeskSupport}${path}`;
  let pages = 0;
  while (url !== undefined) {
    const { body, status, text } = await getUrl(url);
    if (status !== 200) throw new Error(text);
    all.push(...objects(field(body, records)));
    pages += 1;
    const link = field(body, ...linkPath);
    const isLast = field(body, 'meta', 'has_more') === false;
    url = typeof link === 'string' && !isLast ? link : undefined;
  }
  return { all, pages };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
