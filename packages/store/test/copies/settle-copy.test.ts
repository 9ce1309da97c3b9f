import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { searchedThings } from '@patchbay/connectors/testing';
import { sql } from 'kysely';
import { settleCopy } from '../../src/copies/settle-copy.ts';
import { SCHEMA } from '../../src/database.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { openTestCopies, type TestCopies } from './support/open-test-copies.ts';

/** More than a table may have changed by without being analysed. */
const RECORDS = Array.from({ length: 1_500 }, (_, index) => ({
  key: String(index),
  values: { id: String(index), name: `name ${index}`, note: `note ${index}` },
}));
/** A server's processes tell their counts of changes once a second. */
const TOLD_AFTER_MS = 1_200;

for (const database of TEST_DATABASES) {
  describe(`settling a copy on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('indexes what was put aside, and has its table analysed, wherever its rows are', async () => {
      const copy = await copies.newCopy('things');
      const open = copies.open(copy);
      await copies.write(copy, RECORDS);
      await wait(TOLD_AFTER_MS);
      await settleCopy(open);
      const { pages, rows } = await stateOf(open);
      assert.equal(pages, 0, 'pages of entries that are still put aside');
      assert.equal(rows, RECORDS.length, 'rows that the planner knows of');
    });
  });
}

/** Pages of entries put aside by the inverted indexes, and rows that the planner knows of: of all shards together. */
async function stateOf({
  database,
  table,
  isDistributed,
}: ReturnType<TestCopies['open']>): Promise<{ readonly pages: number; readonly rows: number }> {
  const name = `${SCHEMA}.${table.name}`;
  const { rows } = await (
    isDistributed
      ? sql<{
          result: string;
        }>`select result from run_command_on_shards(${name}, ${stateSql('%1$s')})`
      : sql<{ result: string }>`${sql.raw(stateSql(name))}`
  ).execute(database);
  // As the statement above makes them.
  const states = rows.map(({ result }) => JSON.parse(result) as { pages: number; rows: number });
  return {
    pages: states.reduce((sum, { pages }) => sum + pages, 0),
    rows: states.reduce((sum, each) => sum + each.rows, 0),
  };
}

function stateSql(table: string): string {
  return `
    select json_build_object(
      'pages', (
        select sum(gin_clean_pending_list(indexrelid))::int
        from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
        where indrelid = '${table}'::regclass and amname = 'gin'
      ),
      'rows', (select greatest(reltuples, 0)::int from pg_class where oid = '${table}'::regclass)
    )::text as result`;
}
