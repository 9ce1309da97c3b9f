import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS } from '@patchbay/connectors';
import { writtenCopies, type ConnectorEngine, type WrittenCopy } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { kindsUnderTest } from './conformance/support/kinds-under-test.ts';
import { engineFor } from './conformance/support/operations.ts';
import { errorOf } from './support/connectors.ts';
import { HandMadeCopy } from './support/hand-made-copy.ts';
import { reply, startUpstream } from './support/upstreams.ts';

type Row = Readonly<Record<string, unknown>>;

const CONFIG = {
  start_date: '2000-01-01T00:00:00Z',
  lookback_window: 0,
  join_channels: false,
  threads_ignore_no_replies: true,
};

function engineAt(baseUrl: string): ConnectorEngine {
  const row = kindsUnderTest.find(({ kind }) => kind === KINDS['chat-workspace']) ?? assert.fail();
  return engineFor(row, baseUrl);
}

interface Written {
  readonly record: Row;
  readonly copies: readonly WrittenCopy[];
}

/** Writes, and gives the record along with what it brings into copies. */
async function write(
  engine: ConnectorEngine,
  entity: string,
  verb: string,
  params: Row,
): Promise<Written> {
  let told: readonly WrittenCopy[] = [];
  const outcome = await engine
    .prepare({ entity, action: verb, params })
    .send({}, async (written) => {
      told = writtenCopies(engine.kind, written);
    });
  // A write answers with a record.
  return { record: outcome as unknown as Row, copies: told };
}

function names(copies: readonly WrittenCopy[]): readonly string[] {
  return copies.map(({ entity, onlyKnown }) => `${entity}${onlyKnown ? ' if known' : ''}`);
}

async function generalOf(engine: ConnectorEngine): Promise<string> {
  for await (const channel of engine.all('channels'))
    if (channel['is_general'] === true) return String(channel['id']);
  return assert.fail();
}

/** What the next read of a copy would have of a record. */
async function readLater(sandbox: Sandbox, entities: readonly string[], key: string) {
  const copy = new HandMadeCopy(engineAt(sandbox.urls.slack), Date.now, CONFIG);
  for (const entity of entities) await copy.sync(entity);
  return copy.rows(entities.at(-1) ?? '').get(key) ?? assert.fail(`there is no ${key}`);
}

describe('an accepted write brings into the copy what the next read would', () => {
  const MESSAGES = ['channels', 'channel_messages'];
  const THREADS = [...MESSAGES, 'threads'];

  test('of a channel that was made or renamed', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const engine = engineAt(sandbox.urls.slack);
    const made = await write(engine, 'channels', 'create', { name: 'made-here' });
    const channel = made.record['id'];
    const renamed = await write(engine, 'channels', 'update', { channel, name: 'named-here' });
    for (const { record, copies } of [made, renamed]) {
      assert.deepEqual(names(copies), ['channels']);
      const [copied] = copies;
      assert.ok(copied);
      assert.equal(copied.record.key, record['id']);
      assert.equal(copied.record.values['name'], record['name']);
      // Search fields that no answer to a write has stay as they are.
      assert.ok(!('locale' in copied.record.values));
    }
    const later = await readLater(sandbox, ['channels'], String(channel));
    for (const [name, value] of Object.entries(renamed.copies[0]?.record.values ?? {}))
      assert.deepEqual(value, later[name], name);
  });

  test('of a channel with a new topic or purpose, even where the answer lacks the channel', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const engine = engineAt(sandbox.urls.slack);
    const channel = await generalOf(engine);
    sandbox.faults.add({ kind: 'bareWrites' });
    for (const name of ['topic', 'purpose'] as const) {
      const { copies } = await write(engine, `channel_${name}s`, 'create', {
        channel,
        [name]: 'Tea',
      });
      assert.deepEqual(names(copies), ['channels']);
      assert.equal(copies[0]?.record.key, channel);
      assert.partialDeepStrictEqual(copies[0].record.values[name], { value: 'Tea' });
    }
  });

  test('of a message, under the id of the channel it went to', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const engine = engineAt(sandbox.urls.slack);
    const general = await generalOf(engine);
    const { data } = (await engine.execute('users', 'list', { limit: 20 })) as {
      readonly data: readonly Row[];
    };
    const person = data.find((user) => user['is_bot'] === false && user['deleted'] === false);
    for (const channel of [general, String(person?.['id'])]) {
      const { record, copies } = await write(engine, 'messages', 'create', { channel, text: 'Hi' });
      assert.deepEqual(names(copies), ['channel_messages']);
      const [copied] = copies;
      const at = String(copied?.record.values['channel']);
      assert.equal(copied?.record.key, `${at}:${String(record['ts'])}`);
      assert.equal(at === general, channel === general);
      assert.match(at, channel === general ? /^C/ : /^D/);
      const later = await readLater(sandbox, MESSAGES, copied.record.key);
      assert.deepEqual(copied.record.values, onlyPresent(later));
    }
  });

  test('of a reply, which is in the channel only where it was sent there too', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const engine = engineAt(sandbox.urls.slack);
    const channel = await generalOf(engine);
    const root = await write(engine, 'messages', 'create', { channel, text: 'Root' });
    const given = { channel, text: 'Reply', thread_ts: root.record['ts'] };
    const quiet = await write(engine, 'messages', 'create', { ...given, reply_broadcast: false });
    assert.deepEqual(names(quiet.copies), ['threads']);
    const loud = await write(engine, 'messages', 'create', { ...given, reply_broadcast: true });
    assert.deepEqual(names(loud.copies), ['channel_messages', 'threads']);
    for (const { copies } of [quiet, loud])
      for (const { entity, record } of copies) {
        const path = entity === 'threads' ? THREADS : MESSAGES;
        const later = await readLater(sandbox, path, record.key);
        for (const [name, value] of Object.entries(record.values))
          assert.deepEqual(value, later[name], `${entity}.${name}`);
      }
  });

  test('of an edited message, wherever it is known', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const engine = engineAt(sandbox.urls.slack);
    const channel = await generalOf(engine);
    const { record } = await write(engine, 'messages', 'create', { channel, text: 'Once' });
    const { ts } = record;
    const { copies } = await write(engine, 'messages', 'update', { channel, ts, text: 'Now' });
    assert.deepEqual(names(copies), ['channel_messages if known', 'threads if known']);
    for (const each of copies) {
      assert.equal(each.record.key, `${channel}:${String(ts)}`);
      assert.equal(each.record.values['text'], 'Now');
      assert.equal(each.record.values['channel'], channel);
    }
  });

  test('of a bare answer only what it has', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, {
        ok: true,
        channel: 'C1',
        ts: '1.000001',
        text: 'Now',
        message: { text: 'Now', user: 'U1' },
      }),
    );
    const params = { channel: 'C1', ts: '1.000001', text: 'Now' };
    const { copies } = await write(engineAt(upstream.url), 'messages', 'update', params);
    assert.deepEqual(copies[0]?.record, {
      key: 'C1:1.000001',
      values: { channel: 'C1', text: 'Now', ts: '1.000001', user: 'U1' },
    });
  });
});

