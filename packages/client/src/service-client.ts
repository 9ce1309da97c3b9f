import {
  checkOptions,
  ConnectorError,
  isConnectorError,
  startDeadline,
  wait,
  type Clock,
  type Deadline,
  type Download,
} from '@patchbay/connectors/definitions';
import type { Schema, Wire } from '@patchbay/connectors/wire';
import { attempt, readJson } from './attempt.ts';
import { checkOptionsOfCall, type RequestOptions } from './call-options.ts';
import type { Attempt, Failure, HttpRequest, Place } from './exchange.ts';
import { readFile } from './file-stream.ts';
import { delayBeforeNext } from './retry-delay.ts';
import { notPatchbay, requireShape } from './service-errors.ts';
import type { Token, Tokens } from './tokens.ts';

/** What a write is called in errors, and how it may be repeated. */
export interface Write {
  readonly entity?: string;
  readonly action: string;
  readonly howToFindOut: string;
  /** Where the service takes one: with it, it does the write once, however often it is asked. */
  readonly idempotencyKey?: string | undefined;
}

/** A call to the service. */
export interface ServiceCall {
  readonly request: HttpRequest;
  /** Set for calls that change something. */
  readonly write?: Write | undefined;
  /** Whether the service is told how long it may take. */
  readonly tellsTimeout?: boolean;
  /** What the call needs at least, where its options say nothing of its time. */
  readonly leastTimeoutMs?: number;
  readonly options?: RequestOptions | undefined;
}

interface ServiceClientParts {
  readonly place: Place;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** The longest time the service takes a call for. */
const MAX_SERVICE_TIMEOUT_MS = 300_000;

/**
 * Calls the service: gets a token, sends, and repeats what may be repeated until the deadline.
 * Reads are repeated on any trouble between here and the service; writes only where the service
 * surely did not take them up, or where their key makes it safe.
 */
export class ServiceClient {
  readonly #parts: ServiceClientParts;

  constructor(parts: ServiceClientParts) {
    this.#parts = parts;
  }

  get baseUrl(): string {
    return this.#parts.place.baseUrl;
  }

  /**
   * The parsed body of a successful answer, of the shape that the service documents.
   *
   * @throws ConnectorError by the error table; the reason of `options.signal` when it aborts.
   */
  async fetchJson<S extends Schema>(schema: S, call: ServiceCall): Promise<Wire<S>> {
    const answer = await this.#run(call, readJson(this.#parts.place));
    const { method, path } = call.request;
    const what = `the answer to ${method} ${path.split('?', 1)[0]}`;
    return requireShape(schema, answer, { baseUrl: this.baseUrl, what });
  }

  /**
   * What a successful answer says, in whatever shape; `undefined` where it has no body.
   *
   * @param onHeaders Told of its headers.
   */
  async fetchValue(call: ServiceCall, onHeaders?: (headers: Headers) => void): Promise<unknown> {
    const read = readJson(this.#parts.place);
    const { headers, value } = await this.#run(call, async (response) => {
      const answer =
        response.status === 204
          ? { isFailure: false as const, value: undefined }
          : await read(response);
      if (answer.isFailure) return answer;
      return { isFailure: false, value: { headers: response.headers, value: answer.value } };
    });
    onHeaders?.(headers);
    return value;
  }

