import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { isJsonObject } from '../src/json-value.ts';
import { ConnectorEngine } from '../src/execution/connector-engine.ts';
import { allKinds } from '../src/find-kind.ts';
import { chatWorkspace } from '../src/kinds/chat-workspace/index.ts';
import type { ConnectorKind, Entity, Field, RecordFields } from '../src/vocabulary/index.ts';
import { errorOf } from './support/connectors.ts';
import {
  parseFields,
  parseOperations,
  parseRecordMeta,
  parseRecords,
  parseTable,
  readReference,
  type ReferenceField,
} from './support/reference-notation.ts';

const FIXTURES = new URL('fixtures/', import.meta.url);
const ERROR_CODES = new URL('slack-error-codes.json', FIXTURES);
/** The binding text, beside a checkout of the project's own machines. */
const REFERENCE = new URL('../../../../shared/spec.md', import.meta.url);

const VERBS = ['list', 'get', 'search', 'create', 'update', 'download'] as const;

/** Entities that return the records of another, as their rows of part 4.4 of `fixtures/<kind>-reference.txt` say. */
const RECORDS_OF: Readonly<Record<string, string>> = {
  channel_topics: 'channels',
  channel_purposes: 'channels',
};

/** The params that a limit of part 8 there is about. */
const LIMITED: Readonly<Record<string, readonly string[]>> = {
  'channel name': ['channels.create.name', 'channels.update.name'],
  'topic text': ['channel_topics.create.topic'],
  'purpose text': ['channel_purposes.create.purpose'],
};

// Each is held against `fixtures/<kind>-reference.txt`; what that lacks, the reference says nothing of.
for (const kind of allKinds()) checkKind(kind);

