import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makePersonsBrowser } from './support/connect-browser.ts';
import { errorOf } from './support/error-of.ts';
import { startHosted, watchFetch, type Hosted } from './support/start-hosted.ts';

describe('connect sessions of a service', () => {
  let hosted: Hosted;
  before(async () => {
    hosted = await startHosted();
  });
  after(() => hosted[Symbol.asyncDispose]());

  test('a person connects, the backend confirms, and only then there is a connector', async () => {
    const patchbay = hosted.client({ externalUserId: 'alice' });
    const made = await patchbay.connectSessions.create({
      userLabel: 'Alice',
      connectorTypes: ['slack'],
      origin: 'http://127.0.0.1:3000',
      returnUrl: 'http://127.0.0.1:3000/settings/connected',
      branding: { name: 'Acme Desk', accent: '336699' },
    });
    assert.ok(Date.parse(made.expiresAt) > Date.now());
    const { connectSessions } = patchbay;
    const fresh = await connectSessions.get(made.id);
    assert.deepEqual(
      [fresh.status, fresh.externalUserId, fresh.connectorType, fresh.error],
      ['open', 'alice', 'chat-workspace', null],
    );
    const early = connectSessions.confirm(made.id, { externalUserId: 'alice', connectorId: '' });
    assert.equal((await errorOf(early)).code, 'connect_session_open');

    const browser = makePersonsBrowser(hosted.service.url);
    const given = await browser.enter(await browser.open(made.connectUrl));
    assert.equal(given.status, 'unconfirmed');
    const connectorId = given.connector_id ?? assert.fail();
    assert.equal((await connectSessions.get(made.id)).status, 'unconfirmed');
    assert.deepEqual((await patchbay.connectors.list()).data, []);

    const confirmed = await connectSessions.confirm(made.id, {
      externalUserId: 'alice',
      connectorId,
    });
    assert.equal(confirmed.status, 'succeeded');
    assert.equal(confirmed.connectorId, connectorId);
    const slack = await patchbay.connector('slack');
    assert.equal(slack.id, connectorId);
    assert.equal((await slack.users.list({ limit: 1 })).data.length, 1);
    const again = await connectSessions.confirm(made.id, {
      externalUserId: 'alice',
      connectorId,
    });
    assert.equal(again.status, 'succeeded');
  });

  test('a link that was sent to somebody else connects nothing, whoever confirms', async () => {
    const mallory = hosted.client({ externalUserId: 'mallory' });
    const { id, connectUrl } = await mallory.connectSessions.create({ connectorTypes: ['slack'] });
    const alices = makePersonsBrowser(hosted.service.url);
    const given = await alices.enter(await alices.open(connectUrl));
    // Alice comes back, signed in as herself, with all that her browser was told.
    const asAlice = hosted.client({ externalUserId: 'alice' });
    const byAlice = { externalUserId: 'alice', connectorId: given.connector_id ?? '' };
    const refused = await errorOf(asAlice.connectSessions.confirm(id, byAlice));
    assert.equal(refused.code, 'external_user_mismatch');
    // Mallory asks for it herself; nobody has told her browser the connector.
    for (const connectorId of ['', id]) {
      const byMallory = { externalUserId: 'mallory', connectorId };
      const confirming = mallory.connectSessions.confirm(id, byMallory);
      assert.equal((await errorOf(confirming)).code, 'forbidden');
    }
    assert.equal((await mallory.connectSessions.get(id)).status, 'unconfirmed');
    assert.deepEqual((await mallory.connectors.list()).data, []);
  });

  test('a second browser gets nowhere, and a session is of its application alone', async () => {
    const { connectSessions } = hosted.client();
    const { id, connectUrl } = await connectSessions.create();
    await makePersonsBrowser(hosted.service.url).open(connectUrl);
    const second = await makePersonsBrowser(hosted.service.url).open(connectUrl);
    assert.equal(second.code, 'connect_session_taken');
    const absent = connectSessions.get(id.replace(/^.{8}/, '01a1fd50'));
    assert.equal((await errorOf(absent)).code, 'connect_session_not_found');
  });

  test('nobody is not a user', async () => {
    const nobody = { externalUserId: undefined } as unknown as { externalUserId: string };
    const error = await errorOf(hosted.client().connectSessions.create(nobody));
    assert.equal(error.code, 'invalid_request');
  });

  test('an answer that got lost makes no second session', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    const answers: string[] = [];
    watched.instead = async ({ path }, send) => {
      const response = await send();
      if (!path.endsWith('/connect-sessions')) return response;
      answers.push(((await response.clone().json()) as { id: string }).id);
      if (answers.length === 1) throw new TypeError('fetch failed');
      return response;
    };
    const { id } = await patchbay.connectSessions.create();
    assert.deepEqual(answers, [id, id]);
  });
});
