import assert from 'node:assert/strict';
import type { ServerOptions } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { Agent } from 'undici';
import { defaultDispatcher, defaultFileDispatcher } from '../src/execution/transport.ts';
import { selfSigned, type Certificate } from './support/certificates.ts';
import { connectorFor, errorOf, type ChatWorkspace } from './support/connectors.ts';
import { RENEGOTIATES, showAnotherCertificate, startTlsUpstream } from './support/tls-upstream.ts';

const HOST = '127.0.0.1';
const good = selfSigned(HOST);

interface Row {
  readonly what: string;
  readonly server: ServerOptions;
  /** What the connector trusts besides the usual authorities. */
  readonly trusted?: Certificate;
  readonly code: RegExp;
}

const expired = selfSigned(HOST, -1);
const ofAnother = selfSigned('other.example');
const rows: readonly Row[] = [
  { what: 'a certificate that nobody knows', server: good, code: /DEPTH_ZERO_SELF_SIGNED_CERT/ },
  { what: 'an expired certificate', server: expired, trusted: expired, code: /CERT_HAS_EXPIRED/ },
  {
    what: 'the certificate of another host',
    server: ofAnother,
    trusted: ofAnother,
    code: /ERR_TLS_CERT_ALTNAME_INVALID/,
  },
  {
    what: 'a handshake that the server refuses',
    server: { ...good, requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
    trusted: good,
    code: /EPROTO|ERR_SSL_/,
  },
];

describe('TLS faults before a connection stands', () => {
  for (const { what, server, trusted, code } of rows)
    test(`${what}: nothing was sent, so neither a write nor a read is in doubt`, async () => {
      await using upstream = await startTlsUpstream(server);
      await using agent = agentOf(trusted);
      const connector = connectorFor(upstream.url, { dispatcher: agent });
      for (const call of [() => post(connector), () => connector.users.list()]) {
        const error = await errorOf(call());
        assert.equal(error.code, 'upstream_unavailable');
        assert.match(error.message, code);
        assert.match(error.message, /cannot be reached .* setting baseUrl/);
      }
      assert.equal(upstream.requests(), 0);
    });

  test('what is wrong with a certificate comes with the remedy', async () => {
    await using upstream = await startTlsUpstream(good);
    const error = await errorOf(connectorFor(upstream.url).users.list());
    assert.match(error.message, /NODE_EXTRA_CA_CERTS/);
  });

  for (const [what, hangUp] of [
    ['is answered in plain text', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['is hung up on', ''],
  ] as const)
    test(`a handshake that ${what}: nothing was sent`, async () => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(hangUp));
      });
      await new Promise<void>((resolve) => void server.listen(0, HOST, resolve));
      // Proven: it listens on a port, not on a pipe.
      const { port } = server.address() as AddressInfo;
      try {
        const error = await errorOf(post(connectorFor(`https://${HOST}:${port}`)));
        assert.equal(error.code, 'upstream_unavailable');
      } finally {
        server.close();
      }
    });
});

describe('the same codes on a connection that stood', () => {
  test('a certificate that changes under a write leaves it in doubt', async () => {
    const server = { ...good, ...RENEGOTIATES };
    await using upstream = await startTlsUpstream(server, showAnotherCertificate);
    await using agent = agentOf(good);
    const error = await errorOf(post(connectorFor(upstream.url, { dispatcher: agent })));
    assert.equal(error.code, 'write_outcome_unknown');
    // What came of it is the very code that, before a connection stands, is no doubt.
    assert.ok(error.cause instanceof Error);
    assert.match(error.cause.message, /DEPTH_ZERO_SELF_SIGNED_CERT/);
    assert.equal(upstream.requests(), 1, 'and it is not repeated');
  });
});

function agentOf(trusted: Certificate | undefined): Agent & AsyncDisposable {
  const agent = new Agent({
    connect: { allowH2: false, ...(trusted === undefined ? {} : { ca: trusted.cert }) },
  });
  return Object.assign(agent, { [Symbol.asyncDispose]: () => agent.destroy() });
}

function post(connector: ChatWorkspace): Promise<unknown> {
  return connector.messages.create({ channel: 'C1', text: 'Hello' });
}

test('the pools of callers that bring none speak HTTP/1.1 only', async () => {
  const offered: (readonly string[])[] = [];
  await using upstream = await startTlsUpstream({
    ...selfSigned('127.0.0.1'),
    ALPNCallback: ({ protocols }) => {
      offered.push(protocols);
      return protocols[0];
    },
  });
  for (const dispatcher of [defaultDispatcher(), defaultFileDispatcher()])
    await assert.rejects(dispatcher.request({ origin: upstream.url, path: '/', method: 'GET' }));
  assert.ok(offered.length >= 2);
  for (const protocols of offered) assert.deepEqual(protocols, ['http/1.1']);
});
