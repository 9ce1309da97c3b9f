import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Statements } from '../support/bench-database.ts';
import { HandSql, type Statement } from './hand-sql.ts';
import { PAGE, SEARCH_CASES, type Question, type SearchCase } from './search-cases.ts';
import { loadDatabase } from './search-load.ts';
import { SearchTerms } from './search-terms.ts';
import { serviceCalls, type ServiceCalls } from '../support/service-calls.ts';

const SEED = 1;
const ASKED = 8;
const ROWS = 600;
const SERVER_URL =
  process.env['TEST_DATABASE'] === 'server' ? process.env['TEST_DATABASE_URL'] : undefined;

/** What a service answers, as far as it is compared. */
interface Found {
  readonly hits: readonly { readonly id: string }[];
  readonly total?: { readonly value: number };
  readonly facets?: Readonly<
    Record<
      string,
      { readonly values: readonly { readonly value: unknown; readonly count: number }[] }
    >
  >;
}

type Rows = readonly Readonly<Record<string, unknown>>[];

interface Answered {
  readonly question: Question;
  readonly found: Found;
  /** Of each statement that was run. */
  readonly byHand: readonly Rows[];
}

/** What so few contacts may have none of, also by hand. */
const RARE: readonly string[] = ['gt and lte, names', 'fuzzy, two words of several names'];

/** `fuzzy` finds words that are nearly those; by hand, only the words themselves are looked for. */
function findsMore({ name }: SearchCase): boolean {
  return name.startsWith('fuzzy');
}

async function search(
  service: ServiceCalls,
  connectorId: string,
  params: Question['params'],
): Promise<Found> {
  const path = `/api/v1/connectors/sources/${connectorId}/execute`;
  const call = { entity: 'contacts', action: 'search', params };
  // As docs/wire.md#two-shapes has it.
  return ((await service.call('POST', path, call)) as { readonly result: Found }).result;
}

async function answerByHand(question: Question, statements: Statements): Promise<readonly Rows[]> {
  const answers: Rows[] = [];
  let found = 0;
  for (const { text, values } of question.statements) {
    const rows = await statements.run(text, values);
    answers.push(rows);
    found += rows.length;
    if (question.stopsWhenFull === true && found >= PAGE) break;
  }
  return answers;
}

/** Ids of the rows, each once, a page of them. */
function pageOf(answers: readonly Rows[], { params }: Question): readonly string[] {
  const keys = answers
    .flat()
    .flatMap(({ record_key: key }) => (typeof key === 'string' ? [key] : []));
  return [...new Set(keys)].slice(0, Number(params['limit']));
}

/** The counts of values, in no order: of values that are as common, any may come first. */
function countsIn(rows: Rows, column: string): ReadonlyMap<unknown, number> {
  const known = rows.filter((row) => row[column] !== null);
  return new Map(known.map((row) => [row[column], Number(row['count'])]));
}

describe('SQL by hand', () => {
  const answered = new Map<string, readonly Answered[]>();
  before(async () => {
    const options = { rows: ROWS, tenants: 2, databaseUrl: SERVER_URL, keep: false, reuse: false };
    await using loaded = await loadDatabase(options, SEED, `hand_sql_${process.pid}`);
    const { connectorId } = loaded.facts;
    const sql = new HandSql(connectorId, loaded.columns);
    const asked = SEARCH_CASES.map((searchCase) => {
      const terms = new SearchTerms(loaded.sample, SEED);
      return {
        searchCase,
        questions: Array.from({ length: ASKED }, () => searchCase.ask(terms, sql)),
      };
    });
    const found = new Map<Question, Found>();
    {
      await using replica = await loaded.startService();
      await using service = serviceCalls(replica.ready, 1);
      for (const { searchCase, questions } of asked)
        for (const question of questions) {
          const limit = findsMore(searchCase) ? ROWS : question.params['limit'];
          found.set(question, await search(service, connectorId, { ...question.params, limit }));
        }
    }
    // An embedded database is opened by one process at a time.
    await using statements = await loaded.database.connect();
    for (const { searchCase, questions } of asked) {
      const answers: Answered[] = [];
      for (const question of questions)
        answers.push({
          question,
          found: found.get(question) ?? assert.fail(),
          byHand: await answerByHand(question, statements),
        });
      answered.set(searchCase.name, answers);
    }
  });
  after(() => answered.clear());

  for (const searchCase of SEARCH_CASES)
    test(`finds what the service finds: ${searchCase.name}`, () => {
      const all = answered.get(searchCase.name) ?? assert.fail();
      let most = 0;
      for (const { question, found, byHand } of all) {
        const ids = found.hits.map(({ id }) => id);
        const keys = pageOf(byHand, question);
        most = Math.max(most, keys.length);
        const asked = JSON.stringify(question.params).slice(0, 300);
        if (findsMore(searchCase))
          assert.deepEqual(
            keys.filter((key) => !ids.includes(key)),
            [],
            asked,
          );
        else assert.deepEqual(keys, ids, asked);
        assertCounts(question, found, byHand);
      }
      assert.ok(most > 0 || RARE.includes(searchCase.name), 'nothing was found at all');
    });
});

function isCount({ text }: Statement): boolean {
  return text.startsWith('select count(*)');
}

/** Statements that count come after the one that finds hits: the total, or one for each facet. */
function assertCounts(
  { params, statements }: Question,
  { total, facets = {} }: Found,
  byHand: readonly Rows[],
): void {
  if (params['count'] === true) {
    const counted = byHand[statements.findIndex(isCount)]?.[0];
    assert.equal(Number(counted?.['count']), total?.value);
  }
  Object.entries(facets).forEach(([field, { values }], nth) => {
    const counted = countsIn(byHand[nth + 1] ?? [], `text_${field}`);
    assert.deepEqual(counted, new Map(values.map(({ value, count }) => [value, count])));
  });
}
