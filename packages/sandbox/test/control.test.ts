import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Sandbox } from '../src/index.ts';
import { field, objects, rawCall, sandboxForTest } from './support.ts';

async function control(
  sandbox: Sandbox,
  verb: string,
  path: string,
  body?: string,
  contentType = 'application/json',
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
    method: verb,
    ...(body === undefined ? {} : { body, headers: { 'content-type': contentType } }),
  });
  return { status: response.status, body: await response.json() };
}

describe('the control surface', () => {
  it('health names the seed, the scale and the base URLs', async () => {
    await using sandbox = await sandboxForTest();
    const { status, body } = await control(sandbox, 'GET', 'health');
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, seed: 7, scale: 60, urls: sandbox.urls });
  });

  it('shows the requests and forgets them', async () => {
    await using sandbox = await sandboxForTest();
    await rawCall(sandbox, 'auth.test');
    const shown = await control(sandbox, 'GET', 'requests');
    assert.deepEqual(
      objects(field(shown.body, 'requests')).map(({ method }) => method),
      ['auth.test'],
    );
    await control(sandbox, 'DELETE', 'requests');
    assert.deepEqual(sandbox.requests(), []);
  });

  it('adds, lists and removes faults', async () => {
    await using sandbox = await sandboxForTest();
    const added = await control(
      sandbox,
      'POST',
      'faults',
      '{"kind":"rateLimit","method":"auth.test","times":2}',
    );
    assert.equal(added.status, 201);
    const id = String(field(added.body, 'id'));
    assert.equal((await rawCall(sandbox, 'auth.test')).status, 429);
    const listed = await control(sandbox, 'GET', 'faults');
    assert.deepEqual(listed.body, {
      faults: [
        { id, fault: { kind: 'rateLimit', method: 'auth.test', times: 2 }, hits: 1, remaining: 1 },
      ],
    });
    assert.equal((await control(sandbox, 'DELETE', `faults/${id}`)).status, 200);
    assert.equal((await control(sandbox, 'DELETE', `faults/${id}`)).status, 404);
    assert.equal((await rawCall(sandbox, 'auth.test')).status, 200);
    await control(sandbox, 'POST', 'faults', '{"kind":"htmlBody"}');
    await control(sandbox, 'DELETE', 'faults');
    assert.equal((await rawCall(sandbox, 'auth.test')).body['ok'], true);
  });

  it('releases hanging calls when their fault is deleted', async () => {
    await using sandbox = await sandboxForTest();
    const hang = sandbox.faults.add({ kind: 'hang' });
    const call = rawCall(sandbox, 'auth.test');
    await hang.whenHit();
    await control(sandbox, 'DELETE', 'faults');
    assert.equal((await call).body['ok'], true);
  });

  it('refuses what is no fault, naming everything that is wrong', async () => {
    await using sandbox = await sandboxForTest();
    const { status, body } = await control(
      sandbox,
      'POST',
      'faults',
      '{"kind":"mutateWhilePaging","times":0,"speed":"fast"}',
    );
    assert.equal(status, 400);
    const problems = JSON.stringify(field(body, 'problems'));
    for (const name of ['change: is required', 'times:', 'speed: is not a field']) {
      assert.ok(problems.includes(name), name);
    }
    for (const wrong of ['{', '[]', '{"kind":"earthquake"}', '{"kind":"delay","delayMs":"1"}']) {
      assert.equal((await control(sandbox, 'POST', 'faults', wrong)).status, 400);
    }
    assert.deepEqual(sandbox.faults.list(), []);
  });

  it('takes faults as JSON only, so that no web page can add one', async () => {
    await using sandbox = await sandboxForTest();
    const refused = await control(sandbox, 'POST', 'faults', '{"kind":"htmlBody"}', 'text/plain');
    assert.equal(refused.status, 415);
    assert.equal((await control(sandbox, 'GET', 'nothing')).status, 404);
  });
});
