import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { busiest, SINCE_DECEMBER } from './support/behind-proxy.ts';
import {
  DATABASE,
  makeReplicationGround,
  startReplicating,
  upstreamsOf,
  type ReplicatingService,
} from './support/replicating.ts';
import { startProxy, type PassingAnswer } from './support/tampering-proxy.ts';

const SLACK = 'chat-workspace';
const TROUBLE: PassingAnswer = { status: 503, body: '{}' };

/** A copied workspace, and one of its channels, with threads, that is soon gone. */
async function withDoomedChannel() {
  await using parts = new AsyncDisposableStack();
  const ground = parts.use(await makeReplicationGround(DATABASE));
  const proxy = parts.use(await startProxy(ground.sandbox.urls.slack));
  const start = () =>
    startReplicating(ground, {
      upstreams: {
        ...upstreamsOf(ground.sandbox),
        [SLACK]: { baseUrl: proxy.url, limits: 'reactive' },
      },
      replication: { patienceMs: 100, waits: { firstMs: 5, longestMs: 10 } },
    });
  const first = await start();
  const id = await first.create(SLACK, { replication_config: SINCE_DECEMBER });
  await first.settled(id);
  const [channel] = busiest(await first.copy(id, SLACK, 'channel_messages'));
  const left = async (running: ReplicatingService) => {
    const counts = ['channel_messages', 'threads'].map(async (entity) => {
      const copy = await running.copy(id, SLACK, entity);
      return [...copy.values()].filter((each) => each['channel'] === channel).length;
    });
    return await Promise.all(counts);
  };
  for (const count of await left(first)) assert.ok(count > 0);
  const all = parts.move();
  const withoutIt = async (answer: () => Promise<PassingAnswer>): Promise<PassingAnswer> => {
    const { status, body } = await answer();
    // As Slack documents it.
    const json = JSON.parse(body) as { channels: { id: string }[] };
    const channels = json.channels.filter((each) => each.id !== channel);
    return { status, body: JSON.stringify({ ...json, channels }) };
  };
  return {
    proxy,
    start,
    first,
    id,
    left,
    withoutIt,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** What channels answer until the first process ends, in the middle of the messages. */
const CASES = {
  'go with its threads where the sync goes on in another process': 'gone',
  'go where channels could not be read in the part of the sync in which messages were':
    'in trouble',
} as const;

describe(`records of a channel that is gone, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  for (const [name, channels] of Object.entries(CASES))
    test(name, async () => {
      await using given = await withDoomedChannel();
      const { proxy, start, first, id, left, withoutIt } = given;
      const isUnderWay = Promise.withResolvers<void>();
      const isOver = Promise.withResolvers<void>();
      let lists = 0;
      proxy.tamper = async ({ url }, answer) => {
        if (url.pathname.endsWith('/conversations.list'))
          return channels === 'gone' ? withoutIt(answer) : TROUBLE;
        // The first list of messages is there, the second one is not when the process ends.
        if (!url.pathname.endsWith('/conversations.history') || ++lists === 1) return answer();
        isUnderWay.resolve();
        await isOver.promise;
        return TROUBLE;
      };
      const token = await first.applicationToken();
      await first.send('POST', `/v1/integrations/connectors/${id}/sync`, { token });
      await isUnderWay.promise;
      await first[Symbol.asyncDispose]();
      isOver.resolve();
      proxy.tamper = ({ url }, answer) =>
        url.pathname.endsWith('/conversations.list') ? withoutIt(answer) : answer();
      await using second = await start();
      assert.equal((await second.settled(id)).state, 'succeeded');
      assert.deepEqual(await left(second), [0, 0]);
    });
});
