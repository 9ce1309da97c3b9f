import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { makeBrowser, makeSession } from './support/connect-page.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import {
  logIn,
  makeTestGround,
  OPERATOR_KEY,
  startServiceOn,
} from './support/start-test-service.ts';

const SESSIONS = '/v1/connect-sessions';

describe('connect sessions that are listed', async () => {
  const ground = await makeTestGround();
  const running = await startServiceOn(ground);
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });
  const foreignToken = await running.applicationToken();
  const own = await running.service.createApplication('with a list');
  const ownToken = await logIn(running.send, own);
  const ask = (query: string, as = ownToken) =>
    running.send('GET', SESSIONS + query, { token: as });
  const list = async (query: string, as = ownToken) => {
    const answer = await ask(query, as);
    assert.equal(answer.status, 200, answer.text);
    return answer.body as { readonly data: readonly { id: string }[]; readonly next: unknown };
  };
  const idsOf = async (query: string, as = ownToken) =>
    (await list(query, as)).data.map(({ id }) => id);
  const made: string[] = [];
  for (const user of ['alice', 'bob', 'carol']) {
    const body = { external_user_id: user, user_label: `The one called ${user}` };
    made.unshift((await makeSession(running, ownToken, body)).id);
  }
  const [carols = '', bobs = '', alices = ''] = made;

  test('are of one application, newest first, and say how far each is', async () => {
    const { data, next } = await list('');
    assert.deepEqual(
      data.map(({ id }) => id),
      made,
    );
    assert.equal(next, null);
    const shown = await running.send('GET', `${SESSIONS}/${carols}`, { token: ownToken });
    const { created_at: createdAt, ...rest } = data[0] as { created_at?: string };
    assert.deepEqual(rest, { ...(shown.body as object), user_label: 'The one called carol' });
    assert.match(String(createdAt), /^20\d\d-.*Z$/);
  });

  test('by pages', async () => {
    const first = await list('?limit=2');
    assert.deepEqual(
      first.data.map(({ id }) => id),
      [carols, bobs],
    );
    assert.deepEqual(await idsOf(`?limit=2&cursor=${String(first.next)}`), [alices]);
  });

  test('by how far they are', async () => {
    const { id, url } = await makeSession(running, ownToken);
    const browser = makeBrowser(running);
    await browser.open(url);
    assert.equal((await browser.submit(id)).status, 200);
    assert.deepEqual(await idsOf('?status=unconfirmed'), [id]);
    await ground.query('update patchbay.connect_sessions set expires_at = now() where id = $1', [
      bobs,
    ]);
    assert.deepEqual(await idsOf('?status=expired'), [bobs]);
    assert.deepEqual(await idsOf('?status=open'), [carols, alices]);
    assert.deepEqual(await idsOf('?status=succeeded'), []);
  });

  test('to their application and to the operator, and hold nothing that opens them', async () => {
    const query = `?application_id=${own.applicationId}`;
    const all = await idsOf('');
    assert.deepEqual(
      await idsOf(query.toUpperCase().replace('APPLICATION_ID', 'application_id')),
      all,
    );
    assert.deepEqual(await idsOf(query, OPERATOR_KEY), all);
    assert.deepEqual(await idsOf(query, foreignToken), []);
    assert.ok((await idsOf('', OPERATOR_KEY)).length >= all.length);
    assert.deepEqual(await idsOf('?application_id=none', OPERATOR_KEY), []);
    const { text } = await ask('');
    assert.doesNotMatch(text, /connect_url|secret|hash|sealed/);
  });

  test('to nobody who asks for what there is not', async () => {
    const answer = await ask('?status=done&limit=0&page=2');
    assertProblem(answer, 'invalid_request');
    assert.deepEqual(new Set(faultFields(answer)), new Set(['status', 'limit', 'page']));
    assertProblem(await ask('?cursor=x'), 'invalid_cursor');
  });
});