function checkKind(kind: ConnectorKind): void {
  const reference = readReference(new URL(`${kind.kind}-reference.txt`, FIXTURES));
  const part = (name: string) => reference.get(name) ?? [];
  const recordLines = ['2.2', '2.3', '2.4'].flatMap(part);
  const records = parseRecords(recordLines);
  const operations = parseOperations(part('4.4'));
  const limits = parseTable(part('8'));
  /** Said of each test that is left out: of such a kind the upstream table is what there is. */
  const leftOut =
    operations.length === 0 && 'the service reference does not show the entities of this kind';
  const entityOf = (name: string) =>
    kind.entities[name] ?? assert.fail(`there is no entity ${name}`);

  /** Extensions that a comparison came across; the last test holds them against the list. */
  const met = new Set<string>();

  /** The names that the reference should have: all but extensions, which are remembered. */
  function listedNames(path: string, names: readonly string[]): readonly string[] {
    return names.filter((name) => {
      const at = `${path}.${name}`;
      if (!kind.extensions.includes(at)) return true;
      met.add(at);
      return false;
    });
  }

  describe(`the definition of ${kind.kind} says what the service reference says`, () => {
    test('its entities are those of part 1, in its order', { skip: leftOut }, () => {
      const [, , entities = ''] = parseTable(part('1'))[0] ?? [];
      assert.deepEqual(
        listedNames('entities', Object.keys(kind.entities)),
        entities.split(',').map((name) => name.trim()),
      );
    });

    for (const name of new Set(operations.map(({ entity }) => entity))) {
      test(`the actions of ${name}, their params and Meta are those of part 4.4`, () => {
        const expected = operations.filter(({ entity }) => entity === name);
        const { actions, search } = entityOf(name);
        const path = `entities.${name}.actions`;
        const upstreamVerbs = expected
          .map(({ action }) => action)
          .filter((verb) => verb !== 'search');
        assert.deepEqual(listedNames(path, Object.keys(actions)), upstreamVerbs);
        assert.equal(
          listedNames(`entities.${name}`, search === undefined ? [] : ['search']).length === 1,
          expected.some(({ action }) => action === 'search'),
        );
        for (const { action: verb, params, meta } of expected) {
          if (params === undefined) continue;
          const action = Object.entries(actions).find(([known]) => known === verb)?.[1];
          assert.ok(action !== undefined);
          assert.equal(action.verb, verb);
          // Every list takes `limit`; where the reference does not have it, no kind lists it either.
          const own = Object.entries(action.params).filter(([, { role }]) => role !== 'limit');
          const names = listedNames(
            `${path}.${verb}.params`,
            own.map(([param]) => param),
          );
          const declared = names.map((param) => {
            const { schema, isRequired } = action.params[param] ?? assert.fail();
            const types = typesOf(schema);
            // A param may take more than the type that the reference gives it.
            const type = params.find((each) => each.name === param && types.includes(each.type));
            return { name: param, type: type?.type ?? types[0], required: isRequired };
          });
          assert.deepEqual(declared, params, `${name}.${verb}`);
          const metaFields = action.verb === 'list' ? Object.entries(action.meta) : [];
          assert.deepEqual(
            metaFields.map(([field, { field: declaredField }]) => noted(field, declaredField)),
            meta,
          );
        }
      });
    }

    for (const name of leftOut === false ? Object.keys(kind.entities) : []) {
      test(`the record of ${name} is that of part 2: order, types, nullability, items`, () => {
        const expected = records.get(RECORDS_OF[name] ?? name);
        assert.ok(expected, `part 2 has no record of ${name}`);
        const { record } = entityOf(name);
        const names = listedNames(`entities.${name}.record`, Object.keys(record));
        assert.deepEqual(
          names.map((field) => noted(field, record[field] ?? assert.fail())),
          expected,
        );
        checkNullability(record);
      });
    }

    test('the Meta that part 2 names beside records is that of part 4.4', () => {
      for (const [name, meta] of parseRecordMeta(recordLines)) {
        if (meta.length === 0) continue;
        const row = operations.find(({ entity, action }) => entity === name && action === 'list');
        assert.deepEqual(row?.meta, meta, name);
      }
    });

    test('the searchable fields are those of part 2.5, in its order', { skip: leftOut }, () => {
      const searchable = new Map(
        part('2.5').map((line) => {
          const [, name = '', fields = ''] = /^\*\*(\w+)\*\* searchable: (.*)\.$/.exec(line) ?? [];
          return [name, parseFields(fields, ';')] as const;
        }),
      );
      const lists = (part('4.3')[0] ?? '').matchAll(/([\w, ]+) \(([\w-]+)\)/g);
      const [, list] = [...lists].find(([, , name]) => name === kind.kind) ?? [];
      assert.deepEqual([...searchable.keys()], list?.trim().split(', '));
      for (const [name, { search, record }] of Object.entries(kind.entities)) {
        if (kind.extensions.includes(`entities.${name}.search`)) continue;
        const declared = search?.fields.map((field) => {
          const { type, name: spelled } = noted(
            field,
            search.only?.[field] ?? record[field] ?? assert.fail(),
          );
          // Part 2.5 writes types without "?", and obj* as object.
          return { name: spelled, type: type.replace('obj*', 'object').replace(/\?$/, '') };
        });
        assert.deepEqual(declared, searchable.get(name), name);
      }
    });

    test(
      'every combination of entity and action that the table lacks is refused, unsent',
      { skip: leftOut },
      async () => {
        const credentials = { method: Object.keys(kind.auth)[0] ?? '', values: {} };
        const baseUrl = 'http://127.0.0.1:9';
        const authorize = () => credentials;
        const engine = new ConnectorEngine({ kind, authorize, config: {}, baseUrl });
        const listed = new Map(
          operations.map(({ entity, action }) => [`${entity}.${action}`, action]),
        );
        const seen: string[] = [];
        for (const entity of Object.keys(kind.entities))
          for (const verb of VERBS) {
            const action = listed.get(`${entity}.${verb}`);
            if (action !== undefined && action !== 'search') continue;
            const error = await errorOf(engine.execute(entity, verb));
            assert.equal(
              error.code,
              verb === 'search' && entityOf(entity).search !== undefined
                ? 'search_requires_hosted_mode'
                : 'unsupported_action',
              `${entity}.${verb}`,
            );
            seen.push(`${entity}.${verb}`);
          }
        const allowed = operations.filter(({ action }) => action !== 'search').length;
        assert.equal(seen.length, Object.keys(kind.entities).length * VERBS.length - allowed);
      },
    );

    test('the credentials are those of part 5.2, where it shows them', () => {
      const declared = listedNames('auth', Object.keys(kind.auth)).map((name) => {
        const { label, fields } = kind.auth[name] ?? assert.fail();
        const shown = listedNames(`auth.${name}.fields`, Object.keys(fields));
        return [label, shown.map((each) => ({ name: each, required: fields[each]?.isRequired }))];
      });
      const [, notShown = ''] =
        /^Credential shapes of (.*): not shown\.$/.exec(part('5.2')[0] ?? '') ?? [];
      if (notShown.split(' and ').includes(kind.kind)) return;
      const expected: Record<string, { name: string; required: boolean }[]> = {};
      for (const [, method = '', name = '', type, required] of parseTable(part('5.2'))) {
        assert.equal(type, 'string');
        (expected[method] ??= []).push({ name, required: required === 'yes' });
      }
      assert.deepEqual(Object.fromEntries(declared), expected);
    });

    test('the replication config is that of part 5.3, with the range of part 8', () => {
      const rows = parseTable(part('5.3'));
      const names = listedNames('replicationConfig', Object.keys(kind.replicationConfig));
      const declared = names.map((name) => {
        const { schema, isRequired } = kind.replicationConfig[name] ?? assert.fail();
        const format = 'format' in schema ? `, ${String(schema.format)}` : '';
        assert.ok('type' in schema);
        return [name, `${String(schema.type)}${format}`, isRequired ? 'yes' : 'no'];
      });
      assert.deepEqual(
        declared,
        rows.map((row) => row.slice(0, 3)),
      );
      const [, , allowed = ''] = parseTable(part('2.1'))[0] ?? [];
      assert.equal(kind.requiresReplicationConfig, allowed === `${kind.kind} only`);
      for (const [name = '', , limit = ''] of limits) {
        const [, minimum, maximum] = /^integer (\d+) to (\d+) \(days\)$/.exec(limit) ?? [];
        if (minimum === undefined) continue;
        assert.partialDeepStrictEqual(kind.replicationConfig[name]?.schema, {
          minimum: Number(minimum),
          maximum: Number(maximum),
        });
      }
      for (const [name, { isRequired }] of Object.entries(kind.replicationConfig))
        if (!names.includes(name)) assert.equal(isRequired, false, `${name} is an extension`);
    });

    test('the config variables are those of part 5.4', () => {
      const names = listedNames('config', Object.keys(kind.config));
      const declared = names.map((name) => {
        const { schema, isRequired } = kind.config[name] ?? assert.fail();
        assert.ok('type' in schema);
        return [name, schema.type, isRequired ? 'yes' : 'no'];
      });
      assert.deepEqual(
        declared,
        parseTable(part('5.4')).map((row) => row.slice(0, 3)),
      );
    });

    test('the limits of part 8 hold, and their numbers are in the schemas', () => {
      for (const [limitName = '', , limit = ''] of limits) {
        const [, digits] = /at most (\d+) characters$/.exec(limit) ?? [];
        if (digits === undefined) continue;
        const most = Number(digits);
        for (const path of LIMITED[limitName] ?? assert.fail(limitName)) {
          const [entity = '', verb = '', name = ''] = path.split('.');
          const action = Object.entries(entityOf(entity).actions).find(([at]) => at === verb)?.[1];
          const { schema } = action?.params[name] ?? assert.fail();
          assert.partialDeepStrictEqual(schema, { maxLength: most }, path);
          const check = Compile(schema);
          assert.equal(check.Check('a'.repeat(most)), true, path);
          assert.equal(check.Check('a'.repeat(most + 1)), false, path);
          const isName = limit.startsWith('lowercase, no spaces');
          assert.equal(check.Check('Upper'), !isName, path);
          assert.equal(check.Check('with space'), !isName, path);
        }
      }
    });

    test(
      'every addition is in the list of extensions, and the list names nothing else',
      { skip: leftOut },
      () => {
        assert.deepEqual([...met].toSorted(), [...kind.extensions].toSorted());
      },
    );

    const skip = existsSync(REFERENCE)
      ? false
      : 'there is no ../shared/spec.md beside the checkout';
    test('every transcribed line stands in the service reference itself', { skip }, () => {
      const lines = new Set(readFileSync(REFERENCE, 'utf8').split('\n').map(normalised));
      for (const line of [...reference.values()].flat())
        assert.ok(lines.has(normalised(line)), `the reference has no line "${line}"`);
    });
  });
}

