import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBrowser, makeSession, secretOf } from './support/connect-page.ts';
import { findInFolder } from './support/find-in-folder.ts';
import { beginSync } from './support/hand-sync.ts';
import { at } from './support/http-client.ts';
import { connectorBody, startTestService, type TestService } from './support/start-test-service.ts';

const COLLECTION = '/v1/integrations/connectors';

test('planted secrets appear in no file, log line, error, answer or document', async () => {
  await using running: TestService = await startTestService();
  const planted = {
    api_token: 'planted-api-token-4711',
    client_id: 'planted-client-id-4712',
    client_secret: 'planted-client-secret-4713',
    access_token: 'planted-access-token-4714',
    wrong: 'planted-in-a-wrong-place-4715',
    revoked: 'planted-revoked-token-4716',
    in_session: 'planted-session-token-4717',
    refused_in_session: 'planted-invalid-session-token-4718',
  };
  const application = await running.applicationToken();
  const scoped = await running.scopedToken('user-1');
  const secrets = [
    ...Object.values(planted),
    ...Object.values(planted).map((secret) =>
      Buffer.from(secret).toString('base64url').slice(2, -2),
    ),
    running.client.clientSecret,
    signatureOf(application),
    signatureOf(scoped),
  ];
  const answers: string[] = [];
  const send = async (method: string, path: string, body?: unknown, token = application) => {
    const answer = await running.send(method, path, { token, body });
    const headers = JSON.stringify([...answer.headers]);
    answers.push(answer.text, headers);
    return answer;
  };
  const create = (credentials: unknown, more = {}) =>
    send('POST', COLLECTION, connectorBody({ credentials, ...more }));
  const good = await create({ api_token: planted.api_token });
  const { client_id, client_secret, access_token } = planted;
  await create({ client_id, client_secret, access_token });
  await create({ api_token: planted.wrong, access_token: planted.wrong });
  await create({ api_token: `${planted.wrong}\n` });
  await create({ token: planted.wrong });
  await create(planted.wrong);
  await create([planted.wrong]);
  await create({ api_token: { value: planted.wrong } });
  await create({ api_token: planted.revoked }, { verify: true });
  await send('POST', COLLECTION, `{"credentials":{"api_token":"${planted.wrong}"`);
  const id = String(at(good, 'id'));
  const item = `${COLLECTION}/${id}`;
  await (await beginSync(running.store, id)).end();
  for (const path of ['', '/inspect', '/describe', '/sync', '/sync/events'])
    await send('GET', item + path);
  await send('GET', COLLECTION);
  const execute = (body: unknown) =>
    send('POST', `/api/v1/connectors/sources/${id}/execute`, body, scoped);
  await execute({ entity: 'users', action: 'list', params: { limit: 1 } });
  for (const fault of [
    { kind: 'htmlBody' },
    { kind: 'revokeToken' },
    { kind: 'slackError', error: 'fatal_error' },
  ] as const) {
    const handle = running.sandbox.faults.add(fault);
    await execute({ entity: 'users', action: 'list', params: { limit: 1 } });
    handle.release();
  }
  await send('POST', `${item}/check`);
  await send('PATCH', item, { credentials: { api_token: planted.revoked } });
  await send('POST', `${item}/check`);
  await send('PATCH', item, { credentials: { tokn: planted.wrong } });
  // A link that was made is told once, and so is the cookie; both are secrets anywhere else.
  const session = await makeSession(running, application);
  const browser = makeBrowser(running);
  await browser.open(session.url);
  secrets.push(secretOf(session.url), ...browser.cookies.values());
  for (const credentials of [
    { api_token: planted.wrong, tokn: planted.wrong },
    { api_token: planted.refused_in_session },
    { api_token: planted.in_session },
  ]) {
    const answer = await browser.submit(session.id, { credentials });
    answers.push(answer.text, JSON.stringify([...answer.headers]));
  }
  answers.push((await browser.open(session.url)).text, (await browser.view(session.id)).text);
  await send('GET', `/v1/connect-sessions/${session.id}`);
  await send('POST', `/v1/connect-sessions/${session.id}/confirm`, { external_user_id: 'bob' });
  const thief = await makeBrowser(running).open(session.url);
  answers.push(thief.text, JSON.stringify([...thief.headers]));
  await send('POST', '/api/v1/account/applications/token', {
    client_id: 'x',
    client_secret: planted.wrong,
    extra: 1,
  });
  await send('GET', '/v1/integrations/connectors', undefined, `${application}x`);
  await send('GET', '/openapi.json');
  await send('GET', '/docs');
  for (const secret of secrets) {
    for (const answer of answers) assert.ok(!answer.includes(secret), `${secret} in ${answer}`);
    assert.ok(!running.log.text().includes(secret), `${secret} in the log`);
  }
  assert.deepEqual(await findInFolder(running.dataFolder, secrets), []);
  // The search itself works: what is no secret is found.
  assert.notDeepEqual(await findInFolder(running.dataFolder, [id, 'Team chat']), []);
});

function signatureOf(token: string): string {
  return token.split('.')[2] ?? token;
}
