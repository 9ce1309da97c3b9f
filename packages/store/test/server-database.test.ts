import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { openStore } from '../src/index.ts';
import { parseDatabaseUrl } from '../src/server-connection.ts';
import { queryOnce } from './support/open-test-store.ts';
import { addApplication, addConnector } from './support/sample-rows.ts';
import { answerOf, refusalOf } from './support/server-messages.ts';
import { SERVER } from './support/test-databases.ts';

const PASSWORD = 'p4ssw0rd';

test('a server that does not answer is refused by name, without the password', async () => {
  const port = await useFreePort();
  await assertRefused(`postgres://app:${PASSWORD}@127.0.0.1:${port}/patchbay`, {
    code: 'database_unreachable',
    message: `Cannot use PostgreSQL at 127.0.0.1:${port}, database "patchbay", user "app" (connect ECONNREFUSED 127.0.0.1:${port}): check that it runs and that host, port and encryption in the database URL are right.`,
  });
});

test('what a server answers to a login is told apart', async () => {
  const answers = [
    { sqlState: '28P01', code: 'database_login_refused' },
    { sqlState: '28000', code: 'database_login_refused' },
    { sqlState: '3D000', code: 'database_absent' },
    { sqlState: '53300', code: 'database_unreachable' },
    { sqlState: '57P03', code: 'database_unreachable' },
  ];
  for (const { sqlState, code } of answers) {
    await using server = await useRefusingServer(sqlState);
    await assertRefused(`postgres://app:${PASSWORD}@127.0.0.1:${server.port}/patchbay`, { code });
  }
});

test('a server that wants a password and gets none is a refused login', async () => {
  await using server = await useAnsweringServer(
    answerOf('R', '\0\0\0\u000aSCRAM-SHA-256\0\0'),
    answerOf('R', '\0\0\0\u000br=nonce,s=c2FsdA==,i=4096'),
  );
  await assertRefused(`postgres://app@127.0.0.1:${server.port}/patchbay`, {
    code: 'database_login_refused',
  });
});

test('text that is no PostgreSQL URL is refused without being repeated', async () => {
  const texts = [
    '',
    `app:${PASSWORD}@localhost`,
    `mysql://app:${PASSWORD}@localhost/db`,
    `postgres://app:${PASSWORD}/@localhost:port/db`,
  ];
  for (const text of texts) await assertRefused(text, { code: 'database_url_invalid' });
});

test('a URL of several hosts is refused as such', async () => {
  const message =
    'The database URL names several hosts, of which Patchbay takes one: name an address that follows the primary, such as that of a load balancer or of PgBouncer.';
  const urls = ['db-a,db-b', 'db-a:5432,db-b:5433', 'db-c,'].flatMap((hosts) => [
    `postgres://${hosts}/db`,
    `postgres://app:${PASSWORD}@${hosts}/db`,
  ]);
  for (const url of [...urls, `postgres://app:${PASSWORD}@/db?host=db-a,db-b`])
    await assertRefused(url, { code: 'database_url_invalid', message });
  // A comma of the password is none of the hosts.
  const { description } = parseDatabaseUrl(`postgres://app:${PASSWORD},x@127.0.0.1:1/db`);
  assert.match(description, /127\.0\.0\.1:1/);
  // Nor is what stands before a slash in it, which is to be encoded.
  await assertRefused(`postgres://app:${PASSWORD},x/y@localhost/db`, {
    code: 'database_url_invalid',
    message:
      'The database URL cannot be read; it must look like postgres://user:password@host:5432/database, with special characters in the password percent-encoded.',
  });
});

