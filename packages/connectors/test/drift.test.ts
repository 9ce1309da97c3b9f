import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS, type DriftReport } from '@patchbay/connectors';
import { ConnectorEngine } from '@patchbay/connectors/engine';
import { startSandbox } from '@patchbay/sandbox';
import { connectorFor, CREDENTIALS, errorOf } from './support/connectors.ts';
import { reply, startUpstream } from './support/upstreams.ts';

/** Reads one user whose raw form is given. */
async function userFrom(user: unknown) {
  const drift: DriftReport[] = [];
  await using upstream = await startUpstream((response) =>
    reply(response, 200, { ok: true, user }),
  );
  const onDrift = (report: DriftReport) => drift.push(report);
  const record = await connectorFor(upstream.url, { onDrift }).users.get({ user: 'U1' });
  return { record, drift };
}

describe('what an upstream sends besides what it documents', () => {
  test('a function that throws at it hides no accepted write', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, {
        ok: true,
        user: { id: 'U1', odd: 1 },
        message: { ts: '1.2', odd: 1 },
      }),
    );
    const cause = new Error('of the caller');
    const onDrift = () => {
      throw cause;
    };
    const { messages, users } = connectorFor(upstream.url, { onDrift });
    const error = await errorOf(messages.create({ channel: 'C1', text: 'x' }));
    assert.equal(error.code, 'internal');
    assert.equal(error.retry, 'never');
    assert.deepEqual(error.details, { entity: 'messages', action: 'create', applied: true });
    assert.equal(error.cause, cause);
    await assert.rejects(users.get({ user: 'U1' }), cause);
  });

  test('absent fields are null, keys come in the order of the definition', async () => {
    const { record, drift } = await userFrom({ updated: 5, name: 'ada', id: 'U1' });
    const names = connectorFor('http://127.0.0.1:9')
      .describe('users')
      .record.map(({ name }) => name);
    assert.deepEqual(Object.keys(record), names);
    for (const [name, value] of Object.entries(record))
      if (!['id', 'name', 'updated'].includes(name)) assert.equal(value, null, name);
    assert.deepEqual(drift, []);
  });

  test('unknown fields are dropped and counted, searchable ones are not drift', async () => {
    const { record, drift } = await userFrom({ id: 'U1', has_2fa: true, new_1: 1, new_2: null });
    assert.ok(!('new_1' in record) && !('has_2fa' in record));
    assert.deepEqual(drift, [
      {
        entity: 'users',
        action: 'get',
        unknownFields: 2,
        unknownNames: ['new_1', 'new_2'],
        lostValues: 0,
      },
    ]);
  });

  const scalars: readonly (readonly [field: 'tz' | 'tz_offset' | 'deleted', unknown, unknown])[] = [
    ['tz', 5, '5'],
    ['tz', '', ''],
    ['tz', true, null],
    ['tz', 1.5, null],
    ['tz', ['x'], null],
    ['tz', {}, null],
    ['tz_offset', '-3600', -3600],
    ['tz_offset', '0', 0],
    ['tz_offset', '007', null],
    ['tz_offset', '1e3', null],
    ['tz_offset', ' 5', null],
    ['tz_offset', '', null],
    ['tz_offset', 1.5, null],
    ['tz_offset', 2 ** 53, null],
    ['tz_offset', '9007199254740993', null],
    ['tz_offset', false, null],
    ['deleted', 'true', null],
    ['deleted', 1, true],
    ['deleted', 0, false],
    ['deleted', 2, null],
  ];
  for (const [name, sent, kept] of scalars)
    test(`${name}: ${JSON.stringify(sent)} becomes ${JSON.stringify(kept)}`, async () => {
      const { record, drift } = await userFrom({ id: 'U1', [name]: sent });
      assert.equal(record[name], kept);
      assert.equal(drift[0]?.lostValues ?? 0, kept === null ? 1 : 0);
    });

  test('objects, obj* and arrays pass verbatim', async () => {
    const channel = {
      id: 'C1',
      topic: { value: 'x', more: [1, { deep: null }] },
      purpose: 'a text where an object was documented',
      properties: { tabs: [], __proto__: null },
      previous_names: ['a', 5, null, { b: 1 }],
      pending_shared: {},
    };
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { ok: true, channel }),
    );
    const drift: DriftReport[] = [];
    const connector = connectorFor(upstream.url, { onDrift: (report) => drift.push(report) });
    const record = await connector.channels.get({ channel: 'C1' });
    assert.deepEqual(record.topic, channel.topic);
    assert.equal(record.purpose, channel.purpose, 'obj* is free-form');
    assert.deepEqual(record.properties, { tabs: [] });
    assert.deepEqual(record.previous_names, channel.previous_names);
    assert.equal(record.pending_shared, null);
    assert.equal(drift[0]?.lostValues, 1);
  });

  test('inline items are projected like records, other elements are dropped', async () => {
    const messages = [
      {
        ts: '1.0',
        reactions: [{ count: '3', name: 'tea', url: 'x' }, 'text', null],
        attachments: [{ ts: 5 }, { ts: '5.5', id: 1 }, { ts: 5.5 }],
        files: 'none',
        reply_users: ['U1'],
      },
    ];
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { ok: true, messages, has_more: 'no' }),
    );
    const drift: DriftReport[] = [];
    const connector = connectorFor(upstream.url, { onDrift: (report) => drift.push(report) });
    const { data, meta } = await connector.channel_messages.list({ channel: 'C1' });
    const [message] = data;
    assert.deepEqual(message?.reactions, [{ name: 'tea', users: null, count: 3 }]);
    assert.deepEqual(
      message.attachments?.map(({ ts, id }) => [ts, id]),
      [
        [5, null],
        ['5.5', 1],
        [null, null],
      ],
    );
    assert.equal(message.files, null);
    assert.deepEqual(message.reply_users, ['U1']);
    assert.deepEqual(meta, { next_cursor: null, has_more: null });
    // Two elements, 5.5 as a timestamp, files, has_more.
    assert.partialDeepStrictEqual(drift[0], { lostValues: 5, unknownNames: ['url'] });
  });

  const noRecords = [{}, { id: null }, { id: {} }, { id: true }, null, 'U1'];
  for (const user of [...noRecords, [], [{}], [{ id: 'U1' }, { id: 'U2' }], [[{ id: 'U1' }]]])
    test(`a record ${JSON.stringify(user)} has no key: upstream_contract_broken`, async () => {
      const error = await errorOf(userFrom(user));
      assert.equal(error.code, 'upstream_contract_broken');
      assert.equal(error.retry, 'never');
      assert.notEqual(error.details.applied, true, 'a read applies nothing');
    });

  test('a single record that comes in an array of one is that record', async () => {
    assert.equal((await userFrom([{ id: 'U1' }])).record.id, 'U1');
  });

  for (const members of [undefined, null, {}, 'none', [null], ['U1'], [[]], [{ name: 'x' }]])
    test(`members ${JSON.stringify(members)}: upstream_contract_broken`, async () => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { ok: true, members }),
      );
      const error = await errorOf(connectorFor(upstream.url).users.list());
      assert.equal(error.code, 'upstream_contract_broken');
    });

  test('a page of more records than any upstream sends: upstream_contract_broken', async () => {
    const members = Array.from({ length: 100_001 }, () => ({ id: 'U1' }));
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { ok: true, members }),
    );
    const error = await errorOf(connectorFor(upstream.url).users.list());
    assert.equal(error.code, 'upstream_contract_broken');
    assert.match(error.message, /a page has more than 100000 records/);
  });

  test('a fault of the sandbox that adds fields everywhere loses nothing', async () => {
    await using sandbox = await startSandbox({ scale: 20 });
    const plain = await connectorFor(sandbox.urls.slack).users.list();
    sandbox.faults.add({ kind: 'unknownFields' });
    const drift: DriftReport[] = [];
    const connector = connectorFor(sandbox.urls.slack, { onDrift: (report) => drift.push(report) });
    assert.deepEqual(await connector.users.list(), plain);
    assert.ok((drift[0]?.unknownFields ?? 0) >= 5 * plain.data.length);
    assert.equal(drift.length, 1, 'one report a call');
  });

  test('names of unknown fields come without the credentials, and cut where they are long', async () => {
    const { api_token: token } = CREDENTIALS;
    const before = 'x'.repeat(90);
    const { drift } = await userFrom({
      id: 'U1',
      [token]: 1,
      [`Bearer ${token}`]: 2,
      [before + token]: 3,
      ['y'.repeat(1_000)]: 4,
      ['z'.repeat(99) + '😀']: 5,
    });
    const [{ unknownFields, unknownNames } = assert.fail()] = drift;
    assert.equal(unknownFields, 5);
    assert.deepEqual(unknownNames, [
      '[secret]',
      `${before}[secret]`,
      'y'.repeat(100),
      `${'z'.repeat(99)}\uFFFD`,
    ]);
  });

  test('also those of credentials that were replaced while the call went on', async () => {
    const tokens = ['the-one-before', 'the-one-after'];
    await using upstream = await startUpstream((response, nth) =>
      nth === 0
        ? reply(response, 401, { ok: false, error: 'token_expired' })
        : reply(response, 200, { ok: true, user: { id: 'U1', [tokens.join(' ')]: 1 } }),
    );
    const drift: DriftReport[] = [];
    let used = 0;
    const engine = new ConnectorEngine({
      kind: KINDS['chat-workspace'],
      authorize: () => ({ method: 'oauth', values: { access_token: tokens[used++] ?? '' } }),
      config: {},
      baseUrl: upstream.url,
      onDrift: (report) => drift.push(report),
    });
    await engine.execute('users', 'get', { user: 'U1' });
    assert.deepEqual(drift[0]?.unknownNames, ['[secret] [secret]']);
  });

  test('drift is reported for failed calls too, with at most 20 names', async () => {
    const drift: DriftReport[] = [];
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`new_${nth}`, 1]));
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { ok: true, user: fields }),
    );
    const connector = connectorFor(upstream.url, { onDrift: (report) => drift.push(report) });
    await errorOf(connector.users.get({ user: 'U1' }));
    assert.equal(drift[0]?.unknownFields, 30);
    assert.equal(drift[0].unknownNames.length, 20);
  });
});
