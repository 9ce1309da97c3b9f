import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { someChannel } from '../support/start-test-service.ts';
import {
  DATABASE,
  makeReplicationGround,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
} from './support/replicating.ts';

const KIND = 'chat-workspace';
const HOUR_MS = 3_600_000;

describe(`increments, ${DATABASE.name}`, () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  let id: string;
  let channel: string;
  before(async () => {
    ground = await makeReplicationGround(DATABASE);
    running = await startReplicating(ground);
    id = await running.create(KIND);
    await running.settled(id);
    channel = await someChannel(running, await running.applicationToken(), id);
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  /** Posts behind the service's back; returns the time of the message. */
  const post = async (text: string, threadTs?: string): Promise<string> => {
    const answer = await fetch(`${ground.sandbox.urls.slack}/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: 'Bearer xoxb-other', 'content-type': 'application/json' },
      body: JSON.stringify({ channel, text, thread_ts: threadTs }),
    });
    // As Slack documents it.
    const body = (await answer.json()) as { readonly ok: boolean; readonly ts: string };
    assert.ok(body.ok);
    return body.ts;
  };
  /** What the last sync read, by entity. */
  const syncAndLog = async () => {
    running.log.clear();
    const run = await running.sync(id);
    assert.equal(run.state, 'succeeded');
    const reads = running.log.lines().filter(({ msg }) => msg === 'read');
    return new Map(reads.map((line) => [String(line['entity']), line]));
  };

  test('after a complete read only what is new is read', async () => {
    const earlier = await running.entity(id, 'channel_messages');
    const ts = await post('Hello from the test');
    const reply = await post('And a reply', ts);
    const reads = await syncAndLog();
    const messages = reads.get('channel_messages');
    assert.equal(messages?.['mode'], 'increment');
    assert.ok(Number(messages['records']) < 20, JSON.stringify(messages));
    assert.equal(messages['added'], 1);
    assert.equal(reads.get('threads')?.['mode'], 'increment');
    const copy = await running.copy(id, KIND, 'channel_messages');
    assert.equal(copy.get(`${channel}:${ts}`)?.['text'], 'Hello from the test');
    const threads = await running.copy(id, KIND, 'threads');
    assert.equal(threads.get(`${channel}:${reply}`)?.['text'], 'And a reply');
    const { asOf } = await running.entity(id, 'channel_messages');
    assert.ok(asOf !== null && earlier.asOf !== null && asOf > earlier.asOf);
    await running.assertExact(id, KIND);
  });

  test('where nothing happened, nothing is written', async () => {
    const reads = await syncAndLog();
    for (const [entity, { added, changed, deleted }] of reads)
      assert.deepEqual({ added, changed, deleted }, { added: 0, changed: 0, deleted: 0 }, entity);
  });

  test('a deletion that no increment tells is found by the next full read', async () => {
    const messages = await running.copy(id, KIND, 'channel_messages');
    const { faults } = ground.sandbox;
    const fault = faults.add({ kind: 'mutateWhilePaging', change: 'delete', times: 1 });
    await fetch(`${ground.sandbox.urls.slack}/conversations.history?channel=${channel}&limit=1`, {
      headers: { authorization: 'Bearer xoxb-other' },
    });
    assert.equal(fault.hits, 1);
    await syncAndLog();
    assert.deepEqual(
      [...(await running.copy(id, KIND, 'channel_messages')).keys()],
      [...messages.keys()],
    );
    running.clock.advance(24 * 7 * HOUR_MS);
    const reads = await syncAndLog();
    assert.equal(reads.get('channel_messages')?.['mode'], 'full');
    assert.equal(reads.get('channel_messages')?.['deleted'], 1);
    await running.assertExact(id, KIND);
  });
});