describe('a PostgreSQL server', { skip: SERVER.skip }, () => {
  const serverUrl = process.env['TEST_DATABASE_URL'] ?? '';

  test('without the database is told apart', async () => {
    const url = new URL(serverUrl);
    url.pathname = '/nowhere_at_all';
    await assertRefused(url.href, { code: 'database_absent' });
  });

  test('that must exist gets no schema where it has none', async () => {
    const place = await SERVER.make();
    try {
      const url = place.options.databaseUrl ?? '';
      await assert.rejects(openStore({ databaseUrl: url, mustExist: true }), {
        code: 'database_absent',
      });
      const found = await queryOnce(
        await place.connection(),
        "select 1 from pg_namespace where nspname like 'patchbay%'",
      );
      assert.deepEqual(found, []);
      await (await openStore({ databaseUrl: url })).close();
      await (await openStore({ databaseUrl: url, mustExist: true })).close();
    } finally {
      await place.remove();
    }
  });

  test('may have settings of its own for the role that connects', async () => {
    const place = await SERVER.make();
    const admin = { connectionString: serverUrl };
    const role = `store_test_settings_${process.pid}`;
    await queryOnce(admin, `create role ${role} login superuser password '${PASSWORD}'`);
    try {
      for (const setting of [
        "datestyle = 'German, DMY'",
        "default_transaction_isolation = 'serializable'",
        "lock_timeout = '1ms'",
      ])
        await queryOnce(admin, `alter role ${role} set ${setting}`);
      const url = new URL(place.options.databaseUrl ?? '');
      url.username = role;
      url.password = PASSWORD;
      await using store = await openStore({ databaseUrl: url.href });
      const { id: applicationId } = await addApplication(store);
      // They wait for each other.
      const made = await Promise.all(
        Array.from({ length: 20 }, () =>
          addConnector(store, { applicationId }, { perExternalUser: 20, perApplication: 20 }),
        ),
      );
      assert.ok(made.every(({ createdAt }) => createdAt instanceof Date));
    } finally {
      await place.remove();
      await queryOnce(admin, `drop role ${role}`);
    }
  });

  test('is refused where the user may not make a schema', async () => {
    const place = await SERVER.make();
    const admin = { connectionString: serverUrl };
    const role = `store_test_role_${process.pid}`;
    await queryOnce(admin, `create role ${role} login password '${PASSWORD}'`);
    try {
      const url = new URL(place.options.databaseUrl ?? '');
      url.username = role;
      url.password = PASSWORD;
      await assertRefused(url.href, { code: 'database_not_permitted' });
    } finally {
      await place.remove();
      await queryOnce(admin, `drop role ${role}`);
    }
  });

  test('is refused with another encoding than UTF-8', async () => {
    const name = `store_test_ascii_${process.pid}`;
    const admin = { connectionString: serverUrl };
    await queryOnce(
      admin,
      `create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`,
    );
    try {
      const url = new URL(serverUrl);
      url.pathname = `/${name}`;
      await assertRefused(url.href, { code: 'database_unsupported' });
    } finally {
      await queryOnce(admin, `drop database ${name} with (force)`);
    }
  });

  test('that ends connections costs no more than the statements under way', async () => {
    const place = await SERVER.make();
    const warnings: string[] = [];
    const store = await openStore({
      ...place.options,
      logger: { info: () => undefined, warn: (_details, message) => warnings.push(message) },
    });
    await Promise.all(Array.from({ length: 5 }, () => store.ping()));
    await queryOnce(
      await place.connection(),
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => store.ping()));
    assert.equal(outcomes.length, 5);
    await store.ping();
    await store.close();
    await place.remove();
  });
});

async function assertRefused(databaseUrl: string, expected: object): Promise<void> {
  await assert.rejects(openStore({ databaseUrl }), (error) => {
    assert.ok(error instanceof Error);
    assert.doesNotMatch(error.message, new RegExp(PASSWORD));
    for (const [key, value] of Object.entries(expected)) {
      assert.equal(Reflect.get(error, key), value);
    }
    return true;
  });
}

interface TestServer extends AsyncDisposable {
  readonly port: number;
}

/** A server that refuses every login with an `ErrorResponse`. */
async function useRefusingServer(sqlState: string): Promise<TestServer> {
  return await useAnsweringServer(refusalOf(sqlState, 'no'));
}

/** Gives one answer after the other, whatever it is asked, then hangs up. */
async function useAnsweringServer(...answers: readonly Buffer[]): Promise<TestServer> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    let answered = 0;
    socket.on('data', () => {
      socket.write(answers[answered] ?? '');
      answered += 1;
      if (answered >= answers.length) socket.end();
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return {
    // Proof: the server listens on a TCP port.
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => {
        closed.resolve();
      });
      return closed.promise;
    },
  };
}

async function useFreePort(): Promise<number> {
  await using server = await useAnsweringServer();
  return server.port;
}
