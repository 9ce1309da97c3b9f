import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkConnector } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { kindsUnderTest } from './support/kinds-under-test.ts';
import {
  credentialsOf,
  engineFor,
  givenMethodsOf,
  recordOperationsOf,
  requiredParamsOf,
} from './support/operations.ts';

for (const underTest of kindsUnderTest) {
  const { kind, row } = underTest;
  const entities = kind.checks.map(({ entity }) => entity);

  describe(`check() of ${kind.kind}`, () => {
    let sandbox: Sandbox;
    before(async () => {
      sandbox = await startSandbox({ scale: 10 });
    });
    after(() => sandbox.close());

    test('reads each entity once that can be read without knowing an id', async () => {
      const readable = recordOperationsOf(kind)
        .filter(({ action }) => action.verb === 'list' || action.verb === 'get')
        .filter(({ action }) => requiredParamsOf(action).length === 0)
        .map(({ entity }) => entity.name);
      assert.deepEqual(entities.toSorted(), [...new Set(readable)].toSorted());
      assert.equal(new Set(entities).size, entities.length);
    });

    for (const method of givenMethodsOf(kind))
      test(`succeeds with credentials of ${method}, one cheap read an entity`, async () => {
        const given = credentialsOf(kind, method);
        sandbox.resetRequests();
        const report = await checkConnector(engineFor(underTest, sandbox.urls[row.url], { given }));
        assert.deepEqual(report, {
          status: 'succeeded',
          entity_check_results: entities.map((entity) => ({ entity, status: 'succeeded' })),
        });
        assert.equal(sandbox.requests().length, entities.length);
        for (const { verb } of sandbox.requests()) assert.ok(['GET', 'POST'].includes(verb));
      });

    test('fails for every entity where the credentials are refused', async () => {
      const [method = ''] = Object.keys(kind.auth);
      const given = credentialsOf(kind, method, 'an-invalid-one');
      const report = await checkConnector(engineFor(underTest, sandbox.urls[row.url], { given }));
      assert.equal(report.status, 'failed');
      assert.equal(report.error_message, report.entity_check_results[0]?.error_message);
      assert.deepEqual(
        report.entity_check_results.map(({ entity, status, error_code: code }) => [
          entity,
          status,
          code,
        ]),
        entities.map((entity) => [entity, 'failed', 'credentials_rejected']),
      );
    });

    for (const [nth, entity] of entities.entries())
      test(`says that ${entity} alone failed, and why`, async () => {
        const engine = engineFor(underTest, sandbox.urls[row.url]);
        const check = kind.checks[nth];
        assert.ok(check);
        sandbox.resetRequests();
        await engine.execute(entity, check.action, check.params);
        const method = sandbox.requests()[0]?.method ?? '';
        const fault = sandbox.faults.add({ kind: 'htmlBody', method });
        const report = await checkConnector(engine);
        fault.release();
        assert.equal(report.status, 'failed');
        for (const result of report.entity_check_results) {
          const isBroken = result.entity === entity;
          assert.equal(result.status, isBroken ? 'failed' : 'succeeded', result.entity);
          assert.equal(result.error_code, isBroken ? 'upstream_contract_broken' : undefined);
          assert.equal(result.error_message, isBroken ? report.error_message : undefined);
        }
      });
  });
}
