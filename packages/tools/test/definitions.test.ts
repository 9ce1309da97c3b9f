import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { describeKind } from '@patchbay/connectors/definitions';
import { allKinds, checkSearch, findEntity, searchSchemaOf } from '@patchbay/connectors/engine';
import { libraryHost, Toolbox, type ToolDefinition } from '@patchbay/tools';
import { startLibrary, type Library } from './support/start-library.ts';

describe('the definitions of the tools', () => {
  let library: Library;
  before(async () => {
    library = await startLibrary();
  });
  after(() => library[Symbol.asyncDispose]());

  test('there are five, and they are short', async () => {
    const definitions = await new Toolbox({ host: library.host }).definitions();
    assert.deepEqual(
      definitions.map(({ name }) => name),
      ['list_connectors', 'describe', 'execute', 'search', 'sync_status'],
    );
    assert.ok(JSON.stringify(definitions).length < 7_000);
  });

  test('names are those of the kinds at hand', async () => {
    const host = libraryHost(library.connectors.slack);
    const definitions = await new Toolbox({ host }).definitions();
    const { entity, action } = byName(definitions, 'execute').inputSchema.properties;
    assert.deepEqual(entity?.['enum'], library.connectors.slack.entities());
    assert.deepEqual(action?.['enum'], ['list', 'get']);
    const search = byName(definitions, 'search').inputSchema.properties['entity'];
    assert.deepEqual(search?.['enum'], ['users', 'channels', 'channel_messages', 'threads']);
  });

  test('the example of a search is one that the connector at hand takes', async () => {
    for (const kind of allKinds()) {
      const host = {
        ...library.host,
        mode: 'hosted' as const,
        connectors: () =>
          Promise.resolve([
            { id: 'one', name: kind.displayName, kind: kind.kind, status: 'active' },
          ]),
        describe: () => Promise.resolve(describeKind(kind)),
      };
      const { description } = byName(await new Toolbox({ host }).definitions(), 'search');
      const [, entity = '', query = ''] =
        /query, of (\w+): (\{.*\}); operators/.exec(description) ?? [];
      const schema = searchSchemaOf(findEntity(kind, entity));
      assert.ok(schema !== undefined, kind.kind);
      checkSearch(schema, { query: JSON.parse(query) as unknown });
    }
  });

  test('annotations and actions tell whether writes are allowed', async () => {
    const host = libraryHost(library.connectors.slack);
    const reading = await new Toolbox({ host }).definitions();
    for (const { annotations, name } of reading) {
      assert.equal(annotations.readOnlyHint, true, name);
      assert.equal(annotations.destructiveHint, false, name);
    }
    const writing = await new Toolbox({ host, allowWrites: true }).definitions();
    const execute = byName(writing, 'execute');
    assert.deepEqual(execute.annotations, {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    assert.deepEqual(execute.inputSchema.properties['action']?.['enum'], [
      'list',
      'get',
      'create',
      'update',
    ]);
    assert.match(execute.description, /Never repeat a write/);
    assert.ok(!('idempotency_key' in execute.inputSchema.properties));
    assert.equal(byName(writing, 'search').annotations.readOnlyHint, true);
  });

  test('where the host does not answer, they have the names of every kind', async () => {
    const errors: unknown[] = [];
    const down = new Error('the service is down');
    const host = {
      ...library.host,
      mode: 'hosted' as const,
      connectors: () => Promise.reject(down),
    };
    const box = new Toolbox({
      host,
      onError: (error) => errors.push(error),
    });
    const definitions = await box.definitions();
    const { entity } = byName(definitions, 'execute').inputSchema.properties;
    const names = entity?.['enum'] as readonly string[];
    for (const kind of allKinds())
      for (const name of Object.keys(kind.entities)) assert.ok(names.includes(name), name);
    assert.deepEqual(errors, [down]);
  });
});

function byName(definitions: readonly ToolDefinition[], name: string): ToolDefinition {
  const found = definitions.find((each) => each.name === name);
  assert.ok(found !== undefined);
  return found;
}
