import { newGroup, type FilterNode, type GroupNode, type Path } from './filter-tree.ts';
import { readFilter } from './read-filter.ts';
import { filterOf, placesOf } from './write-filter.ts';

export interface SortEntry {
  readonly field: string;
  readonly order: 'asc' | 'desc';
}

/** What is asked for, as the form has it. */
export interface Question {
  readonly filter: GroupNode;
  readonly sort: readonly SortEntry[];
  /** Empty for all. */
  readonly fields: readonly Path[];
  readonly facets: readonly Path[];
  readonly count: boolean;
  /** Hits a page; `undefined` for as many as the service gives by itself. */
  readonly limit: number | undefined;
  /** Params that have no field here, as somebody wrote them into the JSON. */
  readonly others: Json;
  /** As somebody wrote it, where the form has changed nothing of it: faults tell places in that. */
  readonly written: Written | undefined;
}

interface Written {
  readonly params: Json;
  readonly places: ReadonlyMap<FilterNode, string>;
}

type Json = Readonly<Record<string, unknown>>;

/** A page that a person looks through. */
const LIMIT = 100;

export function newQuestion(): Question {
  const lists = { sort: [], fields: [], facets: [] };
  return {
    filter: newGroup('all'),
    ...lists,
    count: true,
    limit: LIMIT,
    others: {},
    written: undefined,
  };
}

/** The params of the search, as they are sent (docs/search.md#params). */
export function paramsOf(question: Question): Json {
  const { filter, sort, fields, facets, count, limit, others, written } = question;
  if (written !== undefined) return written.params;
  const query = {
    ...(filter.join === 'all' && filter.nodes.length === 0 ? {} : { filter: filterOf(filter) }),
    ...(sort.length === 0 ? {} : { sort: sort.map(({ field, order }) => ({ [field]: order })) }),
  };
  return {
    query,
    ...(fields.length === 0 ? {} : { fields }),
    ...(facets.length === 0 ? {} : { facets }),
    ...(count ? { count } : {}),
    ...(limit === undefined ? {} : { limit }),
    ...others,
  };
}

/**
 * The form of params that somebody wrote.
 *
 * @throws Error that says what is not as the form needs it; everything else is for the service to judge.
 */
export function questionOf(params: unknown): Question {
  const given = objectOf(params, 'The search');
  const { query, fields, facets, count, limit, ...others } = given;
  const { filter, sort, ...unknown } = objectOf(query, 'query');
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) throw new Error(`query.${stranger} is not known.`);
  const { tree, places } = readFilter(filter ?? {});
  return {
    filter: tree,
    sort: arrayOf(sort, 'query.sort').map(sortEntryOf),
    fields: arrayOf(fields, 'fields').map((each) => pathIn(each, 'fields')),
    facets: arrayOf(facets, 'facets').map((each) => pathIn(each, 'facets')),
    count: booleanOf(count),
    limit: limitOf(limit),
    others,
    written: { params: given, places },
  };
}

/** Where in the query that is sent each part of its filter stands. */
export function placesIn({ filter, written }: Question): ReadonlyMap<FilterNode, string> {
  return written?.places ?? placesOf(filter, 'filter');
}

/** The question as a form has changed it: what was written is no longer what it says. */
export function changedQuestion(question: Question): Question {
  return { ...question, written: undefined };
}

function sortEntryOf(entry: unknown, index: number): SortEntry {
  const { field: name, order: direction, ...short } = objectOf(entry, `query.sort.${index}`);
  const [field, order] =
    typeof name === 'string' ? [name, direction] : (Object.entries(short)[0] ?? []);
  if (field !== undefined && (order === 'asc' || order === 'desc')) return { field, order };
  throw new Error(`query.sort.${index} must be like {"name": "asc"} or {"name": "desc"}.`);
}

function pathIn(value: unknown, at: string): Path {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new Error(`${at} must have names, or arrays of names.`);
}

function arrayOf(value: unknown, at: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${at} must be an array.`);
}

function booleanOf(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new Error('count must be true or false.');
}

function limitOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  throw new Error('limit must be a number.');
}

function objectOf(value: unknown, at: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new Error(`${at} must be an object.`);
}
