import assert from 'node:assert/strict';
import { test } from 'node:test';
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
