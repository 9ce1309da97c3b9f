import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { sampleIntent } from '@patchbay/store/testing';
import { startService } from '../src/index.ts';
import { fingerprintOf } from '../src/operations/idempotency.ts';
import { contractOf } from './support/contract.ts';
import { at, makeClient } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { parseRaw, sendRaw } from './support/raw-request.ts';
import {
  countOf,
  logIn,
  MASTER_KEY,
  someChannel,
  useTestService,
} from './support/start-test-service.ts';

const POST = 'chat.postMessage';

describe('Idempotency-Key', async () => {
  const { running, token } = await useTestService();
  const id = await running.connector(token);
  const channel = await someChannel(running, token, id);

  const message = (text: string) => ({
    entity: 'messages',
    action: 'create',
    params: { channel, text },
  });
  const run = (body: Readonly<Record<string, unknown>>, key: string, connectorId = id) =>
    running.execute(token, connectorId, body, { 'idempotency-key': key });
  const posts = () => countOf(running.sandbox, POST);

  test('the same key and body write once, and the answer is replayed byte for byte', async () => {
    running.sandbox.resetRequests();
    const first = await run(message('once'), 'key-1');
    assert.equal(first.status, 200, first.text);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const reordered = {
      params: { text: 'once', channel, thread_ts: null },
      action: 'create',
      entity: 'messages',
      intent: 'ignored',
    };
    for (const body of [message('once'), reordered]) {
      const again = await run(body, 'key-1');
      assert.equal(again.status, 200);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
    }
    assert.equal(posts(), 1);
  });

  test('a key that is there twice is refused: both together would be another one', async () => {
    running.sandbox.resetRequests();
    const body = JSON.stringify(message('twice'));
    const head = [
      `POST /api/v1/connectors/sources/${id}/execute HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      'Idempotency-Key: twice',
      'Idempotency-Key: twice',
    ].join('\r\n');
    const answer = parseRaw(await sendRaw(running.service.url, `${head}\r\n\r\n${body}`));
    assertProblem(answer, 'invalid_request');
    assert.equal(at(answer, 'errors.0.field'), 'Idempotency-Key');
    assert.equal(posts(), 0);
  });

  test('the same key with another body is refused', async () => {
    await run(message('one'), 'key-2');
    assertProblem(await run(message('two'), 'key-2'), 'idempotency_key_reused');
    const selected = { ...message('one'), select_fields: ['ts'] };
    assertProblem(await run(selected, 'key-2'), 'idempotency_key_reused');
  });

  test('nothing is sent again where the connector was deleted meanwhile, and its keys with it', async () => {
    running.sandbox.resetRequests();
    const gone = await running.connector(token);
    assert.equal((await run(message('last'), 'key-last', gone)).status, 200);
    // By another process: this one still knows it.
    await running.store.connectors.delete(gone, randomUUID());
    const cleared = { connectorId: gone, kind: 'chat-workspace' };
    while (await running.store.syncs.clearSome(cleared, 100));
    assertProblem(await run(message('last'), 'key-last', gone), 'connector_not_found');
    assert.equal(posts(), 1);
  });

  test('keys belong to a connector, and reads take no notice of them', async () => {
    running.sandbox.resetRequests();
    const other = await running.connector(token);
    const first = await run(message('mine'), 'key-3');
    const second = await run(message('mine'), 'key-3', other);
    assert.notEqual(at(first, 'result.ts'), at(second, 'result.ts'));
    assert.equal(posts(), 2);
    const read = { entity: 'users', action: 'list', params: { limit: 1 } };
    await run(read, 'key-3');
    const again = await run(read, 'key-3');
    assert.equal(again.headers.get('idempotent-replayed'), null);
    assert.equal(again.status, 200);
  });

  test('of many at once, one writes; the others are told to wait, then get its answer', async () => {
    running.sandbox.resetRequests();
    const hang = running.sandbox.faults.add({ kind: 'hang', method: POST });
    const first = run(message('many'), 'key-4');
    await hang.whenHit();
    const others = await Promise.all(
      Array.from({ length: 20 }, () => run(message('many'), 'key-4')),
    );
    for (const other of others) assertProblem(other, 'idempotency_in_progress');
    assertProblem(await run(message('else'), 'key-4'), 'idempotency_key_reused');
    hang.release();
    const answer = await first;
    assert.equal(answer.status, 200);
    assert.equal((await run(message('many'), 'key-4')).text, answer.text);
    const race = await Promise.all(Array.from({ length: 20 }, () => run(message('race'), 'key-5')));
    for (const each of race)
      if (each.status !== 200) assertProblem(each, 'idempotency_in_progress');
    assert.ok(race.some(({ status }) => status === 200));
    assert.equal(posts(), 2);
  });

  test('what surely did not happen frees its key', async () => {
    running.sandbox.resetRequests();
    const fault = running.sandbox.faults.add({ kind: 'slackError', error: 'not_in_channel' });
    assertProblem(await run(message('later'), 'key-6'), 'upstream_forbidden');
    fault.release();
    assertProblem(await run({ ...message('x'), params: {} }, 'key-6'), 'invalid_params');
    const answer = await run(message('another text'), 'key-6');
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
  });

  test('what may have happened keeps its key and its answer', async () => {
    running.sandbox.resetRequests();
    running.sandbox.faults.add({ kind: 'cutConnection', afterApplying: true, times: 1 });
    const first = await run(message('lost'), 'key-7');
    assertProblem(first, 'write_outcome_unknown');
    const again = await run(message('lost'), 'key-7');
    assert.equal(again.status, 504);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(posts(), 1);
  });

  test('a replay does not ask about the state of the connector', async () => {
    const connectorId = await running.connector(token);
    const first = await run(message('before'), 'key-8', connectorId);
    const fault = running.sandbox.faults.add({ kind: 'revokeToken' });
    assertProblem(await run(message('after'), 'key-9', connectorId), 'credentials_rejected');
    fault.release();
    assert.equal((await run(message('before'), 'key-8', connectorId)).text, first.text);
    assertProblem(await run(message('after'), 'key-9', connectorId), 'reauth_required');
  });

  test('an intent whose process is dead is of unknown outcome, for good, and never sent again', async () => {
    running.sandbox.resetRequests();
    const dead = await startIntentOf('a process that never beat');
    const first = await run(message('orphan'), dead);
    assertProblemBody(first);
    const again = await run(message('orphan'), dead);
    assert.equal(again.text, first.text);
    assert.equal(posts(), 0);
  });

  test('an intent of a process that lives is in progress', async () => {
    const instanceId = 'a process elsewhere';
    await running.store.instances.beat(instanceId);
    const key = await startIntentOf(instanceId);
    assertProblem(await run(message('orphan'), key), 'idempotency_in_progress');
    await running.store.instances.remove(instanceId);
    assertProblemBody(await run(message('orphan'), key));
  });

  test('a shutdown ends a hanging write as unknown, and keeps that answer', async () => {
    const service = await startService({
      store: running.store,
      masterKey: MASTER_KEY,
      port: 0,
      upstreams: { 'chat-workspace': { baseUrl: running.sandbox.urls.slack } },
      logger: { level: 'silent' },
      role: 'api',
      shutdownGraceMs: 50,
    });
    const send = makeClient(service.url, contractOf(service.routes));
    const request = {
      token: await logIn(send, running.client),
      body: message('shutting down'),
      headers: { 'idempotency-key': 'key-10' },
    };
    const hang = running.sandbox.faults.add({ kind: 'hang', method: POST });
    const path = `/api/v1/connectors/sources/${id}/execute`;
    const hanging = send('POST', path, request);
    await hang.whenHit();
    await service.close();
    const answer = await hanging;
    hang.release();
    assertProblem(answer, 'write_outcome_unknown');
    assert.equal((await run(message('shutting down'), 'key-10')).text, answer.text);
  });

  /** Stores the intent of a call as another process would. */
  async function startIntentOf(instanceId: string): Promise<string> {
    const key = `orphan of ${instanceId}`;
    const fingerprint = fingerprintOf(message('orphan'));
    const intent = sampleIntent({ scope: id, key, fingerprint, instanceId });
    assert.equal(await running.store.idempotency.begin(intent), undefined);
    return key;
  }

  function assertProblemBody(answer: Awaited<ReturnType<typeof run>>): void {
    assert.equal(answer.status, 504, answer.text);
    assert.equal(at(answer, 'code'), 'write_outcome_unknown');
    assert.equal(at(answer, 'retry'), 'never');
    assert.match(String(at(answer, 'details.how_to_find_out')), /List the newest messages/);
  }
});
