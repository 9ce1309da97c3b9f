import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  connectorBody,
  logIn,
  startServiceOn,
  useTestService,
} from './support/start-test-service.ts';

const COLLECTION = '/v1/integrations/connectors';

const { running, token } = await useTestService({
  quotas: { connectorsPerUser: 3, connectorsPerApplication: 5 },
});

const create = (externalUserId: string, as = token, send = running.send) =>
  send('POST', COLLECTION, {
    token: as,
    body: connectorBody({ external_user_id: externalUserId }),
  });

describe('quotas of connectors', () => {
  test('hold for an external user and for an application, whoever asks, until one is deleted', async () => {
    const own = await running.scopedToken('one');
    const first = await create('one', own);
    assert.equal(first.status, 201, first.text);
    for (const as of [own, token]) assert.equal((await create('one', as)).status, 201);
    for (const as of [own, token]) {
      const refused = await create('one', as);
      assertProblem(refused, 'quota_exceeded');
      assert.equal(refused.status, 409);
      assert.equal(at(refused, 'retry'), 'never');
      assert.deepEqual(at(refused, 'details'), { limit: 3, of: 'external_user' });
      assert.ok(!refused.text.includes('PATCHBAY_'), 'a setting is not for tenants');
    }
    for (const user of ['two', 'three']) assert.equal((await create(user)).status, 201);
    const full = await create('four');
    assertProblem(full, 'quota_exceeded');
    assert.deepEqual(at(full, 'details'), { limit: 5, of: 'application' });
    assert.ok(running.log.text().includes('"setting":"PATCHBAY_MAX_CONNECTORS_PER_APPLICATION"'));

    const another = await logIn(running.send, await running.service.createApplication('another'));
    assert.equal((await create('one', another)).status, 201);

    const deleted = await running.send('DELETE', `${COLLECTION}/${String(at(first, 'id'))}`, {
      token: own,
    });
    assert.equal(deleted.status, 202);
    assert.equal((await create('four')).status, 201);
    assertProblem(await create('five'), 'quota_exceeded');
  });

  test('cannot be slipped under by asking two processes at once', async () => {
    await using second = await startServiceOn(running, {
      quotas: { connectorsPerUser: 3, connectorsPerApplication: 5 },
    });
    const as = await second.applicationToken();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        create('crowd', as, index % 2 === 0 ? running.send : second.send),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 3);
    for (const answer of answers)
      if (answer.status !== 201) assertProblem(answer, 'quota_exceeded');
  });
});
