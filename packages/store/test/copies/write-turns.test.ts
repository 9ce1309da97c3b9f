import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { searchedThings } from '@patchbay/connectors/testing';
import type { KyselyPlugin } from 'kysely';
import { writeRecords } from '../../src/copies/write-records.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { databaseNow, openTestCopies, type TestCopies } from './support/open-test-copies.ts';

const RECORDS = 200;
const WORDS = 40;

/** Words of nine letters, none like another. */
function wordOf(number: number): string {
  const digits = (1e9 + (Math.imul(number + 1, 0x9e3779b1) >>> 0)).toString().slice(-9);
  return Array.from(digits, (digit) => 'abcdefghij'[Number(digit)]).join('');
}

function textOf(record: number): string {
  return Array.from({ length: WORDS }, (_, word) => wordOf(record * WORDS + word)).join(' ');
}

const SEVENS = Array.from({ length: 5_000 }, () => 7);

const PAGE = Array.from({ length: RECORDS }, (_, record) => ({
  key: String(record),
  values: { name: textOf(record), profile: { text: textOf(record), many: SEVENS } },
}));

/** Counts how often others have their turn before each statement, since the answer to the one before. */
function countTurns() {
  const counts: number[] = [];
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      counts.push(turns);
      return node;
    },
    transformResult: ({ result }) => {
      turns = 0;
      return Promise.resolve(result);
    },
  };
  return { plugin, counts, end: () => clearImmediate(next) };
}

for (const database of TEST_DATABASES) {
  describe(`writing a page on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('gives way while records, their terms and the keys of words are made', async () => {
      const write = { generation: 1, lastGeneration: 1, askedAt: await databaseNow(copies.store) };
      const turns = countTurns();
      const open = copies.open(await copies.newCopy('things'), {
        database: copies.database.withPlugin(turns.plugin),
      });
      const written = await writeRecords(open, PAGE, write);
      turns.end();
      assert.deepEqual(written, { added: RECORDS, changed: 0 });
      const [records = 0, terms = 0, , keys = 0] = turns.counts;
      assert.ok(records > 0 && terms > 0 && keys > 0, `${records}, ${terms}, ${keys} turns`);
    });
  });
}
