import { IntercomClient, IntercomError } from 'intercom-client';

import type { Sandbox } from '../src/index.ts';
import { field, objects, text, TOKEN } from './support.ts';
import type { RawAnswer } from './support.ts';

/** Intercom's own client, without retries. */
export function intercomClient(sandbox: Sandbox, token = TOKEN): IntercomClient {
  return new IntercomClient({
    baseUrl: sandbox.urls.intercom,
    token,
    version: '2.11',
    maxRetries: 0,
  });
}

/** Sends a GET without a client library. */
export async function intercomGet(
  sandbox: Sandbox,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  return await answered(
    fetch(`${sandbox.urls.intercom}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    }),
  );
}

/** Sends a POST without a client library; a body that is text goes out as it is. */
export async function intercomPost(
  sandbox: Sandbox,
  path: string,
  body: Readonly<Record<string, unknown>> | string,
): Promise<RawAnswer> {
  return await answered(
    fetch(`${sandbox.urls.intercom}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
}

/** Reads every record of a list or search by its cursors; fails on an endless one. */
export async function everyRecord(
  read: (cursor: string) => Promise<RawAnswer>,
  records: string,
): Promise<readonly Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  let cursor = '';
  for (let page = 1; page < 200; page += 1) {
    const { body } = await read(cursor);
    all.push(...objects(body[records]));
    const next = field(body, 'pages', 'next', 'starting_after');
    if (typeof next !== 'string') return all;
    cursor = next;
  }
  throw new Error('the list does not end');
}

/** The status and code of a refusal that came as an answer. */
export function refusalOf({ status, body }: RawAnswer): string {
  return `${String(status)} ${text(objects(body['errors'])[0], 'code')}`;
}

/** The status and code of a refusal that Intercom's client threw; fails without one. */
export async function thrownRefusal(call: PromiseLike<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof IntercomError)) throw error;
    const code = text(objects(field(error.body, 'errors'))[0], 'code');
    return `${String(error.statusCode)} ${code}`;
  }
  throw new Error('the call was not refused');
}

async function answered(request: Promise<Response>): Promise<RawAnswer> {
  const response = await request;
  const whole = await response.text();
  const { status, headers } = response;
  return { status, headers, text: whole, body: parseObject(whole) };
}

function parseObject(whole: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(whole);
    return objects([parsed])[0] ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