describe('the error table of chat-workspace', () => {
  // Proven: the fixture is ours, lists of codes by method.
  const documented = JSON.parse(readFileSync(ERROR_CODES, 'utf8')) as Record<string, string[]>;
  const declared = new Set(Object.values(chatWorkspace.errors.codes).flat());

  for (const [method, codes] of Object.entries(documented))
    test(`has every code that Slack documents for ${method}`, () => {
      assert.deepEqual(
        codes.filter((code) => !declared.has(code)),
        [],
      );
    });

  test('covers every method that an action sends', () => {
    const sent = Object.values<Entity>(chatWorkspace.entities)
      .flatMap(({ actions }) => Object.values(actions))
      .map(({ request }) => request.split(' /')[1] ?? '');
    for (const method of sent) assert.ok(method in documented, method);
  });
});

function typesOf(schema: TSchema): readonly unknown[] {
  const schemas: readonly unknown[] =
    'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema];
  return schemas.map((each) => (isJsonObject(each) ? each['type'] : undefined));
}

function noted(name: string, field: Field): ReferenceField {
  const items = field['x-items'];
  return {
    name,
    type: typeNoted(field),
    ...(items === undefined
      ? {}
      : { items: Object.entries(items).map(([item, itemField]) => noted(item, itemField)) }),
  };
}

function typeNoted(field: Field): string {
  const type = field['x-field'];
  if (type === 'obj*') return type;
  if (type === 'string | integer') return `${type} | null`;
  return `${type === 'items' ? 'array' : type}${field['x-always'] ? '' : '?'}`;
}

/** The JSON Schema of a field takes null exactly where its reference type does. */
function checkNullability(fields: RecordFields): void {
  for (const [name, field] of Object.entries(fields)) {
    assert.equal(Compile(field).Check(null), !field['x-always'], name);
    checkNullability(field['x-items'] ?? {});
  }
}

function normalised(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
