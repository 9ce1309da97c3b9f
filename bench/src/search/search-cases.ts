import type { HandSql, Statement } from './hand-sql.ts';
import { misspelled, wordsOf, type SearchTerms, type WordField } from './search-terms.ts';

/** A search, and the same question by hand. */
export interface Question {
  readonly params: Readonly<Record<string, unknown>>;
  readonly statements: readonly Statement[];
  /** Later statements are only run while the ones before have not filled a page. */
  readonly stopsWhenFull?: true;
  /** The search goes on behind so many hits, where this is set. */
  readonly behind?: number;
}

/** A kind of question, of which every one asks for something else. */
export interface SearchCase {
  readonly name: string;
  /** What half of the calls, and 99 in 100, may take at most: at a million records on PostgreSQL. */
  readonly aimMs: { readonly p50: number; readonly p99: number };
  /** How often it comes up in the mixes of open loops; 0 for never. */
  readonly weight: number;
  readonly ask: (terms: SearchTerms, sql: HandSql) => Question;
}

const LOOKUP = { aimMs: { p50: 5, p99: 15 }, weight: 4 } as const;
const TEXT = { aimMs: { p50: 15, p99: 60 }, weight: 3 } as const;
const TEXTS = { aimMs: { p50: 40, p99: 150 }, weight: 2 } as const;
const REST = { aimMs: { p50: 300, p99: 2_000 }, weight: 1 } as const;

export const PAGE = 20;
const LARGE_PAGE = 1_000;
/** Contacts were made over years, so an hour and a half holds a few dozens of a million. */
const RANGE_SECONDS = 5_400;
const DEEP = 5_000;

type Filter = Readonly<Record<string, unknown>>;

function where(
  filter: Filter,
  statements: Statement | readonly Statement[],
  more: Readonly<Record<string, unknown>> = {},
): Question {
  return { params: { query: { filter }, limit: PAGE, ...more }, statements: [statements].flat() };
}

function sorted(filter: Filter, sort: Readonly<Record<string, 'asc' | 'desc'>>, by: Statement) {
  return { params: { query: { filter, sort: [sort] }, limit: PAGE }, statements: [by] };
}

/** Many values of the contacts, each once. */
function many<T>(count: number, draw: () => T): readonly T[] {
  return [...new Set(Array.from({ length: count }, draw))];
}

function emailsCase(count: number): SearchCase {
  return {
    name: `in, ${count.toLocaleString('en')} e-mail address${count === 1 ? '' : 'es'}`,
    ...(count <= 20 ? LOOKUP : REST),
    ask: (terms, sql) => {
      const emails = many(count, () => terms.contact().email);
      const found = sql.rows('left(text_email, 300) = any($2) and text_email = any($2)', [emails]);
      return where({ in: { email: emails } }, found);
    },
  };
}

/** What sets the cases of words apart. */
interface Words {
  readonly name: string;
  readonly cost: Pick<SearchCase, 'aimMs' | 'weight'>;
  readonly field: WordField;
  /** How the words are spelled in the query, if not as they are. */
  readonly spell?: (word: string) => string;
}

type DrawWords = (terms: SearchTerms) => readonly string[];

function keywordCase({ name, cost, field }: Words, draw: DrawWords): SearchCase {
  return {
    name: `keyword, ${name}`,
    ...cost,
    ask: (terms, sql) => {
      const words = draw(terms);
      const path = pathOf(field);
      const filter = { keyword: { [path.join('.')]: words.join(' ') } };
      return { ...where(filter, sql.mostWords(path, words)), stopsWhenFull: true };
    },
  };
}

/** By hand, only rows with all the words as they really are spelled are found. */
function fuzzyCase({ name, cost, field, spell }: Words, draw: DrawWords): SearchCase {
  return {
    name: `fuzzy, ${name}`,
    ...cost,
    ask: (terms, sql) => {
      const words = draw(terms);
      const path = pathOf(field);
      const query = words.map((word) => spell?.(word) ?? word).join(' ');
      return where({ fuzzy: { [path.join('.')]: query } }, sql.allWords(path, words));
    },
  };
}

