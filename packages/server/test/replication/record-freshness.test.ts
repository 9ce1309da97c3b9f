import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { at, textAt } from '../support/http-client.ts';
import { someChannel } from '../support/start-test-service.ts';
import {
  DATABASE,
  makeReplicationGround,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
} from './support/replicating.ts';

const KIND = 'chat-workspace';

interface FreshHit {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly synced_at?: string;
  readonly confirmed_at?: string;
}

describe(`the freshness of each record, ${DATABASE.name}`, () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  let id: string;
  before(async () => {
    ground = await makeReplicationGround(DATABASE);
    running = await startReplicating(ground);
    id = await running.create(KIND);
    await running.settled(id);
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  const ask = async (action: string, params: object, entity = 'users') => {
    const token = await running.applicationToken();
    const body = { entity, action, params: { query: {}, ...params } };
    const answer = await running.execute(token, id, body);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  /** Users by key; read in one statement, or in two, by how many are asked for. */
  const users = async (limit: number): Promise<ReadonlyMap<string, FreshHit>> => {
    const answer = await ask('search', { freshness: true, limit });
    // As docs/wire.md has them.
    const hits = at(answer, 'result.hits') as readonly FreshHit[];
    assert.ok(hits.length > 1);
    return new Map(hits.map((hit) => [hit.id, hit]));
  };

  test('is told only where it is asked for', async () => {
    const plain = at(await ask('search', {}), 'result.hits.0');
    assert.deepEqual(Object.keys(plain as object), ['id', 'score', 'data']);
    const [first] = (await users(5)).values();
    assert.deepEqual(Object.keys(first ?? {}), [
      'id',
      'score',
      'synced_at',
      'confirmed_at',
      'data',
    ]);
    assert.equal(at(await ask('context_store_search', {}), 'result.meta.freshness'), undefined);
  });

  test('is renewed by a full read that finds a record unchanged, though nothing is written', async () => {
    const earlier = await users(5);
    const { lastFullAt: first } = await running.entity(id, 'users');
    await running.patch(id, { replication_config: { lookback_window: 2 } });
    await running.settled(id);
    const { lastFullAt } = await running.entity(id, 'users');
    assert.ok(first !== null && lastFullAt !== null && lastFullAt > first);
    for (const limit of [5, 300]) {
      const later = await users(limit);
      for (const [key, hit] of earlier) {
        assert.equal(later.get(key)?.synced_at, hit.synced_at, 'what is unchanged is not written');
        assert.equal(later.get(key)?.confirmed_at, lastFullAt.toISOString());
      }
    }
  });

  test('of what was written through Patchbay begins with the write', async () => {
    const token = await running.applicationToken();
    const channel = await someChannel(running, token, id);
    const params = { channel, text: 'Hello' };
    const sent = await running.execute(token, id, { entity: 'messages', action: 'create', params });
    const query = { filter: { eq: { ts: textAt(sent, 'result.ts') } } };
    const found = await ask('search', { query, freshness: true }, 'channel_messages');
    const syncedAt = textAt(found, 'result.hits.0.synced_at');
    const { lastFullAt } = await running.entity(id, 'channel_messages');
    assert.ok(lastFullAt !== null && new Date(syncedAt) > lastFullAt);
    assert.equal(at(found, 'result.hits.0.confirmed_at'), syncedAt);
  });

  test('comes with records, too, in their order', async () => {
    const answer = await ask('context_store_search', { freshness: true, limit: 3 });
    const hits = [...(await users(3)).values()];
    assert.deepEqual(
      at(answer, 'result.meta.freshness'),
      hits.map(({ synced_at, confirmed_at }) => ({ synced_at, confirmed_at })),
    );
    assert.deepEqual(
      at(answer, 'result.data'),
      hits.map(({ data }) => data),
    );
  });
});
