import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { at } from '../support/http-client.ts';
import { makeHurriedClock } from './support/hurried-clock.ts';
import { DATABASE, makeReplicationGround, startReplicating } from './support/replicating.ts';
import { startProxy } from './support/tampering-proxy.ts';

const KIND = 'chat-workspace';

test('calls go before replication where the budget of a connector is short', async () => {
  await using ground = await makeReplicationGround(DATABASE, { scale: 100 });
  await using proxy = await startProxy(ground.sandbox.urls.slack);
  await using running = await startReplicating(ground, {
    // Ten calls of a method at once, then one every six seconds.
    upstreams: { [KIND]: { baseUrl: proxy.url, limits: 0.2 } },
    clock: makeHurriedClock(20),
    replication: { leaseTtlMs: 60_000, lookEveryMs: 2_000 },
  });
  const asked: string[] = [];
  proxy.tamper = ({ url }, answer) => {
    if (url.pathname.endsWith('/conversations.history')) asked.push(url.searchParams.toString());
    return answer();
  };
  const id = await running.create(KIND);
  const channels = await running.execute(await running.applicationToken(), id, {
    entity: 'channels',
    action: 'list',
    params: { limit: 100, types: 'public_channel' },
  });
  const result = at(channels, 'result');
  assert.ok(Array.isArray(result), channels.text);
  const member = result.findIndex((_, index) => at(channels, `result.${index}.is_member`) === true);
  const channel = at(channels, `result.${member}.id`);
  // The budget is spent, and replication waits for every call.
  await until(() => asked.length >= 11);
  const overtaken: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = asked.length;
    const mark = String(990 + round);
    const answer = await running.execute(await running.applicationToken(), id, {
      entity: 'channel_messages',
      action: 'list',
      params: { channel, limit: Number(mark) },
    });
    assert.equal(answer.status, 200, answer.text);
    const place = asked.slice(before).findIndex((query) => query.includes(`limit=${mark}`));
    assert.ok(place >= 0, answer.text);
    overtaken.push(place);
  }
  // A call of replication that is on its way already cannot be called back.
  assert.ok(overtaken.filter((place) => place > 0).length <= 1, String(overtaken));
  assert.equal((await running.entity(id, 'channel_messages')).isComplete, false);
});
