import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { makeTestGround, startServiceOn } from './support/start-test-service.ts';

const run = promisify(execFile);
const COLLECTION = '/v1/integrations/connectors';
const EXECUTE = '/api/v1/connectors/sources/{id}/execute';
const TRIAL = {
  externalUserId: 'demo-user',
  name: 'Sandbox Slack',
  credentials: { api_token: 'demo' },
  replicationConfig: {
    start_date: '2025-12-01T00:00:00Z',
    lookback_window: 0,
    join_channels: false,
  },
};

/** By OpenAPI. */
type Operation = {
  readonly description: string;
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples: Readonly<Record<string, { readonly value: object }>> }>
    >;
  };
};

function operationOf(document: TestAnswer, method: string, path: string): Operation {
  const paths = at(document, 'paths') as Readonly<Record<string, Record<string, Operation>>>;
  const operation = paths[path]?.[method.toLowerCase()];
  assert.ok(operation, `${method} ${path}`);
  return operation;
}

describe('what the OpenAPI document shows can be pasted', () => {
  test('the calls of a first hour, one after the other, in a shell', async () => {
    await using ground = await makeTestGround();
    const upstream = { baseUrl: ground.sandbox.urls.slack, label: 'sandbox', trial: TRIAL };
    await using running = await startServiceOn(ground, {
      upstreams: { 'chat-workspace': upstream },
    });
    const document = await running.send('GET', '/openapi.json');
    const variables: Record<string, string> = { PATCHBAY_BASE_URL: running.service.url };
    /** The line that is shown, as it is, but for words that stand for secrets. */
    const paste = async (
      method: string,
      path: string,
    ): Promise<Pick<TestAnswer, 'body' | 'text'>> => {
      const { description } = operationOf(document, method, path);
      const line = /```sh\n(.*)\n```/s.exec(description)?.[1] ?? '';
      const { clientId, clientSecret } = running.client;
      const filled = line.replace('CLIENT_ID', clientId).replace('CLIENT_SECRET', clientSecret);
      const { stdout } = await run('bash', ['-uc', `${filled} --fail-with-body`], {
        env: { PATH: process.env['PATH'], ...variables },
      }).catch((error: unknown) =>
        assert.fail(`${line}\n${String(Reflect.get(Object(error), 'stdout'))}`),
      );
      return { body: JSON.parse(stdout) as unknown, text: stdout };
    };
    const accounts = '/api/v1/account/applications';
    variables['TOKEN'] = textAt(await paste('POST', `${accounts}/token`), 'access_token');
    assert.match(textAt(await paste('POST', `${accounts}/scoped-token`), 'token'), /^ey/);
    assert.ok(textAt(await paste('POST', '/v1/connect-sessions'), 'connect_url'));
    const made = await paste('POST', COLLECTION);
    assert.equal(at(made, 'name'), TRIAL.name);
    assert.equal(at(made, 'external_user_id'), TRIAL.externalUserId);
    const id = (variables['ID'] = textAt(made, 'id'));
    assert.equal(at(await paste('GET', COLLECTION), 'data.0.id'), id);
    assert.equal(at(await paste('GET', `${COLLECTION}/{id}`), 'id'), id);
    assert.ok(at(await paste('GET', `${COLLECTION}/{id}/describe`), 'entities.0.name'));
    assert.equal(at(await paste('POST', `${COLLECTION}/{id}/check`), 'status'), 'succeeded');
    assert.ok(at(await paste('POST', EXECUTE), 'result.0.id'));
    assert.ok(textAt(await paste('POST', `${COLLECTION}/{id}/sync`), 'run_id'));
    assert.equal(at(await paste('GET', `${COLLECTION}/{id}/sync`), 'current.state'), 'queued');

    await copyByHand(running.store, id, 'users', [copiedUser('U1')]);
    const { requestBody } = operationOf(document, 'POST', EXECUTE);
    const { examples = {} } = requestBody?.content['application/json'] ?? {};
    const search = examples['ChatWorkspaceUsersSearch']?.value ?? {};
    const found = await running.execute(variables['TOKEN'], id, { ...search });
    assert.equal(at(found, 'result.hits.0.id'), 'U1', found.text);
  });

  test('nothing is made up of a kind that cannot be tried', async () => {
    await using ground = await makeTestGround();
    await using running = await startServiceOn(ground);
    const document = await running.send('GET', '/openapi.json');
    assert.ok(!document.text.includes('"demo"'));
  });
});
