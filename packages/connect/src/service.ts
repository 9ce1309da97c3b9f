import { attemptOfTab } from './attempt.ts';
import type { ConnectPageSession, Problem } from '@patchbay/connectors/wire';

/** The service understood, and refused. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  /** Whether the same may be answered otherwise in a moment; what went wrong on its side is no word about the session. */
  get isPassing(): boolean {
    const { code, retry } = this.problem;
    return code === 'internal' || retry === 'after' || retry === 'backoff';
  }
}

/** Nobody answered, or not in the words of the service: what became of the request is unknown. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** What is sent where a form is sent. */
export interface Entry {
  readonly connector_type: string;
  readonly method: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly config: Readonly<Record<string, string>>;
}

const SESSIONS = '/connect/sessions';
const READ_TIMEOUT_MS = 15_000;
/** The service asks the vendor meanwhile. */
const CHECK_TIMEOUT_MS = 75_000;

/**
 * Trades the secret of a link for the session, which is this browser's from then on. If the answer is lost, to ask
 * again is the same attempt.
 */
export function openSession(secret: string): Promise<ConnectPageSession> {
  return post<ConnectPageSession>(`${SESSIONS}/open`, { secret, attempt: attemptOfTab() });
}

export function readSession(id: string): Promise<ConnectPageSession> {
  return ask<ConnectPageSession>(`${SESSIONS}/${encodeURIComponent(id)}`, {
    signal: AbortSignal.timeout(READ_TIMEOUT_MS),
  });
}

/** The credentials are tried before anything is stored. */
export function sendCredentials(id: string, entry: Entry): Promise<ConnectPageSession> {
  return post<ConnectPageSession>(`${SESSIONS}/${encodeURIComponent(id)}/credentials`, entry);
}

/** Where the person signs in and consents. */
export async function askConsent(
  id: string,
  request: Pick<Entry, 'connector_type' | 'config'>,
): Promise<string> {
  const answer = await post<{ readonly authorize_url: string }>(
    `${SESSIONS}/${encodeURIComponent(id)}/consent`,
    request,
  );
  return answer.authorize_url;
}

function post<T>(path: string, body: unknown): Promise<T> {
  return ask<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
  });
}

/**
 * @throws Refusal, NoAnswer
 */
async function ask<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(path, { ...init, redirect: 'error', cache: 'no-store' });
    body = await response.json();
  } catch (error) {
    throw new NoAnswer('The service cannot be reached.', { cause: error });
  }
  // Page and service are of one version, so what is no problem is the answer.
  if (response.ok) return body as T;
  if (isProblem(body)) throw new Refusal(body);
  throw new NoAnswer(`Something other than the service answered ${response.status}.`);
}

function isProblem(body: unknown): body is Problem {
  return (
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    'detail' in body &&
    typeof body.detail === 'string'
  );
}
