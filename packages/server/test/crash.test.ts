import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { openStore } from '@patchbay/store';
import { EMBEDDED, NODE_FLAGS, type TestPlace } from '@patchbay/store/testing';
import { at, makeClient, textAt, type TestAnswer, type TestClient } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { connectorBody, countOf, logIn, startServiceOn } from './support/start-test-service.ts';

const CLIENT = { clientId: 'crash-test', clientSecret: 'x'.repeat(40) };
const COLLECTION = '/v1/integrations/connectors';

describe('kill -9', () => {
  let sandbox: Sandbox;
  let place: TestPlace;
  before(async () => {
    sandbox = await startSandbox();
    place = await EMBEDDED.make();
  });
  after(async () => {
    await sandbox.close();
    await place.remove();
  });

  /** A service in a process of its own. */
  const startChild = async () => {
    const child = fork(
      join(import.meta.dirname, 'support/crash-child.ts'),
      [place.options.dataFolder ?? '', sandbox.urls.slack, CLIENT.clientId, CLIENT.clientSecret],
      { execArgv: [...NODE_FLAGS] },
    );
    // The only message is the URL.
    const [url] = (await once(child, 'message')) as [string];
    const send = makeClient(url);
    const token = await logIn(send, CLIENT);
    const kill = async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    };
    return { send, token, kill };
  };

  test('every connector that was answered 201 is there and usable after the restart', async () => {
    const first = await startChild();
    const answered: string[] = [];
    let killed: Promise<void> | undefined;
    const creating = Array.from({ length: 8 }, async (_, worker) => {
      for (let count = 0; killed === undefined; count++) {
        const answer = await create(first.send, first.token, `${worker}-${count}`);
        if (answer.status === 201) answered.push(textAt(answer, 'id'));
        if (answered.length >= 40) killed ??= first.kill();
      }
    });
    // Requests under way at the kill end in an error; what counts is what was answered.
    await Promise.allSettled(creating);
    await killed;
    const second = await startChild();
    for (const id of answered) {
      const call = { entity: 'users', action: 'list', params: { limit: 1 } };
      const answer = await execute(second, id, call);
      assert.equal(answer.status, 200, answer.text);
      const { body } = await second.send('GET', `${COLLECTION}/${id}`, { token: second.token });
      assert.equal(at({ body }, 'status'), 'active');
    }
    assert.ok(answered.length >= 40);
    await second.kill();
  });

  test('a write that was cut off is of unknown outcome, and was sent once', async () => {
    const first = await startChild();
    const id = textAt(await create(first.send, first.token, 'writer'), 'id');
    const page = await execute(first, id, {
      entity: 'channels',
      action: 'list',
      params: { limit: 1 },
    });
    const channel = textAt(page, 'result.0.id');
    const write = { entity: 'messages', action: 'create', params: { channel, text: 'cut off' } };
    const headers = { 'idempotency-key': 'the key' };
    sandbox.resetRequests();
    const hang = sandbox.faults.add({
      kind: 'hang',
      method: 'chat.postMessage',
      afterApplying: true,
    });
    const lost = execute(first, id, write, headers);
    const refused = assert.rejects(lost);
    await hang.whenHit();
    await first.kill();
    await refused;
    hang.release();
    const second = await startChild();
    const answer = await execute(second, id, write, headers);
    assert.equal(at(answer, 'code'), 'write_outcome_unknown', answer.text);
    assert.equal(answer.status, 504);
    const again = await execute(second, id, write, headers);
    assert.equal(again.text, answer.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(countOf(sandbox, 'chat.postMessage'), 1);
    const other = { ...write, params: { channel, text: 'another' } };
    assertProblem(await execute(second, id, other, headers), 'idempotency_key_reused');
    await second.kill();
  });
});

test('the connectors of a deleted application go after a kill, at the next start', async () => {
  const place = await EMBEDDED.make();
  try {
    const child = fork(
      join(import.meta.dirname, 'support/deletion-child.ts'),
      [place.options.dataFolder ?? '', '5', '2'],
      { execArgv: [...NODE_FLAGS] },
    );
    const exited = once(child, 'exit');
    const [applicationId] = (await once(child, 'message')) as [string];
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    await using sandbox = await startSandbox();
    await using store = await openStore(place.options);
    const left = () => store.connectors.list({ applicationId }, { limit: 10 });
    assert.deepEqual(await store.applications.findById(applicationId), undefined);
    assert.deepEqual(await store.applications.uncleared(10, []), [applicationId]);
    assert.equal((await left()).length, 3);
    const ground = { sandbox, store, dataFolder: '', [Symbol.asyncDispose]: async () => undefined };
    await using _ = await startServiceOn(ground);
    while ((await left()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await store.applications.uncleared(10, []), []);
  } finally {
    await place.remove();
  }
});

function create(send: TestClient, token: string, name: string): Promise<TestAnswer> {
  return send('POST', COLLECTION, { token, body: connectorBody({ name }) });
}

function execute(
  { send, token }: { readonly send: TestClient; readonly token: string },
  id: string,
  body: unknown,
  headers = {},
): Promise<TestAnswer> {
  return send('POST', `/api/v1/connectors/sources/${id}/execute`, { token, body, headers });
}
