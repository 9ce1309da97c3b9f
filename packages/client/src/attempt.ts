import type { Attempt, HttpRequest, Place } from './exchange.ts';
import { noteFailedConnections } from './failed-connections.ts';
import { errorOfAnswer, notPatchbay, unreachable } from './service-errors.ts';

/**
 * Sends one request and hands a success to `read`. Follows no redirect: credentials go to the
 * base URL only.
 *
 * @param secrets What errors must not contain, even where the answer that they quote does.
 * @throws the signal's reason when it aborts; everything else is a `Failure`.
 */
export async function attempt<T>(
  place: Place,
  request: HttpRequest,
  options: {
    readonly signal: AbortSignal;
    readonly secrets: readonly string[];
    readonly read: (response: Response) => Promise<Attempt<T>>;
  },
): Promise<Attempt<T>> {
  const { signal, secrets, read } = options;
  noteFailedConnections();
  try {
    const response = await place.fetch(place.baseUrl + request.path, {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
      signal,
    });
    if (response.ok) return await read(response);
    const text = withoutSecrets(await response.text(), secrets);
    return errorOfAnswer(place, response, text);
  } catch (error) {
    signal.throwIfAborted();
    return unreachable(place, error);
  }
}

/** Reads an answer that must be a JSON value. */
export function readJson(place: Place) {
  return async (response: Response): Promise<Attempt<unknown>> => {
    const text = await response.text();
    try {
      return { isFailure: false, value: JSON.parse(text) as unknown };
    } catch {
      return notPatchbay(place, response);
    }
  };
}

/** Shorter texts are no secrets, and taking them out would change what the answer says. */
const MIN_SECRET_LENGTH = 8;

/** The text with each of the secrets taken out, however JSON has escaped it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, escaped(secret), escaped(escaped(secret))])
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}

/** The text as JSON escapes it; applied twice, for JSON text that is a string inside JSON text. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