  /** For calls whose success says nothing more. */
  fetchNothing(call: ServiceCall): Promise<void> {
    const { place } = this.#parts;
    return this.#run(call, async (response) =>
      response.status === 204
        ? { isFailure: false, value: undefined }
        : notPatchbay(place, response),
    );
  }

  /** A file, whose bytes are still to come; the deadline is for its beginning. */
  fetchFile(call: ServiceCall): Promise<Download> {
    const { clock, timeoutMs } = this.#parts;
    const idleTimeoutMs = call.options?.timeoutMs ?? timeoutMs;
    return this.#run(
      call,
      readFile({ baseUrl: this.baseUrl, clock, idleTimeoutMs, signal: call.options?.signal }),
    );
  }

  /**
   * The bytes of a stream of events, which is given up when nothing has come for `idleTimeoutMs`;
   * the deadline is for its beginning.
   */
  async fetchEvents(call: ServiceCall, idleTimeoutMs: number): Promise<AsyncIterable<Uint8Array>> {
    const { clock, place } = this.#parts;
    const signal = call.options?.signal;
    const read = readFile({ baseUrl: this.baseUrl, clock, idleTimeoutMs, signal });
    const stream = await this.#run(call, async (response) =>
      isEventStream(response) ? read(response) : notPatchbay(place, response),
    );
    return stream.bytes;
  }

  async #run<T>(call: ServiceCall, read: Read<T>): Promise<T> {
    checkOptionsOfCall(call.options, {});
    checkOptions({ timeoutMs: call.options?.timeoutMs });
    const timeoutMs =
      call.options?.timeoutMs ?? Math.max(this.#parts.timeoutMs, call.leastTimeoutMs ?? 0);
    const deadline = startDeadline(this.#parts.clock, timeoutMs, call.options?.signal);
    const run: Run = { call, deadline, isSent: false, mayHaveHappened: false };
    try {
      return await this.#repeat(run, read);
    } catch (error) {
      if (!deadline.hasPassed() || isConnectorError(error)) throw error;
      throw this.#pastDeadline(run, timeoutMs, error);
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  async #repeat<T>(run: Run, read: Read<T>): Promise<T> {
    const { clock } = this.#parts;
    const { call, deadline } = run;
    let hasRenewed = false;
    let refused: Token | undefined;
    for (let count = 1; ;) {
      const token = await this.#token(run, refused);
      refused = undefined;
      run.isSent = true;
      const answer = await this.#send(run, token.value, read);
      if (!answer.isFailure) return answer.value;
      run.mayHaveHappened ||= answer.isOutcomeUnknown;
      if (isTokenRefused(answer) && !hasRenewed) {
        hasRenewed = true;
        refused = token;
        continue;
      }
      const delayMs = mayRepeat(call, answer) ? delayBeforeNext(answer, count++) : undefined;
      if (delayMs === undefined || delayMs >= deadline.leftMs()) throw finalError(run, answer);
      await wait(clock, delayMs, deadline.signal);
    }
  }

  /** The token to send with; another one once the service has refused the first. */
  async #token({ call, deadline, mayHaveHappened }: Run, refused?: Token): Promise<Token> {
    const { tokens } = this.#parts;
    const { signal } = deadline;
    try {
      return await (refused === undefined ? tokens.get(signal) : tokens.replace(refused, signal));
    } catch (error) {
      // Without a token nobody can ask again what became of an earlier attempt.
      if (call.write === undefined || !mayHaveHappened || !isConnectorError(error)) throw error;
      throw outcomeUnknown(call.write, error.message, error);
    }
  }

  #send<T>({ call, deadline }: Run, token: string, read: Read<T>): Promise<Attempt<T>> {
    const { place } = this.#parts;
    const { request, tellsTimeout, write } = call;
    const key = write?.idempotencyKey;
    const headers = {
      ...request.headers,
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(tellsTimeout === true
        ? { 'patchbay-timeout-ms': String(serviceTimeoutMs(deadline.leftMs())) }
        : {}),
    };
    return attempt(
      place,
      { ...request, headers },
      { signal: deadline.signal, secrets: [token], read },
    );
  }

  #pastDeadline(run: Run, timeoutMs: number, cause: unknown): ConnectorError {
    const { call, isSent } = run;
    const message = isSent
      ? `${this.baseUrl} gave no answer within the deadline of ${timeoutMs} ms.`
      : `${this.baseUrl} gave no token within the deadline of ${timeoutMs} ms.`;
    if (call.write !== undefined && isSent) return outcomeUnknown(call.write, message, cause);
    return new ConnectorError(isSent ? 'upstream_timeout' : 'not_ready', {}, { message, cause });
  }
}

function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

type Read<T> = (response: Response) => Promise<Attempt<T>>;

/** A call under way. */
interface Run {
  readonly call: ServiceCall;
  readonly deadline: Deadline;
  /** A request has gone out, other than for a token. */
  isSent: boolean;
  /** An earlier attempt may have had its effect. */
  mayHaveHappened: boolean;
}

/** The time for the service: a little less than is left here, so that its answer still arrives. */
function serviceTimeoutMs(leftMs: number): number {
  const ms = Math.floor(leftMs - Math.min(1_000, leftMs / 10));
  return Math.min(MAX_SERVICE_TIMEOUT_MS, Math.max(1, ms));
}

function isTokenRefused({ error }: Failure): boolean {
  return error.code === 'unauthenticated' || error.code === 'token_expired';
}

function mayRepeat({ write }: ServiceCall, failure: Failure): boolean {
  return write === undefined || write.idempotencyKey !== undefined || failure.isRefused;
}

/** The error that a call ends with: for a write whose effect nobody knows, one that says so. */
function finalError({ call, mayHaveHappened }: Run, failure: Failure): ConnectorError {
  const { error, again, isOutcomeUnknown } = failure;
  // An answer about the write itself settles it, whatever became of earlier attempts.
  const isSettled = !isOutcomeUnknown && again === 'never' && !isTokenRefused(failure);
  if (call.write === undefined || !mayHaveHappened || isSettled) return error;
  return outcomeUnknown(call.write, error.message, error);
}

function outcomeUnknown(
  { entity, action, howToFindOut, idempotencyKey }: Write,
  reason: string,
  cause: unknown,
): ConnectorError<'write_outcome_unknown'> {
  const advice =
    idempotencyKey === undefined
      ? 'it was not repeated.'
      : `repeating the call with idempotencyKey ${JSON.stringify(idempotencyKey)} (details.idempotencyKey) is safe for 24 hours.`;
  return new ConnectorError(
    'write_outcome_unknown',
    {
      ...(entity === undefined ? {} : { entity }),
      action,
      howToFindOut,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    },
    {
      message: `${reason} The write may or may not have happened; ${advice} ${howToFindOut}`,
      cause,
    },
  );
}
