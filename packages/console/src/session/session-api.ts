import { noteServerTime } from '../service/server-clock.ts';

/** The console's own routes: signing in with a cookie that buys short tokens, and nothing else. */

/** Who is signed in, and until when. */
export interface ConsoleSession {
  /** An operator sees all applications, an application its own. */
  readonly role: 'operator' | 'application';
  readonly application: { readonly id: string; readonly name: string } | null;
  /** ISO 8601. */
  readonly expires_at: string;
  readonly trials: readonly TrialConnector[];
}

/** A connector that can be made at once, to try things with. */
export interface TrialConnector {
  /** What the operator calls the upstream, which is not the real one. */
  readonly upstream: string;
  /** Of the kind. */
  readonly display_name: string;
  /** What creates it. */
  readonly body: object;
}

/** What somebody signs in with: one of three. */
export type SignIn =
  | { readonly link_secret: string }
  | { readonly operator_key: string }
  | { readonly client_id: string; readonly client_secret: string };

/** A token for the API, which lives minutes. */
export interface ConsoleToken {
  readonly token: string;
  /** ISO 8601. */
  readonly expires_at: string;
  /** Whose it is; null for one of the operator. */
  readonly application_id: string | null;
}

/** The service understood, and refused. */
export class SessionRefusal extends Error {
  override readonly name = 'SessionRefusal';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const SESSION = '/console/session';
const TIMEOUT_MS = 20_000;
const NO_COOKIE =
  'Your browser did not keep our cookie. Allow cookies here, or open the https address, and sign in again.';

/**
 * Asks for the session once it has begun: what the browser did not keep cannot be told otherwise.
 *
 * @throws SessionRefusal for wrong credentials, and for a link that is used or too old; Error where the browser keeps
 *   no cookie.
 */
export async function signIn(credentials: SignIn): Promise<ConsoleSession> {
  await ask('POST', SESSION, credentials);
  const session = await readSession();
  if (session === undefined) throw new Error(NO_COOKIE);
  return session;
}

/** The session of this browser; `undefined` where there is none. */
export async function readSession(): Promise<ConsoleSession | undefined> {
  try {
    return (await ask('GET', SESSION)) as ConsoleSession;
  } catch (error) {
    if (hasNoSession(error)) return undefined;
    throw error;
  }
}

/** Ends the session; one that has ended already is no failure. */
export async function signOut(): Promise<void> {
  try {
    await ask('DELETE', SESSION);
  } catch (error) {
    if (!hasNoSession(error)) throw error;
  }
}

/**
 * A token that acts for an application, or for the operator where none is named.
 *
 * @throws SessionRefusal; with the status 401 the session has ended.
 */
export async function buyToken(applicationId: string | undefined): Promise<ConsoleToken> {
  const body = applicationId === undefined ? {} : { application_id: applicationId };
  return (await ask('POST', '/console/token', body)) as ConsoleToken;
}

/** Whether the service says that nobody is signed in here. */
export function hasNoSession(error: unknown): boolean {
  return error instanceof SessionRefusal && error.status === 401;
}

/** Console and service are of one version, so what is no problem is the answer. */
async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(path, {
    method,
    // What changes something wants the type even where there is no body: no form of another site can send it.
    ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' } }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'error',
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  noteServerTime(response);
  const answer = parse(await response.text());
  if (response.ok) return answer;
  const { code, detail } = (answer ?? {}) as { readonly code?: unknown; readonly detail?: unknown };
  throw new SessionRefusal(
    response.status,
    typeof code === 'string' ? code : 'not_ready',
    typeof detail === 'string' ? detail : `The service answered ${response.status}.`,
  );
}

/** Proxies answer in other words than the service. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
