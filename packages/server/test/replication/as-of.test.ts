import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { replicating, type BehindProxy } from './support/behind-proxy.ts';
import { DATABASE } from './support/replicating.ts';
import type { PassingAnswer } from './support/tampering-proxy.ts';

const SLACK = 'chat-workspace';
const TROUBLE: PassingAnswer = { status: 503, body: '{}' };

describe(`as of when a copy is, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  let given: BehindProxy;
  let id: string;
  before(async () => {
    given = await replicating(SLACK);
    id = await given.running.create(SLACK);
    await given.running.settled(id);
  });
  after(() => given[Symbol.asyncDispose]());

  /** What the status says, once a sync has ended of which some lists were in trouble. */
  const asOfAfterTrouble = async (path: string) => {
    const { proxy, running } = given;
    proxy.tamper = ({ url }, answer) =>
      url.pathname.endsWith(path) ? Promise.resolve(TROUBLE) : answer();
    await running.sync(id);
    const token = await running.applicationToken();
    const status = await running.send('GET', `/v1/integrations/connectors/${id}/sync`, { token });
    // As docs/wire.md has it.
    const { entities } = status.body as { entities: { entity: string; as_of: string }[] };
    return new Map(entities.map((each) => [each.entity, each.as_of]));
  };

  test('is no later than the copies were then that say which lists there are', async () => {
    const earlier = await asOfAfterTrouble('no list');
    const first = earlier.get('channels') ?? assert.fail();
    assert.equal(earlier.get('channel_messages'), first);
    const withoutChannels = await asOfAfterTrouble('/conversations.list');
    assert.equal(withoutChannels.get('channels'), first);
    assert.equal(withoutChannels.get('channel_messages'), first);
    assert.equal(withoutChannels.get('threads'), first);
    // Of what has changed since, they have read nothing, though it is known by now.
    const withoutMessages = await asOfAfterTrouble('/conversations.history');
    assert.ok((withoutMessages.get('channels') ?? '') > first);
    assert.equal(withoutMessages.get('channel_messages'), first);
    const later = await asOfAfterTrouble('no list');
    const last = later.get('channels') ?? assert.fail();
    assert.ok(last > first);
    assert.equal(later.get('channel_messages'), last);
    assert.equal(later.get('threads'), last);
  });
});
