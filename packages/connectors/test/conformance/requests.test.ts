import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { ConnectorEngine } from '@patchbay/connectors/engine';
import { reply, startUpstream, type OwnUpstream, type SeenRequest } from '../support/upstreams.ts';
import { kindsUnderTest } from './support/kinds-under-test.ts';
import {
  credentialsOf,
  engineFor,
  givenMethodsOf,
  isWriteOperation,
  operationsOf,
  requiredParamsOf,
  type Json,
  type Operation,
} from './support/operations.ts';
import { plausible } from './support/samples.ts';
import { pairs, upstreamTableOf, type UpstreamRow } from './support/upstream-tables.ts';

/** The upstream maps, beside a checkout of the project's own machines. */
const MAPS = new URL('../../../../../shared/upstream/', import.meta.url);

for (const underTest of kindsUnderTest) {
  const { kind, row: kindRow } = underTest;
  const table = upstreamTableOf(kind);

  describe(`the requests of ${kind.kind} are those of its upstream table`, () => {
    let upstream: OwnUpstream;
    let engine: ConnectorEngine;
    before(async () => {
      upstream = await startUpstream((response) => reply(response, 400, {}));
      engine = engineFor(underTest, upstream.url);
    });
    after(() => upstream[Symbol.asyncDispose]());

    test('it has the operations of the table, and no others', () => {
      assert.deepEqual(
        operationsOf(kind)
          .map(({ name }) => name)
          .toSorted(),
        [...table.rows.keys()].toSorted(),
      );
    });

    for (const operation of operationsOf(kind))
      test(`${operation.name}: method, path, headers, and every param by its name`, async () => {
        const row = table.rows.get(operation.name);
        assert.ok(row, 'the table has no such row');
        const other = kindRow.otherRequests?.[operation.name];
        const expectedLine = other?.request ?? `${row.method} ${row.path}`;
        const { action } = operation;
        assert.deepEqual(
          requiredParamsOf(action).toSorted(),
          row.params
            .filter(({ isRequired }) => isRequired)
            .map(({ name }) => name)
            .toSorted(),
          'required params',
        );
        const required = Object.fromEntries(
          requiredParamsOf(action).map((name) => [name, plausible(action, name)]),
        );
        const sentNames = (names: readonly string[]) =>
          names.map((name) => kindRow.otherNames?.[`${operation.name}.${name}`]?.name ?? name);
        const bare = await sentBy(operation, required);
        assert.equal(lineOf(bare), filled(expectedLine, required));
        checkNames(operation, bare, sentNames(Object.keys(required)));
        for (const [name, value] of Object.entries(row.headers))
          assert.equal(bare.headers[name.toLowerCase()], value);
        for (const { name } of row.params) {
          const value = plausible(action, name);
          const params = { ...required, [name]: value };
          const request = await sentBy(operation, params);
          assert.equal(lineOf(request), filled(expectedLine, params));
          if (expectedLine.includes(`{${name}}`)) continue;
          const [sentName = name] = sentNames([name]);
          checkSent(request, sentName, value);
          checkNames(operation, request, sentNames([...Object.keys(required), name]));
        }
      });

    /** Sends an operation, and gives the request that came of it. */
    async function sentBy({ entity, action }: Operation, params: Json): Promise<SeenRequest> {
      const earlier = upstream.seen.length;
      await assert.rejects(engine.execute(entity.name, action.verb, params), {
        name: 'ConnectorError',
        code: 'upstream_rejected',
      });
      const request = upstream.seen[earlier];
      assert.ok(request);
      assert.equal(upstream.seen.length, earlier + 1);
      return request;
    }

    for (const operation of operationsOf(kind).filter(isWriteOperation))
      test(`${operation.name} sends a JSON body and no query`, async () => {
        const required = Object.fromEntries(
          requiredParamsOf(operation.action).map((name) => [
            name,
            plausible(operation.action, name),
          ]),
        );
        const { headers, line } = await sentBy(operation, required);
        assert.match(headers['content-type'] ?? '', /^application\/json/);
        assert.ok(!line.includes('?'));
      });

    for (const method of givenMethodsOf(kind))
      test(`its auth method ${method} makes the Authorization header of the table`, async () => {
        const given = credentialsOf(kind, method);
        const fields = Object.keys(given).toSorted().join();
        const expected = table.authorizations.get(fields);
        assert.ok(expected, `the table has no method with ${fields}`);
        await using own = await startUpstream((response) => reply(response, 400, {}));
        const [operation] = operationsOf(kind);
        assert.ok(operation);
        const { entity, action } = operation;
        const call = engineFor(underTest, own.url, { given }).execute(entity.name, action.verb);
        await assert.rejects(call);
        const [scheme = '', ...rest] = expected.split(' ');
        const value = rest.join(' ').replace(/\{(\w+)\}/g, (_, name: string) => given[name] ?? '');
        const sent = own.seen[0]?.headers.authorization;
        const encoded = scheme === 'Basic' ? Buffer.from(value).toString('base64') : value;
        assert.equal(sent, `${scheme} ${encoded}`);
      });

    test('the table has an auth method for each of the kind, and no other', () => {
      assert.equal(table.authorizations.size, givenMethodsOf(kind).length);
    });

    test('every exception to the table is of an operation or param there is', () => {
      const { otherRequests = {}, otherNames = {}, numberedWalks } = kindRow;
      const names = new Set(operationsOf(kind).map(({ name }) => name));
      const params = new Set(
        operationsOf(kind).flatMap(({ name, action }) =>
          Object.keys(action.params).map((param) => `${name}.${param}`),
        ),
      );
      for (const name of [...Object.keys(otherRequests), ...(numberedWalks?.lists ?? [])])
        assert.ok(names.has(name), name);
      for (const name of Object.keys(otherNames)) assert.ok(params.has(name), name);
    });
  });
}

