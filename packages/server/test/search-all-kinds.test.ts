import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KindName } from '@patchbay/connectors';
import { allKinds, searchSchemaOf, type SearchSchema } from '@patchbay/connectors/engine';
import {
  DATABASE,
  makeReplicationGround,
  startReplicating,
  type ReplicatingService,
  type ReplicationGround,
} from './replication/support/replicating.ts';
import { readEvents } from './support/event-reader.ts';
import { at } from './support/http-client.ts';

describe('every kind, from its creation to a search, over HTTP', () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  let token: string;
  before(async () => {
    ground = await makeReplicationGround(DATABASE);
    running = await startReplicating(ground);
    token = await running.applicationToken();
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  for (const kind of allKinds())
    test(`${kind.kind}: every searchable entity finds its records, typed as the reference has them`, async () => {
      // The kinds there are, by their own names.
      const id = await running.create(kind.kind as KindName);
      const url = `${running.service.url}/v1/integrations/connectors/${id}/sync/events`;
      await using events = await readEvents(url, { authorization: `Bearer ${token}` });
      const end = (await events.rest()).at(-1);
      assert.equal(end?.event, 'end');
      assert.equal(at({ body: end.data }, 'last.state'), 'succeeded', JSON.stringify(end.data));
      let found = 0;
      for (const entity of Object.values(kind.entities)) {
        const schema = searchSchemaOf(entity);
        if (schema === undefined) continue;
        const params = { query: {}, limit: 3 };
        const body = { entity: entity.name, action: 'search', params };
        const answer = await running.execute(token, id, body);
        assert.equal(answer.status, 200, `${entity.name}: ${answer.text}`);
        const hits = at(answer, 'result.hits');
        assert.ok(Array.isArray(hits));
        found += hits.length;
        for (const index of hits.keys())
          assertData(at(answer, `result.hits.${index}.data`), schema);
      }
      assert.ok(found > 0);
    });
});

/** Every searchable field, in order and of its type; an id of another type is left out. */
function assertData(data: unknown, { entity, fields }: SearchSchema): void {
  assert.ok(typeof data === 'object' && data !== null);
  const keys = Object.keys(data);
  const names = fields.map(({ name }) => name).filter((name) => name !== 'id' || 'id' in data);
  assert.deepEqual(keys, names);
  for (const { name, type } of fields)
    assert.ok(isOfType(Reflect.get(data, name), type), `${entity}.${name}`);
}

function isOfType(value: unknown, type: string): boolean {
  if (value === null || value === undefined) return true;
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value);
  return typeof value === type;
}
