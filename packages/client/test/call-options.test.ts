/** The options of a call, by callers without types. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Patchbay } from '../src/index.ts';
import { collect } from './support/collect.ts';
import { errorOf } from './support/error-of.ts';
import { connectorAnswer } from './support/sample-answers.ts';

const { id } = connectorAnswer();

let sent = 0;
beforeEach(() => (sent = 0));

/** A service whose every answer is a connector. */
const answering = async () => {
  sent += 1;
  return Response.json(connectorAnswer());
};

const byToken = new Patchbay({
  baseUrl: 'http://127.0.0.1:9',
  token: async () => 'a-token',
  fetch: answering,
});
const ofApplication = new Patchbay({
  baseUrl: 'http://127.0.0.1:9',
  clientId: 'id',
  clientSecret: 'secret',
  externalUserId: 'alice',
  fetch: answering,
});
const slack = await byToken.connector(id, { kind: 'slack' });

/** What the compiler would refuse. */
const wrong = (options: object): object => options;
const MESSAGE = { channel: 'C', text: 'x' };

for (const [what, call] of [
  ['a write', () => slack.messages.create(MESSAGE, wrong({ idempotency_key: 'k' }))],
  ['a call by name', () => slack.execute('users', 'list', {}, wrong({ timeout: 1 }))],
  ['a walk', () => collect(slack.users.list.all({}, wrong({ timeout: 1 })))],
  ['a search', () => slack.users.search({ query: {} }, wrong({ timeout: 1 }))],
  ['a download', () => slack.execute('users', 'download' as 'list', {}, wrong({ timeout: 1 }))],
  ['a sync', () => slack.sync(wrong({ timeout: 1 }))],
  ['a watch', () => collect(slack.sync.watch(wrong({ runID: id })))],
  ['a list of syncs', () => slack.sync.runs(wrong({ limt: 1 }))],
  ['opening a connector', () => byToken.connector(id, wrong({ knd: 'slack' }))],
  ['reading a connector', () => byToken.connectors.get(id, wrong({ timeout: 1 }))],
  ['a deletion', () => byToken.connectors.delete(id, wrong({ revok: false }))],
  ['a route', () => byToken.request('POST', '/x', wrong({ idempotencykey: 'k' }))],
  ['a connect session', () => ofApplication.connectSessions.create({}, wrong({ key: 'k' }))],
  ['a list of them', () => ofApplication.connectSessions.list(wrong({ limt: 1 }))],
  ['a user’s deletion', () => ofApplication.deleteExternalUser('bob', wrong({ revok: false }))],
  ['a token', () => ofApplication.scopedToken(wrong({ acces: 'read' }))],
] as const)
  test(`an option that there is not is refused before anything is sent: ${what}`, async () => {
    assert.equal((await errorOf(call())).code, 'invalid_config');
    assert.equal(sent, 0);
  });

test('a signal that is none is a fault', async () => {
  const options = { signal: 'no signal' as unknown as AbortSignal };
  for (const call of [
    () => slack.users.list({}, options),
    () => byToken.connectors.get(id, options),
    () => ofApplication.scopedToken(options),
  ])
    assert.equal((await errorOf(call())).code, 'invalid_config');
  assert.equal(sent, 0);
});

test('a connector is opened by nothing but a name or an id', async () => {
  for (const given of [undefined, null, '', 5])
    assert.equal((await errorOf(byToken.connector(given as string))).code, 'invalid_request');
  assert.equal(sent, 0);
});
