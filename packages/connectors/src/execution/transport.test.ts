import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Dispatcher, errors } from 'undici';
import {
  FailingDispatcher,
  IDLE_CONTROLLER,
  systemError,
  ThrowingDispatcher,
} from '../../test/support/failing-dispatcher.ts';
import { baseOf, send, TransportError, type TransportFailure } from './transport.ts';

/** What sending a request by a pool throws. */
function thrownBy(dispatcher: Dispatcher, { signal } = new AbortController()): Promise<unknown> {
  const request = { method: 'POST', path: '/', body: '{}' } as const;
  const base = baseOf('http://127.0.0.1:9');
  const sending = send(dispatcher, request, { base, headers: {}, timeoutMs: 1_000, signal });
  return sending.catch((reason: unknown) => reason);
}

async function failureOf(cause: Error, hasBegun: boolean): Promise<TransportFailure> {
  const thrown = await thrownBy(new FailingDispatcher(cause, hasBegun));
  assert.ok(thrown instanceof TransportError);
  assert.ok(thrown.cause instanceof Error);
  assert.equal(thrown.cause.message, cause.message);
  return thrown.failure;
}

describe('why no whole answer came', () => {
  const unreached: readonly (readonly [string, Error])[] = [
    ['a refused connection', systemError('ECONNREFUSED', 'connect')],
    ['no such host', systemError('ENOTFOUND', 'getaddrinfo')],
    ['no name server', systemError('EAI_AGAIN', 'getaddrinfo')],
    ['no route when connecting', systemError('EHOSTUNREACH', 'connect')],
    ['no network when connecting', systemError('ENETUNREACH', 'connect')],
    ['a connection that took too long', systemError('UND_ERR_CONNECT_TIMEOUT')],
    [
      'every address of a host refused',
      Object.assign(new AggregateError([systemError('ECONNREFUSED', 'connect')]), {
        code: 'ECONNREFUSED',
      }),
    ],
  ];
  for (const [name, error] of unreached)
    test(`${name}: unreachable, but cut where a request had gone out before`, async () => {
      assert.equal(await failureOf(error, false), 'unreachable');
      assert.equal(await failureOf(error, true), 'cut');
    });

  const failures: readonly (readonly [string, Error, TransportFailure])[] = [
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
      for (const hasBegun of [false, true]) assert.equal(await failureOf(error, hasBegun), failure);
    });

  const ofTls = [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'CERT_UNTRUSTED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'EPROTO',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    // Of a handshake that is hung up on; what the system itself tells has a call.
    'ECONNRESET',
  ];
  for (const code of ofTls)
    test(`${code}: unreachable, but cut where a connection had the request`, async () => {
      assert.equal(await failureOf(systemError(code), false), 'unreachable');
      assert.equal(await failureOf(systemError(code), true), 'cut');
    });
});

describe('a dispatcher that throws', () => {
  for (const [begins, failure] of [
    ['never', 'unreachable'],
    ['later', 'unreachable'],
    ['before', 'cut'],
  ] as const)
    test(`and has begun ${begins}: ${failure}`, async () => {
      const dispatcher = new ThrowingDispatcher(begins);
      const error = await thrownBy(dispatcher);
      assert.ok(error instanceof TransportError);
      assert.equal(error.failure, failure);
      assert.match(error.message, /does not take the request \(UND_ERR_INVALID_ARG\).* undici 7/);
      await new Promise(setImmediate);
      assert.equal(dispatcher.sent, begins === 'before' ? 1 : 0);
      // A dispatcher of undici that tries again knows by it that nobody wants the request any more.
      for (const taken of dispatcher.takenBack)
        assert.ok(taken instanceof errors.RequestAbortedError);
      assert.equal(dispatcher.takenBack.length, begins === 'later' ? 1 : 0);
    });

  test('leaves nothing that a later abort would reject', async () => {
    const controller = new AbortController();
    await thrownBy(new ThrowingDispatcher(), controller);
    const unheard: unknown[] = [];
    const note = (reason: unknown) => void unheard.push(reason);
    process.on('unhandledRejection', note);
    controller.abort(new Error('too late'));
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    assert.deepEqual(unheard, []);
  });
});

/** Answers with that many pieces of a byte each. */
class TricklingDispatcher extends Dispatcher {
  readonly #pieces: number;

  constructor(pieces: number) {
    super();
    this.#pieces = pieces;
  }

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    handler.onRequestStart?.(IDLE_CONTROLLER, {});
    handler.onResponseStart?.(IDLE_CONTROLLER, 200, {}, 'OK');
    for (let piece = 0; piece < this.#pieces; piece += 1)
      handler.onResponseData?.(IDLE_CONTROLLER, Buffer.from([97 + (piece % 26)]));
    handler.onResponseEnd?.(IDLE_CONTROLLER, {});
    return true;
  }
}

test('an answer in pieces of a byte takes up little more than its bytes', async () => {
  const MIB = 1 << 20;
  const before = process.memoryUsage();
  const { body } = await send(
    new TricklingDispatcher(4 * MIB),
    { method: 'GET', path: '/', body: undefined },
    {
      base: baseOf('http://127.0.0.1:9'),
      headers: {},
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    },
  );
  const { rss } = process.memoryUsage();
  assert.equal(body.length, 4 * MIB);
  assert.equal(body.slice(0, 30), 'abcdefghijklmnopqrstuvwxyzabcd');
  // A piece of its own each, they took 500 MB.
  assert.ok(rss - before.rss < 200 * MIB, `${(rss - before.rss) / MIB} MiB`);
});
