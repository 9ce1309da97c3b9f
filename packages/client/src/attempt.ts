import type { Attempt, HttpRequest, Place } from './exchange.ts';
import { noteFailedConnections } from './failed-connections.ts';
import { errorOfAnswer, notPatchbay, unreachable } from './service-errors.ts';
import { withoutSecrets } from './without-secrets.ts';

/**
 * Sends one request and hands a success to `read`. Follows no redirect: credentials go to the
 * base URL only.
 *
 * @param secrets What errors must not contain, even where the answer or the failure that they quote does.
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
    return unreachable(place, error, secrets);
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
