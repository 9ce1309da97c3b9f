import { addGrams, wordTerm } from '../../../packages/store/src/copies/terms.ts';
import { TermPlaces } from '../../../packages/store/src/copies/term-places.ts';
import type { ServiceCalls } from './service-calls.ts';

/** A search to be timed, and the same question as SQL by hand. */
export interface SearchCase {
  readonly name: string;
  readonly connectorId: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What half of the calls may take at most, at a million records on PostgreSQL. */
  readonly aimMs: number;
  readonly sql: { readonly text: string; readonly values: readonly unknown[] };
}

const TABLE = 'patchbay.copy_customer_messaging_contacts';
const SELECTIVE_MS = 5;
const TEXT_MS = 40;
const REST_MS = 300;

/** Sizes are for a large connector; in a small one some cases find less. */
const PAGE = 20;
const LARGE_PAGE = 1_000;
/** Contacts were made over years, so an hour and a half holds a few dozens of a million. */
const RANGE_SECONDS = 5_400;
const PAGES_TO_DEEP_CURSOR = 20;

interface Facts {
  readonly email: string;
  readonly name: string;
  readonly createdAt: number;
  /** The number at the end of the e-mail address: a word that hardly any other contact has. */
  readonly rareWord: string;
  readonly commonWord: string;
  readonly cursor: string;
  readonly cursorCreatedAt: number;
  readonly cursorKey: string;
}

/** The cases for one connector, with values taken from its own contacts. */
export async function searchCases(
  service: ServiceCalls,
  connectorId: string,
  label: 'large' | 'small',
): Promise<readonly SearchCase[]> {
  const facts = await gatherFacts(service, connectorId);
  const cases = casesOf(connectorId, facts);
  return label === 'large'
    ? cases
    : cases.map((each) => ({ ...each, name: `small connector: ${each.name}`, aimMs: 5 }));
}

function casesOf(connectorId: string, facts: Facts): readonly SearchCase[] {
  const { email, name, createdAt, rareWord, commonWord } = facts;
  const places = new TermPlaces(connectorId);
  const term = (field: string, word: string) => wordTerm(places.at([field]), word);
  const range = [createdAt, createdAt + RANGE_SECONDS] as const;
  const typo = swapped(commonWord);
  const partOfName = name.toLowerCase().slice(1, -1);
  const byKey = `order by record_key limit ${PAGE}`;
  // oxlint-disable-next-line max-params -- The cases below are a table: a row each.
  const make = (
    caseName: string,
    aimMs: number,
    search: Readonly<Record<string, unknown>>,
    where: string,
    values: readonly unknown[] = [],
    order: string = byKey,
  ): SearchCase => ({
    name: caseName,
    connectorId,
    aimMs,
    params: { limit: PAGE, ...search },
    sql: {
      text: `select * from ${TABLE} where ${ofConnector(where)} and ${where} ${order}`,
      values: [connectorId, ...values],
    },
  });
  // oxlint-disable-next-line max-params -- Likewise.
  const words = (caseName: string, aimMs: number, operator: string, query: string, is: string) =>
    make(
      caseName,
      aimMs,
      { query: { filter: { [operator]: { name: query } } } },
      'terms @> array[$2::bigint]',
      [term('name', is)],
    );
  return [
    make(
      'eq on a unique field',
      SELECTIVE_MS,
      { query: { filter: { eq: { email } } } },
      'left(text_email, 300) = $2 and text_email = $2',
      [email],
    ),
    make(
      'eq and in on three fields of few values',
      SELECTIVE_MS,
      {
        query: {
          filter: {
            eq: { role: 'user', browser_language: 'de' },
            in: { os: ['Windows 10', 'OS X 10.15.7'] },
          },
        },
      },
      `text_role = 'user' and text_browser_language = 'de' and text_os in ('Windows 10', 'OS X 10.15.7')`,
    ),
    make(
      'range',
      SELECTIVE_MS,
      { query: { filter: { gte: { created_at: range[0] }, lt: { created_at: range[1] } } } },
      'int8_created_at >= $2 and int8_created_at < $3',
      range,
    ),
    make(
      'like, a whole word between others',
      SELECTIVE_MS,
      { query: { filter: { like: { email: `%.${rareWord}@%` } } } },
      'terms @> array[$2::bigint] and lower(text_email) like $3',
      [term('email', rareWord), `%.${rareWord}@%`],
    ),
    make(
      'like, parts of two words',
      SELECTIVE_MS,
      { query: { filter: { like: { name: `%${partOfName}%` } } } },
      'grams @> $2::int[] and lower(text_name) like $3',
      [gramsOf(places, partOfName), `%${partOfName}%`],
    ),
    make(
      'keyword, a rare word',
      SELECTIVE_MS,
      { query: { filter: { keyword: { email: rareWord } } } },
      'terms @> array[$2::bigint]',
      [term('email', rareWord)],
    ),
    words('keyword, a common word', TEXT_MS, 'keyword', commonWord, commonWord),
    words('fuzzy, spelled right', TEXT_MS, 'fuzzy', name, commonWord),
    words('fuzzy, a typing error', TEXT_MS, 'fuzzy', typo, commonWord),
    make(
      'dotted path',
      REST_MS,
      { query: { filter: { eq: { 'custom_attributes.team_mates': 7 } } } },
      `jsonb_custom_attributes ->> 'team_mates' = '7'`,
    ),
    make(
      'not',
      REST_MS,
      { query: { filter: { not: { eq: { role: 'user' } } } } },
      `text_role is distinct from 'user'`,
    ),
    make(
      'sort by a sortable field',
      SELECTIVE_MS,
      { query: { sort: [{ created_at: 'desc' }] } },
      'int8_created_at is not null',
      [],
      `order by int8_created_at desc, record_key limit ${PAGE}`,
    ),
    make(
      'sort by another field',
      REST_MS,
      { query: { sort: [{ last_contacted_at: 'desc' }] } },
      'true',
      [],
      `order by int8_last_contacted_at desc nulls last, record_key limit ${PAGE}`,
    ),
    make(
      'a page of 1,000',
      REST_MS,
      { query: { sort: [{ created_at: 'asc' }] }, limit: LARGE_PAGE },
      'int8_created_at is not null',
      [],
      `order by int8_created_at, record_key limit ${LARGE_PAGE}`,
    ),
    make(
      'a deep cursor',
      SELECTIVE_MS,
      { query: { sort: [{ created_at: 'asc' }] }, cursor: facts.cursor },
      '(int8_created_at, record_key) > ($2, $3)',
      [facts.cursorCreatedAt, facts.cursorKey],
      `order by int8_created_at, record_key limit ${PAGE}`,
    ),
  ];
}

