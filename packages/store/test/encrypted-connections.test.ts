import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { selfSigned } from '@patchbay/connectors/testing';
import { openStore } from '../src/index.ts';
import { refusalOf } from './support/server-messages.ts';
import { makeEmptyFolder } from './support/template-folder.ts';

const PASSWORD = 'p4ssw0rd';
/** What a client gets that has come as far as the login: over TLS another answer than without. */
const GOT_THROUGH = { code: 'database_login_refused', message: /check the user and the password/ };

test('a server proves who it is, whichever mode asks for TLS', async () => {
  await using server = await startTlsServer('127.0.0.1');
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    await assertRefused(`${server.url}?sslmode=${mode}`, {
      code: 'database_unreachable',
      message: /self-signed certificate.*sslrootcert in the database URL/,
    });
    await assertRefused(`${server.url}?sslmode=${mode}&sslrootcert=${server.caFile}`, GOT_THROUGH);
  }
  await assertRefused(`${server.url}?sslrootcert=${server.caFile}`, GOT_THROUGH);
  await assertRefused(`${server.url}?sslmode=no-verify`, GOT_THROUGH);
  await assertRefused(`${server.url}?sslmode=require&uselibpqcompat=true`, GOT_THROUGH);
});

test('a certificate for another host is refused', async () => {
  await using server = await startTlsServer('db.example.com');
  await assertRefused(`${server.url}?sslmode=verify-full&sslrootcert=${server.caFile}`, {
    code: 'database_unreachable',
    message: /the host that the certificate is for/,
  });
});

test('a server that takes encrypted connections alone says how to ask for one', async () => {
  await using server = await startTlsServer('127.0.0.1');
  for (const params of ['', '?sslmode=disable'])
    await assertRefused(server.url + params, {
      code: 'database_login_refused',
      message: /no encryption\): .*sslmode=verify-full/,
    });
});

test('the driver warns of nothing', async (t) => {
  await using server = await startTlsServer('127.0.0.1');
  const emitted = t.mock.method(process, 'emitWarning', () => undefined);
  await assertRefused(`${server.url}?sslmode=require&options=-c%20lock_timeout%3D1s`, {
    code: 'database_unreachable',
  });
  assert.equal(emitted.mock.callCount(), 0);
});

test('what is wrong with a URL is named, and its file is not', async () => {
  const url = `postgres://app:${PASSWORD}@127.0.0.1:1/patchbay`;
  for (const param of ['sslrootcert', 'sslcert', 'sslkey'])
    await assertRefused(`${url}?sslmode=verify-full&${param}=/no/such/file`, {
      code: 'database_url_invalid',
      message: `The file that the database URL names with ${param} cannot be read (ENOENT).`,
    });
  await assertRefused(`${url}?sslmode=on`, {
    code: 'database_url_invalid',
    message: /sslmode of the database URL must be one of disable, no-verify, .*verify-full\.$/,
  });
});

async function assertRefused(databaseUrl: string, expected: object): Promise<void> {
  await assert.rejects(openStore({ databaseUrl }), expected, databaseUrl);
}

interface TlsServer extends AsyncDisposable {
  readonly url: string;
  /** Holds the certificate that it shows. */
  readonly caFile: string;
}

/** Refuses every login: over TLS for its password, without as PostgreSQL does that has rules of `hostssl` alone. */
async function startTlsServer(host: string): Promise<TlsServer> {
  const folder = await makeEmptyFolder();
  const certificate = selfSigned(host);
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, certificate.cert);
  const secureContext = createSecureContext(certificate);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', (asked) => {
      if (!asked.equals(SSL_REQUEST))
        return void socket.end(refusalOf('28000', 'no pg_hba.conf entry for host, no encryption'));
      const encrypted = new TLSSocket(socket, { isServer: true, secureContext });
      encrypted.on('error', () => encrypted.destroy());
      encrypted.once('data', () => encrypted.end(refusalOf('28P01', 'no')));
      socket.write('S');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // Proven: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://app:${PASSWORD}@127.0.0.1:${port}/patchbay`,
    caFile,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await closed;
      await rm(folder, { recursive: true });
    },
  };
}

/** @see https://www.postgresql.org/docs/current/protocol-message-formats.html */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
