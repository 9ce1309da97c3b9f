import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { faultsOf, type Fault } from '@patchbay/connectors';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import * as fc from 'fast-check';
import { connectorFor, errorOf, untyped, type ChatWorkspace } from './support/connectors.ts';

const ASTRAL = '\u{1D4D0}'; // 𝓐: one code point, two UTF-16 units, upper-case
const SMALL_ASTRAL = '\u{1D4EA}'; // 𝓪
const CHANNEL = 'C0000000000';

type Row = readonly [
  call: string,
  params: unknown,
  faults: readonly (readonly [field: string, errorCode: Fault['errorCode'], message?: RegExp])[],
];

const REFUSED: readonly Row[] = [
  // Types: nothing is coerced but the digits of an integer.
  ...['01', '1.0', ' 1', '1e3', '+1', '-0', '', 'ten', '9007199254740992'].map((limit): Row => [
    'users.list',
    { limit },
    [['params.limit', 'wrong_type', /must be an integer from 1 to 1000, got "/]],
  ]),
  ['users.list', { limit: ['1'] }, [['params.limit', 'wrong_type']]],
  ['users.list', { limit: 1.5 }, [['params.limit', 'wrong_type', /integer from 1 to 1000/]]],
  ['users.list', { limit: true }, [['params.limit', 'wrong_type']]],
  ['users.list', { limit: [1] }, [['params.limit', 'wrong_type', /got an array/]]],
  ['users.list', { limit: { a: 1 } }, [['params.limit', 'wrong_type', /got an object/]]],
  ['users.list', { limit: Number.NaN }, [['params.limit', 'wrong_type', /got NaN/]]],
  ['users.list', { limit: 10n }, [['params.limit', 'wrong_type', /got 10$/]]],
  ['users.list', { limit: () => 1 }, [['params.limit', 'wrong_type', /got function/]]],
  ['users.list', { limit: Symbol('1') }, [['params.limit', 'wrong_type', /got symbol/]]],
  ['users.get', { user: 7 }, [['params.user', 'wrong_type', /must be a string, got 7/]]],
  ['channels.list', { exclude_archived: 'true' }, [['params.exclude_archived', 'wrong_type']]],
  ['channels.list', { exclude_archived: 0 }, [['params.exclude_archived', 'wrong_type']]],
  // Bounds.
  ['users.list', { limit: 0 }, [['params.limit', 'out_of_range', /1 to 1000, got 0/]]],
  ['users.list', { limit: -1 }, [['params.limit', 'out_of_range']]],
  ['users.list', { limit: '0' }, [['params.limit', 'out_of_range', /1 to 1000, got 0/]]],
  ['users.list', { limit: '-5' }, [['params.limit', 'out_of_range']]],
  ['users.list', { limit: 2 ** 53 }, [['params.limit', 'out_of_range']]],
  // Channel names.
  ...['Upper', ASTRAL, 'ǅ', 'with space', 'tab\tin', 'no\u00a0break', 'line\u2028', 'a\n'].map(
    (name): Row => ['channels.create', { name }, [['params.name', 'out_of_range', /lower-case/]]],
  ),
  ['channels.create', { name: 'a'.repeat(81) }, [['params.name', 'out_of_range', /80/]]],
  ['channels.create', { name: SMALL_ASTRAL.repeat(81) }, [['params.name', 'out_of_range']]],
  ['channels.create', { name: 'e\u0301'.repeat(41) }, [['params.name', 'out_of_range']]],
  ['channels.update', { channel: CHANNEL, name: 'Upper' }, [['params.name', 'out_of_range']]],
  ['channels.create', { name: '' }, [['params.name', 'out_of_range', /of 1 to 80 characters/]]],
  ['channels.update', { channel: CHANNEL, name: '' }, [['params.name', 'out_of_range']]],
  ['channels.create', { name: null }, [['params.name', 'missing', /is required/]]],
  // Topic and purpose.
  [
    'channel_topics.create',
    { channel: CHANNEL, topic: 'x'.repeat(251) },
    [['params.topic', 'out_of_range', /250/]],
  ],
  [
    'channel_topics.create',
    { channel: CHANNEL, topic: ASTRAL.repeat(251) },
    [['params.topic', 'out_of_range']],
  ],
  [
    'channel_purposes.create',
    { channel: CHANNEL, purpose: 'x'.repeat(251) },
    [['params.purpose', 'out_of_range']],
  ],
  ['channel_purposes.create', { channel: CHANNEL }, [['params.purpose', 'missing']]],
  // The comma list.
  ...['', 'channels', 'im,', ',im', 'im, mpim', 'im;mpim', 'IM', 'im,im2'].map((types): Row => [
    'channels.list',
    { types },
    [['params.types', 'out_of_range', /public_channel, private_channel, mpim, im/]],
  ]),
  // Names.
  ['users.list', { limt: 1 }, [['params.limt', 'unknown', /did you mean "limit"\?/]]],
  ['users.list', { LIMIT: 1 }, [['params.LIMIT', 'unknown', /did you mean "limit"\?/]]],
  ['users.list', { colour: 1 }, [['params.colour', 'unknown', /allowed: cursor, limit/]]],
  ['users.list', { colour: null }, [['params.colour', 'unknown']]],
  ...['constructor', 'toString', 'hasOwnProperty', 'valueOf'].map((name): Row => [
    'users.list',
    { [name]: 1 },
    [[`params.${name}`, 'unknown']],
  ]),
  ['users.list', JSON.parse('{"__proto__":{"limit":5}}'), [['params.__proto__', 'unknown']]],
  ['users.get', Object.create({ user: 'U1' }), [['params.user', 'missing']]],
  // The params as a whole.
  ['users.list', [], [['params', 'wrong_type', /must be an object, got an array/]]],
  ['users.list', new Map([['limit', 2]]), [['params', 'wrong_type', /an object, got Map/]]],
  ['users.list', new Date(), [['params', 'wrong_type', /an object, got Date/]]],
  ['users.list', 'limit=1', [['params', 'wrong_type', /got "limit=1"/]]],
  ['users.list', 5, [['params', 'wrong_type']]],
  ['users.list', () => ({}), [['params', 'wrong_type']]],
  // Everything at once, in the order: unknown ones as given, then declared ones.
  [
    'messages.create',
    { txt: 'x', channel: 5, unfurl_links: 'no', thread_ts: null, reply_broadcast: 1 },
    [
      ['params.txt', 'unknown', /did you mean "text"\?/],
      ['params.channel', 'wrong_type'],
      ['params.text', 'missing'],
      ['params.reply_broadcast', 'wrong_type'],
      ['params.unfurl_links', 'wrong_type'],
    ],
  ],
  [
    'reactions.create',
    {},
    [
      ['params.channel', 'missing'],
      ['params.timestamp', 'missing'],
      ['params.name', 'missing'],
    ],
  ],
];

describe('params are checked before anything is sent', () => {
  let sandbox: Sandbox;
  let connector: ChatWorkspace;
  let call: (path: string, params?: unknown) => Promise<Readonly<Record<string, unknown>>>;

  before(async () => {
    sandbox = await startSandbox({ scale: 20 });
    connector = connectorFor(sandbox.urls.slack);
    call = (path, params) => {
      const [entity = '', action = ''] = path.split('.');
      return untyped(connector)(entity, action, params);
    };
  });
  after(() => sandbox.close());
  beforeEach(() => sandbox.resetRequests());

  for (const [path, params, expected] of REFUSED) {
    const faultNames = expected.map(([field, errorCode]) => `${field} ${errorCode}`).join(', ');
    test(`${path} ${shown(params)}: ${faultNames}`, async () => {
      const error = await errorOf(call(path, params));
      assert.equal(error.code, 'invalid_params');
      assert.equal(error.status, 422);
      assert.equal(error.retry, 'never');
      const faults = faultsOf(error);
      assert.deepEqual(
        faults.map(({ field, errorCode }) => `${field} ${errorCode}`).join(', '),
        faultNames,
      );
      expected.forEach(([field, , message], index) => {
        if (message !== undefined) assert.match(faults[index]?.message ?? '', message);
        assert.ok(error.message.includes(field), 'the sentence names it');
      });
      assert.deepEqual(sandbox.requests(), []);
    });
  }

  test('the nearest name is given apart from the sentence, for programs', async () => {
    const [fault] = faultsOf(await errorOf(call('users.list', { limt: 1 })));
    assert.deepEqual(fault?.didYouMean, 'limit');
    assert.deepEqual(fault.allowed, 'cursor, limit');
  });

  const accepted: readonly (readonly [string, unknown, object])[] = [
    ['channels.list', undefined, {}],
    ['channels.list', null, {}],
    ['channels.list', { limit: null, cursor: null }, {}],
    ['channels.list', { limit: undefined }, {}],
    // Without one, Slack may refuse to send them all.
    ['users.list', { limit: null }, { limit: '200' }],
    ['users.list', { limit: 1 }, { limit: '1' }],
    ['users.list', { limit: 1000 }, { limit: '1000' }],
    ['users.list', { limit: '7' }, { limit: '7' }],
    ['users.list', Object.assign(Object.create(null), { limit: 2 }), { limit: '2' }],
    [
      'channels.list',
      { types: 'im,mpim,im', exclude_archived: false },
      { types: 'im,mpim,im', exclude_archived: 'false' },
    ],
    ['channels.create', { name: 'a'.repeat(80) }, { name: 'a'.repeat(80) }],
    ['channels.create', { name: 'kaffee-straße_ß' }, { name: 'kaffee-straße_ß' }],
  ];
  for (const [path, params, sent] of accepted)
    test(`${path} ${shown(params)} is sent as it is, without what is null, with defaults`, async () => {
      await call(path, params);
      assert.deepEqual({ ...sandbox.requests()[0]?.params }, sent);
    });

  const largest: readonly (readonly [path: string, size: number, names: readonly string[]])[] = [
    ['users.list', 1000, []],
    ['channels.list', 999, []],
    ['channel_messages.list', 999, ['channel']],
    ['threads.list', 1000, ['channel', 'ts']],
  ];
  for (const [path, size, names] of largest)
    test(`${path} asks for ${size} at most, and Slack takes that`, async () => {
      const { data: channels } = await connector.channels.list();
      const { id: channel = '' } = channels.find((each) => each.is_general === true) ?? {};
      const { data: messages } = await connector.channel_messages.list({ channel, limit: 1 });
      const values: Readonly<Record<string, unknown>> = { channel, ts: messages[0]?.ts };
      const of = Object.fromEntries(names.map((name) => [name, values[name]]));
      for (const limit of [size, size + 1, 5000]) {
        sandbox.resetRequests();
        const { warnings } = await call(path, { ...of, limit });
        assert.equal(sandbox.requests()[0]?.params['limit'], String(size));
        assert.equal([warnings].flat().length, limit === size ? 0 : 1);
      }
    });

  test('80 astral characters make a channel name, and 250 a topic; an empty topic is one', async () => {
    const name = SMALL_ASTRAL.repeat(80);
    const { id: channel, name: kept } = await connector.channels.create({ name });
    assert.equal(kept, name);
    for (const topic of [ASTRAL.repeat(250), 'x'.repeat(250), '']) {
      const record = await connector.channel_topics.create({ channel, topic });
      assert.partialDeepStrictEqual(record.topic, { value: topic });
    }
  });

  test('threads.list without ts is sent, and the refusal is the upstream’s', async () => {
    const error = await errorOf(connector.threads.list({ channel: CHANNEL }));
    assert.notEqual(error.code, 'invalid_params');
    assert.equal(sandbox.requests().length, 1);
  });

  const strange = ['\u0000', 'a\u0000b', '\ud800', 'x\udc00y', '\u202e', '&cursor=x#?%00'];
  for (const text of strange)
    test(`${JSON.stringify(text)} in a param harms nothing, in a query or in a body`, async () => {
      const error = await errorOf(connector.users.get({ user: text }));
      assert.equal(error.code, 'record_not_found');
      const request = sandbox.requests()[0];
      assert.deepEqual({ ...request?.params }, { user: text.toWellFormed() });
      const { id: channel } = await connector.channels.create({ name: nextName() });
      const message = await connector.messages.create({ channel, text: `.${text}` });
      assert.equal(message.text, `.${text}`);
    });

  test('names of entities and actions are looked up among the declared ones alone', async () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', '', 'execute'])
      assert.equal((await errorOf(call(`${name}.list`))).code, 'unknown_entity', name);
    for (const name of ['constructor', 'toString', '__proto__', '', 'delete', 'LIST'])
      assert.equal((await errorOf(call(`users.${name}`))).code, 'unsupported_action', name);
    const unknown = await errorOf(call('user.list'));
    assert.match(unknown.message, /chat-workspace has no entity "user"; did you mean "users"\?/);
    assert.partialDeepStrictEqual(unknown.details, { didYouMean: 'users' });
    const unsupported = await errorOf(call('reactions.list'));
    assert.match(unsupported.message, /reactions has no action "list"; it has create/);
    assert.deepEqual(sandbox.requests(), []);
  });

  test('names that are no strings are told as unknown ones', async () => {
    const execute = untyped(connector) as (entity: unknown, action: unknown) => Promise<unknown>;
    for (const name of [undefined, null, 5, {}, Symbol('users')]) {
      assert.equal((await errorOf(execute(name, 'list'))).code, 'unknown_entity');
      assert.equal((await errorOf(execute('users', name))).code, 'unsupported_action');
    }
  });

  test('whatever object the params are, the answer is a record or an error of the table', async () => {
    const paths = ['users.list', 'users.get', 'channels.list', 'channels.get', 'threads.list'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.oneof(
          fc.jsonValue(),
          fc.dictionary(fc.constantFrom('limit', 'user', 'channel', 'types', 'ts'), fc.jsonValue()),
          fc.anything(),
        ),
        async (path, params) => {
          await call(path, params).catch((error: unknown) => errorOf(Promise.reject(error)));
        },
      ),
      { numRuns: 300 },
    );
  });
});

let names = 0;
function nextName(): string {
  names++;
  return `made-${names}`;
}

function shown(params: unknown): string {
  const text = inspect(params, { breakLength: Infinity, maxStringLength: 20 });
  return text.length > 70 ? `${text.slice(0, 69)}…` : text;
}
