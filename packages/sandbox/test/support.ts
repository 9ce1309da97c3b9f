import assert from 'node:assert/strict';
import { LogLevel, WebClient } from '@slack/web-api';
import type {
  ChatPostMessageArguments,
  ChatPostMessageResponse,
  WebClientOptions,
} from '@slack/web-api';

import { startSandbox } from '../src/index.ts';
import type { Sandbox, SandboxOptions } from '../src/index.ts';

/** Accepted by the sandbox, and nothing like a real token. */
export const TOKEN = 'sandbox-token';

/** Starts a small sandbox, to be closed by the test: `await using sandbox = …`. */
export async function sandboxForTest(options: SandboxOptions = {}): Promise<Sandbox> {
  return await startSandbox({ seed: 7, scale: 60, ...options });
}

/** A sandbox of a million of everything, of which nothing was made before it is asked for. */
export async function startHuge(): Promise<Sandbox> {
  const before = process.memoryUsage().heapUsed;
  const sandbox = await startSandbox({ scale: 1_000_000 });
  // A million users alone would take ten times as much.
  assert.ok(process.memoryUsage().heapUsed - before < 50_000_000);
  return sandbox;
}

/** Slack's own client, without retries and log output. */
export function slackClient(
  sandbox: Sandbox,
  token = TOKEN,
  options: WebClientOptions = {},
): WebClient {
  return new WebClient(token, {
    slackApiUrl: `${sandbox.urls.slack}/`,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: SILENT,
    ...options,
  });
}

/** Posts a message with Slack's client. */
export async function postMessage(
  client: WebClient,
  message: ChatPostMessageArguments,
): Promise<ChatPostMessageResponse> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window's method
  return await client.chat.postMessage(message);
}

/** An answer read whole. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON object. */
  readonly body: Record<string, unknown>;
}

/** Sends a request without a client library. */
export async function rawCall(
  sandbox: Sandbox,
  method: string,
  init: RequestInit = {},
): Promise<RawAnswer> {
  const response = await fetch(`${sandbox.urls.slack}/${method}`, {
    ...init,
    headers: { authorization: `Bearer ${TOKEN}`, ...headersOf(init) },
  });
  const whole = await response.text();
  const { status, headers } = response;
  return { status, headers, text: whole, body: parseObject(whole) };
}

/** Posts a JSON body and returns the parsed answer. */
export async function jsonCall(
  sandbox: Sandbox,
  method: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const answer = await rawCall(sandbox, method, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(args),
  });
  return answer.body;
}

/** The code with which a call was refused; fails when it was not. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error && 'data' in error) {
      const code = field(error.data, 'error');
      if (typeof code === 'string') return code;
    }
    throw error;
  }
  throw new Error('the call was not refused');
}

/** Reads every record of a paged method, and the size of each page. */
export async function readAll(
  client: WebClient,
  method: string,
  options: Readonly<Record<string, unknown>>,
  records: string,
): Promise<{
  readonly all: readonly Record<string, unknown>[];
  readonly pages: readonly number[];
}> {
  const all: Record<string, unknown>[] = [];
  const pages: number[] = [];
  for await (const page of client.paginate(method, { ...options })) {
    const found = objects(field(page, records));
    pages.push(found.length);
    all.push(...found);
  }
  return { all, pages };
}

/** A field of any JSON value, by its path; undefined when there is none. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = new Map<string, unknown>(Object.entries(found)).get(name);
  }
  return found;
}

/** A text field of any JSON value; fails when there is none. */
export function text(value: unknown, ...path: readonly string[]): string {
  const found = field(value, ...path);
  if (typeof found !== 'string') throw new Error(`no text at ${path.join('.')}`);
  return found;
}

/** The objects of an array; an empty list for anything else. */
export function objects(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item: unknown) => asObject(item)) : [];
}

function parseObject(body: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(body));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function headersOf(init: RequestInit): Record<string, string> {
  return Object.fromEntries(new Headers(init.headers).entries());
}

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};