describe('a write brings nothing', () => {
  const OTHERS: readonly (readonly [string, unknown, string])[] = [
    ['where it is a reaction', { ok: true }, 'reactions'],
    [
      'where the answer does not say which channel',
      { ok: true, ts: '1.1', message: {} },
      'messages',
    ],
  ];
  for (const [what, answer, entity] of OTHERS)
    test(what, async () => {
      await using upstream = await startUpstream((response) => reply(response, 200, answer));
      const params =
        entity === 'reactions'
          ? { channel: 'C1', timestamp: '1.1', name: 'tea' }
          : { channel: 'C1', text: 'Hi' };
      assert.deepEqual((await write(engineAt(upstream.url), entity, 'create', params)).copies, []);
    });

  test('where it was refused, or its record is broken', async () => {
    for (const answer of [
      { ok: false, error: 'channel_not_found' },
      { ok: true, channel: { name: 'no-id' } },
    ]) {
      await using upstream = await startUpstream((response) => reply(response, 200, answer));
      let isTold = false;
      const call = engineAt(upstream.url).prepare({
        entity: 'channels',
        action: 'create',
        params: { name: 'made' },
      });
      await errorOf(
        call.send({}, async () => {
          isTold = true;
        }),
      );
      assert.equal(isTold, false);
    }
  });

  test('where it is a read', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const { copies } = await write(engineAt(sandbox.urls.slack), 'users', 'list', {});
    assert.deepEqual(copies, []);
  });
});

describe('the record of a write', () => {
  test('comes back once its copies are made, and is the same with and without them', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const engine = engineAt(sandbox.urls.slack);
    const { promise: isCopied, resolve: finishCopies } = Promise.withResolvers<void>();
    const { promise: isTold, resolve: tell } = Promise.withResolvers<void>();
    const events: string[] = [];
    const call = engine
      .prepare({ entity: 'channels', action: 'create', params: { name: 'made-here' } })
      .send({}, async () => {
        tell();
        await isCopied;
        events.push('copied');
      });
    const answered = call.then((record) => {
      events.push('answered');
      return record;
    });
    await isTold;
    finishCopies();
    const record = await answered;
    assert.deepEqual(events, ['copied', 'answered']);
    const plain = await engine.execute('channels', 'create', { name: 'made-there' });
    assert.deepEqual(Object.keys(record), Object.keys(plain));
    assert.ok(!('last_read' in record));
  });

  test('does not come where copying fails: whoever copies has to catch', async () => {
    await using sandbox = await startSandbox({ scale: 40 });
    const call = engineAt(sandbox.urls.slack).prepare({
      entity: 'channels',
      action: 'create',
      params: { name: 'made-here' },
    });
    const failing = call.send({ timeoutMs: 5_000 }, () => Promise.reject(new Error('disk full')));
    await assert.rejects(failing, /disk full/);
  });
});

/** Without what is null. */
function onlyPresent(values: Row): Row {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