interface Found {
  readonly result: {
    readonly hits: readonly {
      readonly id: string;
      readonly data: Readonly<Record<string, unknown>>;
    }[];
    readonly next_cursor: string | null;
  };
}

async function gatherFacts(service: ServiceCalls, connectorId: string): Promise<Facts> {
  const search = async (params: unknown) =>
    // As docs/wire.md#two-shapes has it.
    (await service.call('POST', `/api/v1/connectors/sources/${connectorId}/execute`, {
      entity: 'contacts',
      action: 'search',
      params,
    })) as Found;
  const filter = { like: { name: '% %', email: '%.%.%@%' } };
  const sample = await search({
    query: { filter },
    limit: 10,
    fields: ['email', 'name', 'created_at'],
  });
  const contact = sample.result.hits.at(-1)?.data ?? {};
  const email = String(contact['email']);
  const name = String(contact['name']);
  const deep = await deepCursor(search);
  return {
    email,
    name,
    createdAt: Number(contact['created_at']),
    rareWord: /\.(\d+)@/.exec(email)?.[1] ?? '',
    commonWord: /[a-z]{5,}/.exec(name.toLowerCase())?.[0] ?? '',
    ...deep,
  };
}

/** Terms and grams belong to one connector; with `=` the planner might still read all its rows. */
function ofConnector(where: string): string {
  const isInverted = where.startsWith('terms') || where.startsWith('grams');
  return `connector_id ${isInverted ? 'is not distinct from' : '='} $1`;
}

/** A cursor deep in the list of contacts, with the sort key and id of the record before it. */
async function deepCursor(search: (params: unknown) => Promise<Found>) {
  const query = { sort: [{ created_at: 'asc' }] };
  let cursor: string | null = null;
  let last: Found['result']['hits'][number] | undefined;
  for (let page = 0; page < PAGES_TO_DEEP_CURSOR; page++) {
    const limit = page === 0 ? PAGE : 10_000;
    const found: Found = await search({ query, limit, cursor, fields: ['created_at'] });
    if (found.result.next_cursor === null) break;
    cursor = found.result.next_cursor;
    last = found.result.hits.at(-1);
  }
  return {
    cursor: cursor ?? '',
    cursorCreatedAt: Number(last?.data['created_at']),
    cursorKey: last?.id ?? '',
  };
}

/** The grams of two neighbouring words, the first cut at its start and the second at its end. */
function gramsOf(places: TermPlaces, text: string): readonly number[] {
  const [first = '', second = ''] = text.split(' ');
  const grams: number[] = [];
  for (const run of [`${first} `, ` ${second}`])
    addGrams(places.root, run, (gram) => grams.push(gram));
  return grams;
}

/** The word with its second and third letter swapped. */
function swapped(word: string): string {
  return `${word.slice(0, 1)}${word.slice(2, 3)}${word.slice(1, 2)}${word.slice(3)}`;
}
