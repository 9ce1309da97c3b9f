import { Pool } from 'undici';

/** Calls to a service, over connections that stay open. */
export interface ServiceCalls extends AsyncDisposable {
  /** Rejects with a RefusedCall on any status but 2xx. */
  call(method: Method, path: string, body?: unknown): Promise<unknown>;
  /** A token of the same external user, to be used by others. */
  scopedToken(access: 'read' | 'write'): Promise<string>;
}

/** An answer that is no success. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
  readonly status: number;
  /** The code of the problem; empty where the body is none of ours. */
  readonly code: string;

  constructor(path: string, status: number, body: string) {
    super(`${path}: HTTP ${status}: ${body}`);
    this.status = status;
    this.code = /"code":"(\w+)"/.exec(body)?.[1] ?? '';
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const APPLICATIONS = '/api/v1/account/applications';
/** Tokens are renewed before they expire, as replicating a large connector takes longer. */
const RENEWED_AFTER_MS = 10 * 60_000;

export function serviceCalls(
  { url, clientId, clientSecret }: Readonly<Record<string, string>>,
  connections: number,
): ServiceCalls {
  const pool = new Pool(url ?? '', { connections });
  let token = '';
  let tokenAt = -Infinity;

  const send = async (method: Method, path: string, given: Given) => {
    const { statusCode, body } = await pool.request({
      method,
      path,
      headers: { 'content-type': 'application/json', ...bearer(given.token) },
      body: given.body === undefined ? null : JSON.stringify(given.body),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new RefusedCall(path, statusCode, text);
    return JSON.parse(text) as unknown;
  };
  const scopedToken = async (access: 'read' | 'write') => {
    const login = { client_id: clientId, client_secret: clientSecret };
    const application = await send('POST', `${APPLICATIONS}/token`, { body: login });
    const scoped = await send('POST', `${APPLICATIONS}/scoped-token`, {
      // As docs/wire.md#tokens has them.
      token: (application as { access_token: string }).access_token,
      body: { external_user_id: 'bench', access },
    });
    return (scoped as { token: string }).token;
  };
  return {
    call: async (method, path, body) => {
      if (performance.now() - tokenAt > RENEWED_AFTER_MS) {
        token = await scopedToken('write');
        tokenAt = performance.now();
      }
      return send(method, path, { token, body });
    },
    scopedToken,
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

interface Given {
  readonly token?: string;
  readonly body: unknown;
}

function bearer(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
