import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely';
import type { Database, Tables } from './database.ts';
import { joinedTransaction } from './joined-transaction.ts';

/** A database whose every statement takes a round, in which those that were sent before it come along; `wrong` fails. */
function fakeDatabase(): { readonly database: Database; readonly rounds: readonly string[][] } {
  const rounds: string[][] = [];
  let round: string[] | undefined;
  async function executeQuery<Row>({ sql }: CompiledQuery): Promise<QueryResult<Row>> {
    if (round === undefined) rounds.push((round = []));
    round.push(sql);
    await new Promise((resolve) => setImmediate(resolve));
    round = undefined;
    if (sql === 'wrong') throw new Error('it is wrong');
    // Proof: the test asks for such rows.
    return { rows: [{ of: sql } as Row] };
  }
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery: () => assert.fail('nothing is streamed'),
  };
  class FakeDriver extends DummyDriver {
    override acquireConnection(): Promise<DatabaseConnection> {
      return Promise.resolve(connection);
    }
  }
  const database = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new FakeDriver(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return { database, rounds };
}

interface Told {
  readonly of: string;
}

// Proof: the fake answers with such rows.
const statement = (text: string) => CompiledQuery.raw(text) as CompiledQuery<Told>;

test('the first statements travel with the beginning of the transaction, the last ones with its commit', async () => {
  const { database, rounds } = fakeDatabase();
  const first = [statement('first'), statement('second')] as const;
  const result = await joinedTransaction(database, first, async (transaction, [one, two]) => {
    const told = [one.rows[0]?.of, two.rows[0]?.of];
    await transaction.executeQuery(statement('in between'));
    return {
      beforeLast: [statement('before last')],
      last: statement('last'),
      result: ([row]: readonly Told[]) => [...told, row?.of],
    };
  });
  assert.deepEqual(rounds, [
    ['begin', 'first', 'second'],
    ['in between'],
    ['before last', 'last', 'commit'],
  ]);
  assert.deepEqual(result, ['first', 'second', 'last']);
});

test('what fails undoes all of it, and is told', async () => {
  const failing = { beforeLast: [], last: statement('last'), result: () => undefined };
  const first = fakeDatabase();
  await assert.rejects(
    joinedTransaction(first.database, [statement('wrong')], () => assert.fail('it has failed')),
    /it is wrong/,
  );
  assert.deepEqual(first.rounds, [['begin', 'wrong'], ['rollback']]);
  const work = fakeDatabase();
  await assert.rejects(
    joinedTransaction(work.database, [], async (transaction) => {
      await transaction.executeQuery(statement('wrong'));
      return failing;
    }),
    /it is wrong/,
  );
  assert.deepEqual(work.rounds, [['begin'], ['wrong'], ['rollback']]);
  const last = fakeDatabase();
  await assert.rejects(
    joinedTransaction(last.database, [], () =>
      Promise.resolve({ ...failing, beforeLast: [statement('wrong')] }),
    ),
    /it is wrong/,
  );
  assert.deepEqual(last.rounds, [['begin'], ['wrong', 'last', 'commit']], 'its commit undoes it');
});

test('a value that cannot be sent undoes all of it, since the commit would not know', async () => {
  for (const value of [{ toPostgres: () => assert.fail('it is sent') }, ['a'], 1n, undefined]) {
    const { database, rounds } = fakeDatabase();
    const last = { ...statement('last'), parameters: ['plain', null, new Date(), value] };
    const ending = { beforeLast: [], last, result: () => undefined };
    await assert.rejects(
      joinedTransaction(database, [statement('first')], () => Promise.resolve(ending)),
      TypeError,
    );
    assert.deepEqual(rounds, [['begin', 'first'], ['rollback']]);
  }
});
