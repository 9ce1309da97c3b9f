import type { Contract } from './contract.ts';

/** One answer, read whole. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `undefined` where it is empty or no JSON. */
  readonly body: unknown;
}

export interface TestRequest {
  readonly token?: string | undefined;
  /** Goes out as JSON; strings and bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends requests to one base URL. */
export type TestClient = (
  method: string,
  path: string,
  request?: TestRequest,
) => Promise<TestAnswer>;

/** @param contract What every exchange is held against. */
export function makeClient(baseUrl: string, contract?: Contract): TestClient {
  return async (method, path, { token, body, headers, signal } = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: bytesOf(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const { status, headers: answered } = response;
    const answer = { status, headers: answered, text, body: parse(text) };
    contract?.({ method, path: new URL(baseUrl + path).pathname, body, answer });
    return answer;
  };
}

/** A member of a JSON answer, by dotted path; array indexes count as names. */
export function at(answer: Pick<TestAnswer, 'body'>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  }, answer.body);
}

/** A member that must be a string. */
export function textAt(answer: Pick<TestAnswer, 'body' | 'text'>, path: string): string {
  const value = at(answer, path);
  if (typeof value !== 'string') throw new Error(`no text at ${path} of ${answer.text}`);
  return value;
}

function bytesOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  return JSON.stringify(body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