function pathOf(field: WordField): readonly string[] {
  return field === 'company' ? ['custom_attributes', 'company'] : [field];
}

function partCase(field: 'name' | 'email', length: number): SearchCase {
  return {
    name: `like, ${length} characters of ${field === 'name' ? 'a name' : 'an e-mail address'}`,
    ...TEXT,
    ask: (terms, sql) => {
      const part = terms.part(terms.contact()[field].toLowerCase(), length);
      return where({ like: { [field]: `%${part}%` } }, sql.part(`text_${field}`, part));
    },
  };
}

const beginning = (word: string) => word.slice(0, 4);

/** Every operator, alone and together. */
export const SEARCH_CASES: readonly SearchCase[] = [
  {
    name: 'eq, an e-mail address',
    ...LOOKUP,
    ask: (terms, sql) => {
      const { email } = terms.contact();
      return where(
        { eq: { email } },
        sql.rows('left(text_email, 300) = $2 and text_email = $2', [email]),
      );
    },
  },
  {
    name: 'eq, a name',
    ...LOOKUP,
    ask: (terms, sql) => {
      const { name } = terms.contact();
      return where(
        { eq: { name } },
        sql.rows('left(text_name, 300) = $2 and text_name = $2', [name]),
      );
    },
  },
  {
    name: 'eq, a telephone number, which has no index of its own',
    ...LOOKUP,
    ask: (terms, sql) => {
      const phone = terms.value('phone');
      return where({ eq: { phone } }, sql.allWords(['phone'], wordsOf(phone)));
    },
  },
  {
    name: 'eq and in, three fields of few values',
    ...LOOKUP,
    ask: (terms, sql) => {
      const language = terms.oneOf(['en', 'de', 'ja']);
      const os = ['Windows 10', 'OS X 10.15.7'];
      return where(
        { eq: { role: 'user', browser_language: language }, in: { os } },
        sql.rows(`text_role = 'user' and text_browser_language = $2 and text_os = any($3)`, [
          language,
          os,
        ]),
      );
    },
  },
  {
    name: 'eq, a nested attribute',
    ...TEXT,
    ask: (terms, sql) => {
      const company = terms.value('company');
      return where(
        { eq: { 'custom_attributes.company': company } },
        sql.allWords(['custom_attributes', 'company'], wordsOf(company)),
      );
    },
  },
  {
    name: 'neq and gte',
    ...TEXT,
    ask: (terms, sql) => {
      const { createdAt } = terms.contact();
      return where(
        { neq: { role: 'user' }, gte: { created_at: createdAt } },
        sql.rows(`int8_created_at >= $2 and text_role is distinct from 'user'`, [createdAt]),
      );
    },
  },
  emailsCase(1),
  emailsCase(20),
  emailsCase(1_000),
  {
    name: 'in, 20 telephone numbers',
    ...TEXT,
    ask: (terms, sql) => {
      const phones = many(20, () => terms.value('phone'));
      return where({ in: { phone: phones } }, sql.oneOfTexts('phone', phones.map(wordsOf)));
    },
  },
  {
    name: 'gte and lt, an hour and a half',
    ...LOOKUP,
    ask: (terms, sql) => {
      const { createdAt } = terms.contact();
      const end = createdAt + RANGE_SECONDS;
      return where(
        { gte: { created_at: createdAt }, lt: { created_at: end } },
        sql.rows('int8_created_at >= $2 and int8_created_at < $3', [createdAt, end]),
      );
    },
  },
  {
    name: 'gt and lte, names',
    ...LOOKUP,
    ask: (terms, sql) => {
      const { name } = terms.contact();
      const end = `${name}~`;
      return sorted(
        { gt: { name }, lte: { name: end } },
        { name: 'asc' },
        sql.rows(
          'left(text_name, 300) >= $2 and left(text_name, 300) <= $3 and text_name > $2 and text_name <= $3',
          [name, end],
          `order by left(text_name, 300), record_key limit ${PAGE}`,
        ),
      );
    },
  },
  partCase('name', 6),
  partCase('email', 4),
  partCase('email', 8),
  {
    name: 'like, parts of two words',
    ...TEXT,
    ask: (terms, sql) => {
      const part = terms.contact().name.toLowerCase().slice(1, -1);
      return where({ like: { name: `%${part}%` } }, sql.part('text_name', part));
    },
  },
  {
    name: 'not like, sorted by another field',
    ...REST,
    ask: (terms, sql) => {
      const part = terms.part(terms.contact().name.toLowerCase(), 4);
      return sorted(
        { not: { like: { name: `%${part}%` } } },
        { updated_at: 'desc' },
        sql.rows(
          'int8_updated_at is not null and (text_name is null or lower(text_name) not like $2)',
          [`%${part}%`],
          `order by int8_updated_at desc, record_key limit ${PAGE}`,
        ),
      );
    },
  },
  {
    name: 'not',
    ...TEXT,
    ask: (terms, sql) => {
      const os = terms.oneOf(['Windows 10', 'OS X 10.15.7']);
      return where({ not: { eq: { os } } }, sql.rows('text_os is distinct from $2', [os]));
    },
  },
  keywordCase({ name: 'one word of names', cost: LOOKUP, field: 'name' }, (terms) => [
    terms.word('name'),
  ]),
  keywordCase({ name: 'one word of e-mail addresses', cost: LOOKUP, field: 'email' }, (terms) => [
    terms.word('email'),
  ]),
  keywordCase(
    { name: 'one word of a nested attribute', cost: LOOKUP, field: 'company' },
    (terms) => [terms.word('company')],
  ),
  keywordCase({ name: 'two words of one name', cost: TEXT, field: 'name' }, (terms) =>
    terms.wordsTogether('name', 2),
  ),
  keywordCase({ name: 'three words of one e-mail address', cost: TEXT, field: 'email' }, (terms) =>
    terms.wordsTogether('email', 3),
  ),
  keywordCase({ name: 'three words of several names', cost: TEXT, field: 'name' }, (terms) =>
    terms.words('name', 3),
  ),
  keywordCase({ name: 'six words of several names', cost: REST, field: 'name' }, (terms) =>
    terms.words('name', 6),
  ),
  fuzzyCase({ name: 'one word', cost: TEXT, field: 'name' }, (terms) => [terms.word('name')]),
  fuzzyCase(
    { name: 'one misspelled word', cost: TEXT, field: 'name', spell: misspelled },
    (terms) => [terms.word('name')],
  ),
  fuzzyCase(
    { name: 'the beginning of a word', cost: TEXT, field: 'name', spell: beginning },
    (terms) => [terms.word('name')],
  ),
  fuzzyCase({ name: 'two words of one name', cost: TEXTS, field: 'name' }, (terms) =>
    terms.wordsTogether('name', 2),
  ),
  fuzzyCase(
    { name: 'two misspelled words of one name', cost: TEXTS, field: 'name', spell: misspelled },
    (terms) => terms.wordsTogether('name', 2),
  ),
  fuzzyCase(
    { name: 'two words of several names', cost: TEXTS, field: 'name', spell: misspelled },
    (terms) => terms.words('name', 2),
  ),
  fuzzyCase(
    {
      name: 'three words of one e-mail address, two misspelled',
      cost: TEXTS,
      field: 'email',
      spell: misspelled,
    },
    (terms) => terms.wordsTogether('email', 3),
  ),
  {
    name: 'contains, an interest',
    ...REST,
    ask: (terms, sql) => {
      const interest = terms.value('interest');
      return where(
        { contains: { 'custom_attributes.interests': interest } },
        sql.rows(`jsonb_custom_attributes -> 'interests' ? $2`, [interest]),
      );
    },
  },
  {
    name: 'any, a tag',
    ...REST,
    ask: (terms, sql) => {
      const id = terms.value('tagId');
      return where(
        { any: { 'tags.data': { eq: { id } } } },
        sql.rows(`jsonb_tags -> 'data' @> $2::jsonb`, [JSON.stringify([{ id }])]),
      );
    },
  },
  {
    name: 'and, or',
    ...TEXT,
    ask: (terms, sql) => {
      const { createdAt } = terms.contact();
      const [name, email] = [terms.word('name'), terms.word('email')];
      return where(
        {
          and: [
            { or: [{ keyword: { name } }, { keyword: { email } }] },
            { gte: { created_at: createdAt } },
          ],
        },
        sql.rows('(terms @> $2::bigint[] or terms @> $3::bigint[]) and int8_created_at >= $4', [
          sql.terms(['name'], [name]),
          sql.terms(['email'], [email]),
          createdAt,
        ]),
      );
    },
  },
  {
    name: 'sort, a sortable field',
    ...LOOKUP,
    ask: (terms, sql) => {
      const field = terms.oneOf(['created_at', 'updated_at', 'last_seen_at', 'signed_up_at']);
      return sorted(
        {},
        { [field]: 'desc' },
        sql.rows(
          `int8_${field} is not null`,
          [],
          `order by int8_${field} desc, record_key limit ${PAGE}`,
        ),
      );
    },
  },
  {
    name: 'sort, another field',
    ...REST,
    // It reads the whole copy: one in a hundred of these alone would make the rate.
    weight: 0,
    ask: (terms, sql) => {
      const direction = terms.oneOf(['asc', 'desc'] as const);
      return sorted(
        {},
        { owner_id: direction },
        sql.rows(
          'true',
          [],
          `order by int8_owner_id ${direction} nulls last, record_key limit ${PAGE}`,
        ),
      );
    },
  },
  {
    name: 'a page of 1,000',
    ...REST,
    ask: (terms, sql) => {
      const { createdAt } = terms.contact();
      const filter = { gte: { created_at: createdAt } };
      return {
        params: { query: { filter, sort: [{ created_at: 'asc' }] }, limit: LARGE_PAGE },
        statements: [
          sql.rows(
            'int8_created_at >= $2',
            [createdAt],
            `order by int8_created_at, record_key limit ${LARGE_PAGE}`,
          ),
        ],
      };
    },
  },
  {
    name: 'a cursor behind 5,000 hits',
    ...LOOKUP,
    ask: (terms, sql) => {
      const { createdAt } = terms.contact();
      const statement = sql.rows(
        'int8_created_at >= $2',
        [createdAt],
        `order by int8_created_at, record_key limit ${PAGE}`,
      );
      return {
        ...sorted({ gte: { created_at: createdAt } }, { created_at: 'asc' }, statement),
        behind: DEEP,
      };
    },
  },
  {
    name: 'count, one word of names',
    ...TEXTS,
    ask: (terms, sql) => {
      const word = terms.word('name');
      const found = [sql.terms(['name'], [word])];
      return where(
        { keyword: { name: word } },
        [sql.allWords(['name'], [word]), sql.count('terms @> $2::bigint[]', found)],
        { count: true },
      );
    },
  },
  {
    name: 'facets, one word of names',
    ...TEXTS,
    ask: (terms, sql) => {
      const word = terms.word('name');
      const found = [sql.terms(['name'], [word])];
      return where(
        { keyword: { name: word } },
        [
          sql.allWords(['name'], [word]),
          sql.facet('text_role', 'terms @> $2::bigint[]', found),
          sql.facet('text_os', 'terms @> $2::bigint[]', found),
        ],
        { facets: ['role', 'os'] },
      );
    },
  },
];

/** What people ask every day, a mix of its own: one condition, or an order that an index has. */
export const EVERYDAY: ReadonlySet<string> = new Set([
  'eq, an e-mail address',
  'eq, a name',
  'in, 1 e-mail address',
  'in, 20 e-mail addresses',
  'gte and lt, an hour and a half',
  'gt and lte, names',
  'like, 6 characters of a name',
  'not like, sorted by another field',
  'keyword, one word of names',
  'keyword, one word of e-mail addresses',
  'keyword, one word of a nested attribute',
  'keyword, three words of one e-mail address',
  'keyword, three words of several names',
  'fuzzy, one word',
  'fuzzy, one misspelled word',
  'fuzzy, the beginning of a word',
  'fuzzy, two words of one name',
  'fuzzy, two misspelled words of one name',
  'fuzzy, two words of several names',
  'sort, a sortable field',
]);
