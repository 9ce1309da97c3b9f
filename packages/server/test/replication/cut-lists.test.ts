import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { busiest, replicating, SINCE_DECEMBER, type BehindProxy } from './support/behind-proxy.ts';
import { DATABASE } from './support/replicating.ts';
import type { PassingAnswer, PassingRequest } from './support/tampering-proxy.ts';

const SLACK = 'chat-workspace';
const REFUSED: PassingAnswer = { status: 200, body: '{"ok":false,"error":"access_denied"}' };
const TROUBLE: PassingAnswer = { status: 503, body: '{}' };
const NO_CURSOR: PassingAnswer = { status: 200, body: '{"ok":false,"error":"invalid_cursor"}' };

/** What comes instead of a page of the channel: its first, or one further on. */
type Spoil = (isFirst: boolean) => PassingAnswer | undefined;

/** The channel with most messages, of which each page has five. */
async function withBusyChannel({ proxy, running }: BehindProxy) {
  const first = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
  await running.settled(first);
  const [channel, count] = busiest(await running.copy(first, SLACK, 'channel_messages'));
  const parts = { spoil: (() => undefined) as Spoil, hidden: '' };
  const isPage = ({ pathname, searchParams }: URL) =>
    pathname.endsWith('/conversations.history') && searchParams.get('channel') === channel;
  proxy.tamper = async ({ url }: PassingRequest, answer) => {
    if (isPage(url)) {
      url.searchParams.set('limit', '5');
      return parts.spoil(!url.searchParams.has('cursor')) ?? answer();
    }
    const { status, body } = await answer();
    if (!url.pathname.endsWith('/conversations.list')) return { status, body };
    const json = JSON.parse(body) as { channels: { id: string }[] };
    const channels = json.channels.filter(({ id }) => id !== parts.hidden);
    return { status, body: JSON.stringify({ ...json, channels }) };
  };
  const copied = async (id: string, entity: string, of = channel) =>
    [...(await running.copy(id, SLACK, entity)).values()].filter((each) => each['channel'] === of)
      .length;
  return { first, channel, count, parts, copied };
}

describe(`lists that are cut off, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  for (const how of ['its cursor is taken no more', 'another parent has come between'])
    test(`a new list is read whole also where ${how}`, async () => {
      await using given = await replicating(SLACK);
      const { running } = given;
      const { first, channel, count, parts, copied } = await withBusyChannel(given);
      const keys = [...(await running.copy(first, SLACK, 'channel_messages')).values()]
        .map((each) => String(each['channel']))
        .filter((key) => key < channel);
      if (how.startsWith('another')) parts.hidden = keys.toSorted().at(-1) ?? assert.fail();
      parts.spoil = () => REFUSED;
      const id = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
      await running.settled(id);
      assert.equal(await copied(id, 'channel_messages'), 0);
      parts.spoil = (isFirst) => (isFirst ? undefined : TROUBLE);
      assert.equal((await running.sync(id)).state, 'failed');
      assert.equal(await copied(id, 'channel_messages'), 5);
      parts.hidden = '';
      let isKnown = how.startsWith('another');
      parts.spoil = (isFirst) => {
        if (isFirst || isKnown) return undefined;
        isKnown = true;
        return NO_CURSOR;
      };
      assert.equal((await running.sync(id)).state, 'succeeded');
      assert.equal(await copied(id, 'channel_messages'), count);
      assert.ok(isKnown);
    });

  for (const how of ['a full read', 'an increment'])
    test(`a list that is refused in its middle once is whole after the next read, in ${how}`, async () => {
      await using given = await replicating(SLACK);
      const { running } = given;
      const { count, parts, copied } = await withBusyChannel(given);
      let times = 0;
      const refuseOnce: Spoil = (isFirst) => (isFirst || times++ > 0 ? undefined : REFUSED);
      parts.spoil = how === 'a full read' ? refuseOnce : () => REFUSED;
      const id = await running.create(SLACK, { replication_config: SINCE_DECEMBER });
      await running.settled(id);
      parts.spoil = refuseOnce;
      if (how === 'an increment') assert.equal((await running.sync(id)).state, 'failed');
      assert.equal(await copied(id, 'channel_messages'), 5);
      assert.equal((await running.sync(id)).state, 'succeeded');
      assert.equal(await copied(id, 'channel_messages'), count);
    });

  test('threads of a channel that is gone go also where the read of messages fails after that', async () => {
    await using given = await replicating(SLACK);
    const { proxy, running } = given;
    const { first, channel, copied } = await withBusyChannel(given);
    assert.ok((await copied(first, 'threads')) > 0);
    const channels = [...(await running.copy(first, SLACK, 'channel_messages')).values()].map(
      (each) => String(each['channel']),
    );
    const failing = channels.toSorted().at(-1);
    assert.notEqual(failing, channel);
    proxy.tamper = async ({ url }, answer) => {
      if (url.searchParams.get('channel') === failing) return TROUBLE;
      const { status, body } = await answer();
      if (!url.pathname.endsWith('/conversations.list')) return { status, body };
      const json = JSON.parse(body) as { channels: { id: string; is_member: boolean }[] };
      for (const each of json.channels) if (each.id === channel) each.is_member = false;
      return { status, body: JSON.stringify(json) };
    };
    assert.equal((await running.sync(first)).state, 'failed');
    assert.deepEqual(
      [await copied(first, 'channel_messages'), await copied(first, 'threads')],
      [0, 0],
    );
  });
});
