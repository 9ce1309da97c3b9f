import { CommandError } from './terminal.ts';

/** An application's own credentials at a running service. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a running service answers to `POST …/scoped-token`. */
export interface ScopedToken {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/**
 * Asks a running service for a scoped token.
 *
 * @throws CommandError when the service cannot be reached or says no.
 * @see wire contract, part 2
 */
export async function requestScopedToken(
  baseUrl: string,
  credentials: ClientCredentials,
  scope: { readonly externalUserId: string; readonly access: 'read' | 'write' },
): Promise<ScopedToken> {
  const application = await post(baseUrl, '/api/v1/account/applications/token', undefined, {
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  });
  const scoped = await post(
    baseUrl,
    '/api/v1/account/applications/scoped-token',
    textOf(application, 'access_token'),
    { external_user_id: scope.externalUserId, access: scope.access },
  );
  return { token: textOf(scoped, 'token'), expiresIn: Number(scoped['expires_in']) };
}

async function post(
  baseUrl: string,
  path: string,
  token: string | undefined,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const url = new URL(path, baseUrl);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw new CommandError(
      `No service answers at ${url.origin}; start it with \`patchbay start\`, or set PATCHBAY_BASE_URL.`,
      { cause: error },
    );
  });
  const answer: unknown = await response.json().catch((error: unknown) => {
    throw new CommandError(`What answers at ${url.origin} is no Patchbay service.`, {
      cause: error,
    });
  });
  if (typeof answer !== 'object' || answer === null)
    throw new CommandError(`What answers at ${url.origin} is no Patchbay service.`);
  // An object, as just checked; members are checked where they are read.
  const members = answer as Readonly<Record<string, unknown>>;
  if (!response.ok) throw new CommandError(`The service refused: ${String(members['detail'])}`);
  return members;
}

function textOf(answer: Readonly<Record<string, unknown>>, name: string): string {
  const value = answer[name];
  if (typeof value === 'string') return value;
  throw new CommandError(`The service's answer has no ${name}.`);
}
