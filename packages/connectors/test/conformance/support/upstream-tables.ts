import assert from 'node:assert/strict';
import type { ConnectorKind } from '@patchbay/connectors';
import type { Action } from '@patchbay/connectors/engine';
import { parseTable, readReference } from '../../support/reference-notation.ts';
import type { Json } from './operations.ts';

/** A row of an upstream table. */
export interface UpstreamRow {
  readonly operation: string;
  readonly method: string;
  /** `{name}` stands for a param. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly params: readonly { readonly name: string; readonly isRequired: boolean }[];
  /** JSONPath of the records, or `—` for the body. */
  readonly records: string;
  /** JSONPaths of the Meta fields, by name. */
  readonly meta: Readonly<Record<string, string>>;
}

/** What an upstream map says of a kind. */
export interface UpstreamTable {
  readonly rows: ReadonlyMap<string, UpstreamRow>;
  /** The Authorization header by the required fields of an auth method, joined by commas. */
  readonly authorizations: ReadonlyMap<string, string>;
}

const UPSTREAM_TABLES = new URL('../../fixtures/upstream-requests.txt', import.meta.url);

const tables = readReference(UPSTREAM_TABLES);

/** The transcribed upstream table of a kind. */
export function upstreamTableOf({ kind }: ConnectorKind): UpstreamTable {
  const lines = tables.get(kind);
  assert.ok(lines, `the fixture has no part ${kind}`);
  const rows = parseTable(lines).map(parseRow);
  const authorizations = lines.flatMap((line): [string, string][] => {
    const [, fields = '', header = ''] = /^auth (.*): (.*)$/.exec(line) ?? [];
    if (header === '') return [];
    const required = fields.split(', ').filter((field) => !field.endsWith(' (opt)'));
    return [[required.toSorted().join(), header]];
  });
  return {
    rows: new Map(rows.map((row) => [row.operation, row])),
    authorizations: new Map(authorizations),
  };
}

/** The raw records of a parsed body. */
export function rawRecordsAt(body: unknown, path: string, verb: Action['verb']): readonly Json[] {
  const found: Json[] = [];
  withRecordsAt(body, path, verb, (record) => {
    found.push(record);
    return record;
  });
  return found;
}

/** The body with every record replaced. */
export function withRecordsAt(
  body: unknown,
  path: string,
  verb: Action['verb'],
  change: (record: Json) => unknown,
): unknown {
  if (path === '$[*][*]')
    return Object.fromEntries(
      Object.entries(asJson(body)).map(([name, list]) => [
        name,
        Array.isArray(list) ? list.map((record: unknown) => change(asJson(record))) : list,
      ]),
    );
  const [, ...segments] = path === '—' ? ['$'] : path.split('.');
  return replaceAt(body, segments, (value) => {
    if (verb !== 'list') return change(asJson(value));
    assert.ok(Array.isArray(value), `${path} is no array`);
    return value.map((record: unknown) => change(asJson(record)));
  });
}

/** The body with nothing besides its records but what `kept` names. */
export function onlyRecordsAt(body: unknown, path: string, kept: readonly string[]): unknown {
  const [, first] = path.split('.');
  if (first === undefined) return body;
  const entries = Object.entries(asJson(body));
  return Object.fromEntries(entries.filter(([name]) => name === first || kept.includes(name)));
}

function replaceAt(
  value: unknown,
  [segment, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  if (segment === undefined) return change(value);
  const object = asJson(value);
  return { ...object, [segment]: replaceAt(object[segment], rest, change) };
}

function asJson(value: unknown): Json {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value));
  // Proven: an object that is no array.
  return value as Json;
}

function parseRow(cells: readonly string[]): UpstreamRow {
  const [operation = '', request = '', params = '', records = '', meta = ''] = cells;
  const [line = '', header] = request.replace(/ file_url=.*$/, '').split(' header ');
  const [method = '', path = ''] = line.split(' ');
  return {
    operation,
    method,
    path,
    headers: header === undefined ? {} : pairs([header]),
    params:
      params === '—'
        ? []
        : params.split(' ').map((param) => ({
            name: param.replace('!', ''),
            isRequired: param.endsWith('!'),
          })),
    records,
    meta: meta === '—' ? {} : pairs(meta.split('; ')),
  };
}

/** Names and values of `name=value`. */
export function pairs(parts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', value = ''] = part.split('=');
      return [name, value];
    }),
  );
}
