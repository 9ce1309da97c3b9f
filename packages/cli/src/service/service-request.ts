import { ConnectorError } from '@patchbay/connectors/definitions';
import {
  errorOfProblem,
  hasShape,
  Problem,
  shapeFault,
  type Schema,
  type Wire,
} from '@patchbay/connectors/wire';

/** One request to a service. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** A token or key. */
  readonly bearer?: string;
  readonly idempotencyKey?: string;
  /** Nothing has changed, however the request ended; so it is with every GET. */
  readonly changesNothing?: boolean;
}

/** Where a request goes, and for how long. */
export interface ServicePlace {
  readonly baseUrl: string;
  readonly signal: AbortSignal;
  /** Longest time of one request, 60 s unless said. */
  readonly timeoutMs?: number | undefined;
  /** What no error may repeat, besides the bearer of the request. */
  readonly secret?: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * What a service answers to one request, which is not repeated.
 *
 * @throws ConnectorError by the error table: what the service says; `not_ready` where there is no
 * whole answer, `route_not_found` or `internal` where it is not one of a Patchbay service.
 */
export async function askService<S extends Schema>(
  schema: S,
  request: ServiceRequest,
  place: ServicePlace,
): Promise<Wire<S>> {
  const answer = parseJson(await sendToService(request, place));
  if (hasShape(schema, answer)) return answer;
  const what = `the answer to ${request.method} ${request.path.split('?', 1)[0]}`;
  const message = `${place.baseUrl} answered something else than ${what} (${shapeFault(schema, answer)}).`;
  throw new ConnectorError('internal', {}, { message });
}

/**
 * The text of a successful answer. Follows no redirect: secrets go to the base URL only.
 *
 * @throws as `askService`.
 */
export async function sendToService(request: ServiceRequest, place: ServicePlace): Promise<string> {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = place;
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const response = await begin(request, place, within);
  return await takeFrom(request, place, () => response.text());
}

/**
 * The bytes of a successful answer, which take as long as they take. Follows no redirect.
 *
 * @throws as `askService`; while they are read, `not_ready` where they break off.
 */
export async function streamFromService(
  request: ServiceRequest,
  place: ServicePlace,
): Promise<AsyncGenerator<Uint8Array>> {
  return bytesOf(await begin(request, place, place.signal), request, place);
}

async function* bytesOf(
  { body }: Response,
  request: ServiceRequest,
  place: ServicePlace,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  // Proof: the body of an answer is of bytes.
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await takeFrom(request, place, () => reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // Whoever leaves before the end, as where the disk is full, leaves nobody sending.
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * `undefined` for what is no JSON, which no answer is.
 *
 * @param change What becomes of each text in it.
 */
export function parseJson(
  text: string,
  change: (told: string) => string = (told) => told,
): unknown {
  try {
    return JSON.parse(text, (_, value: unknown) =>
      typeof value === 'string' ? change(value) : value,
    );
  } catch {
    return undefined;
  }
}

/** No service gives out shorter ones, and taking them out would change what the answer says. */
const MIN_SECRET_LENGTH = 8;

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .reduce((told, secret) => told.replaceAll(secret, '[secret]'), text);
}

/** A successful answer, whose body is still to come. */
async function begin(
  request: ServiceRequest,
  place: ServicePlace,
  signal: AbortSignal,
): Promise<Response> {
  const { method, path, body, bearer, idempotencyKey } = request;
  const { baseUrl, secret } = place;
  const response = await takeFrom(request, place, () =>
    fetch(baseUrl + path, {
      method,
      headers: {
        accept: 'application/json',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    }),
  );
  if (response.ok) return response;
  const secrets = [bearer, secret].filter((each) => each !== undefined);
  const text = await takeFrom(request, place, () => response.text());
  const problem = parseJson(text, (told) => withoutSecrets(told, secrets));
  throw hasShape(Problem, problem)
    ? errorOfProblem(problem)
    : notPatchbay(baseUrl, response.status);
}

/** A part of an exchange, any of which may break off. */
async function takeFrom<T>(
  { method, changesNothing = method === 'GET' }: ServiceRequest,
  { baseUrl, signal }: ServicePlace,
  take: () => Promise<T>,
): Promise<T> {
  try {
    return await take();
  } catch (cause) {
    signal.throwIfAborted();
    const code = codeOfNoConnection(cause);
    if (code !== undefined) {
      const message = `No service answers at ${baseUrl} (${code}).`;
      throw new ConnectorError('not_ready', {}, { message, cause });
    }
    const mayHaveHappened = changesNothing
      ? ''
      : ' What was asked for may have been done all the same.';
    const message = `The Patchbay service at ${baseUrl} gave no whole answer.${mayHaveHappened}`;
    throw new ConnectorError('not_ready', {}, { message, cause });
  }
}

/** What the system says where no connection came about at all, and nothing was asked for. */
const NO_CONNECTION = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

function codeOfNoConnection(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && NO_CONNECTION.has(error.code)) return String(error.code);
  return 'cause' in error ? codeOfNoConnection(error.cause) : undefined;
}

function notPatchbay(baseUrl: string, status: number): ConnectorError {
  const said = status === 0 ? 'a redirect' : `HTTP ${status}`;
  const message = `${baseUrl} answered ${said}, not as a Patchbay service does.`;
  return new ConnectorError(status >= 500 ? 'not_ready' : 'route_not_found', {}, { message });
}