const skip = existsSync(MAPS) ? false : 'there is no ../shared/upstream beside the checkout';
test('every transcribed row stands in the upstream maps themselves', { skip }, () => {
  for (const { kind } of kindsUnderTest) {
    const map = readFileSync(new URL(`${kind.kind}.md`, MAPS), 'utf8');
    const rows = map
      .split('\n')
      .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', '')))
      .filter((cells) => cells[2] === 'S');
    const transcribed = upstreamTableOf(kind).rows;
    assert.equal(transcribed.size, rows.length);
    for (const [, name = '', , request = '', path, query, body, records = '', meta = ''] of rows) {
      const row = transcribed.get(name);
      assert.ok(row, name);
      assert.deepEqual(row, { ...row, records, ...requestOf(request) });
      assert.equal(
        Object.entries(row.meta)
          .map((pair) => pair.join('='))
          .join('; ') || '—',
        meta,
      );
      const cells = [path, query, body].filter((cell) => cell !== '—').join('; ');
      assert.deepEqual(
        row.params,
        [...cells.matchAll(/(?:^|; )(\w+): ([^;]*)/g)].map(([, param, rest]) => ({
          name: param,
          isRequired: rest?.includes('**req**'),
        })),
      );
    }
  }
});

function requestOf(cell: string): Pick<UpstreamRow, 'method' | 'path' | 'headers'> {
  const [, method = '', path = '', header] =
    /^(\w+) (\S+)(?: header (\S+))?(?: file_url=\S+)?$/.exec(cell) ?? [];
  return {
    method,
    path,
    headers: header === undefined ? {} : pairs([header]),
  };
}

/** The request line with the params in their places. */
function filled(line: string, params: Json): string {
  return line.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

/** Method and path of a request, without its query. */
function lineOf({ line }: SeenRequest): string {
  return line.split('?')[0] ?? '';
}

/** What a request brings along, in its query or its body. */
function sentParams({ line, body }: SeenRequest): Json {
  const query = Object.fromEntries(new URLSearchParams(line.split('?')[1] ?? ''));
  return body === '' ? query : { ...query, ...(JSON.parse(body) as Json) };
}

/** Queries are text; bodies have types. */
function checkSent(request: SeenRequest, name: string, value: unknown): void {
  const query = new URLSearchParams(request.line.split('?')[1] ?? '');
  const sent = query.get(name) ?? sentParams(request)[name];
  assert.deepEqual(sent, query.has(name) ? String(value) : value, name);
}

/** Nothing goes out but what was given, and the constants and defaults of the definition. */
function checkNames({ action }: Operation, request: SeenRequest, given: readonly string[]): void {
  const standing = Object.entries(action.params).filter(([, param]) => param.default !== undefined);
  const allowed = new Set([
    ...given,
    ...standing.map(([param, { upstreamName }]) => upstreamName ?? param),
    ...Object.keys(action.constants ?? {}),
  ]);
  for (const sent of Object.keys(sentParams(request))) assert.ok(allowed.has(sent), sent);
  assert.equal(request.body !== '', !request.line.startsWith('GET '));
}
