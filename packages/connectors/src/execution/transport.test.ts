import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Dispatcher } from 'undici';
import { send, TransportError, type TransportFailure } from './transport.ts';

/** A pool whose every request fails with one error. */
class FailingDispatcher extends Dispatcher {
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  override dispatch(
    _options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const controller = {
      aborted: false,
      paused: false,
      reason: null,
      rawHeaders: null,
      rawTrailers: null,
      abort: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    };
    handler.onResponseError?.(controller, this.#error);
    return true;
  }
}

async function failureOf(error: Error): Promise<TransportFailure> {
  const thrown: unknown = await send(new FailingDispatcher(error), {
    method: 'POST',
    url: 'http://127.0.0.1:9/',
    headers: {},
    body: '{}',
    timeoutMs: 1_000,
    signal: new AbortController().signal,
  }).catch((reason: unknown) => reason);
  assert.ok(thrown instanceof TransportError);
  assert.equal(thrown.cause, error);
  return thrown.failure;
}

function systemError(code: string, syscall?: string): Error {
  return Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) });
}

describe('why no whole answer came', () => {
  const failures: readonly (readonly [string, Error, TransportFailure])[] = [
    ['a refused connection', systemError('ECONNREFUSED', 'connect'), 'unreachable'],
    ['no such host', systemError('ENOTFOUND', 'getaddrinfo'), 'unreachable'],
    ['no name server', systemError('EAI_AGAIN', 'getaddrinfo'), 'unreachable'],
    ['no route when connecting', systemError('EHOSTUNREACH', 'connect'), 'unreachable'],
    ['no network when connecting', systemError('ENETUNREACH', 'connect'), 'unreachable'],
    ['a connection that took too long', systemError('UND_ERR_CONNECT_TIMEOUT'), 'unreachable'],
    [
      'every address of a host refused',
      Object.assign(new AggregateError([systemError('ECONNREFUSED', 'connect')]), {
        code: 'ECONNREFUSED',
      }),
      'unreachable',
    ],
    // The request was under way on a connection that stood: it may have been received.
    ['no route while reading', systemError('EHOSTUNREACH', 'read'), 'cut'],
    ['no network while writing', systemError('ENETUNREACH', 'write'), 'cut'],
    ['a reset', systemError('ECONNRESET', 'read'), 'cut'],
    ['a broken pipe', systemError('EPIPE', 'write'), 'cut'],
    ['a time-out of the system', systemError('ETIMEDOUT', 'read'), 'cut'],
    ['a closed socket', systemError('UND_ERR_SOCKET'), 'cut'],
    ['an error without a code', new Error('what'), 'cut'],
    ['no headers in time', systemError('UND_ERR_HEADERS_TIMEOUT'), 'timeout'],
    ['no body in time', systemError('UND_ERR_BODY_TIMEOUT'), 'timeout'],
  ];
  for (const [name, error, failure] of failures)
    test(`${name}: ${failure}`, async () => {
      assert.equal(await failureOf(error), failure);
    });
});
