import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { describeKind, faultsOf } from '@patchbay/connectors';
import type { Action, ConnectorEngine, Page } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { pageSizeOf } from '../../src/vocabulary/index.ts';
import { collect, errorOf } from '../support/connectors.ts';
import { kindsUnderTest } from './support/kinds-under-test.ts';
import {
  engineFor,
  listsOf,
  recordOperationsOf,
  requiredParamsOf,
  type Json,
  type ListOperation,
} from './support/operations.ts';
import { Samples } from './support/samples.ts';

// Clients of the same protocol declare every id as a text, and ask every list for a `limit`.
for (const underTest of kindsUnderTest) {
  const { kind, row } = underTest;

  describe(`the lists of ${kind.kind} take limit`, () => {
    let sandbox: Sandbox;
    let engine: ConnectorEngine;
    let samples: Samples;
    before(async () => {
      sandbox = await startSandbox({ scale: 24 });
      engine = engineFor(underTest, sandbox.urls[row.url]);
      samples = new Samples(engine, underTest);
    });
    after(() => sandbox.close());

    for (const operation of listsOf(kind)) {
      const { name, entity, action } = operation;
      const size = pageSizeOf(action.params);

      async function listed(params: Json): Promise<Page> {
        const required = await samples.paramsOf(operation);
        sandbox.resetRequests();
        // The outcome of a list is a page.
        return (await engine.execute(entity.name, 'list', { ...required, ...params })) as Page;
      }

      test(`${name}: describe has it`, () => {
        const described = describeKind(kind)
          .entities.find((each) => each.name === entity.name)
          ?.actions.find((each) => each.name === 'list')
          ?.params.find((each) => each.name === 'limit');
        assert.equal(described?.required, false);
        assert.equal(described.extension === true, size?.name !== 'limit');
      });

      test(`${name}: what is no size of a page is refused unsent`, async () => {
        for (const limit of [0, -1, 1.5, 'ten', '01', true]) {
          const faults = faultsOf(await errorOf(listed({ limit })));
          assert.deepEqual(
            faults.map(({ field }) => field),
            ['params.limit'],
          );
        }
        assert.deepEqual(sandbox.requests(), []);
      });

      if (size === undefined)
        test(`${name}: comes whole, and says so where it is longer`, async () => {
          const whole = await listed({});
          assert.deepEqual(whole.warnings, []);
          const count = whole.data.length;
          assert.ok(count > 1);
          assert.deepEqual((await listed({ limit: count })).warnings, []);
          const cut = await listed({ limit: '1' });
          assert.deepEqual(cut.data, whole.data);
          const { constants = {} } = action;
          const sent = Object.entries(constants).map(([key, value]) => [key, String(value)]);
          assert.deepEqual(sandbox.requests()[0]?.params, Object.fromEntries(sent));
          assert.deepEqual(
            cut.warnings.map(({ code, field }) => [code, field]),
            [['limit_not_applied', 'params.limit']],
          );
        });
      else {
        test(`${name}: it is the page size`, async () => {
          for (const limit of [1, '1']) {
            const page = await listed({ limit });
            assert.equal(page.data.length, 1);
            assert.deepEqual(page.warnings, []);
            assert.deepEqual(sizesIn(sandbox, operation), ['1']);
          }
          assert.deepEqual((await listed({ limit: null })).warnings, []);
        });

        test(`${name}: beyond the largest page it is brought down, and says so`, async () => {
          const { warnings } = await listed({ limit: size.maximum + 1 });
          assert.deepEqual(sizesIn(sandbox, operation), [String(size.maximum)]);
          assert.deepEqual(
            warnings.map(({ code, field }) => [code, field]),
            [['limit_clamped', 'params.limit']],
          );
          assert.match(warnings[0]?.message ?? '', new RegExp(` ${size.maximum} records`));
          assert.deepEqual((await listed({ limit: size.maximum })).warnings, []);
          await errorOf(listed({ limit: 2 ** 53 }));
        });

        test(`${name}: a walk goes on by it`, async () => {
          const required = await samples.paramsOf(operation);
          const whole = await collect(engine.all(entity.name, required));
          const pages = await collect(engine.pages(entity.name, { ...required, limit: 20 }));
          assert.deepEqual(
            pages.flatMap(({ data }) => data),
            whole,
          );
          assert.ok(pages.every(({ data }) => data.length <= 20));
        });

        if (size.name !== 'limit')
          test(`${name}: with ${size.name} it is refused`, async () => {
            const [fault] = faultsOf(await errorOf(listed({ limit: 1, [size.name]: 1 })));
            assert.equal(fault?.field, 'params.limit');
            assert.equal(fault.errorCode, 'not_allowed');
            assert.match(fault.message, new RegExp(size.name));
            assert.deepEqual(sandbox.requests(), []);
          });
      }
    }
  });

  describe(`the integers of ${kind.kind} may come as their digits`, () => {
    let sandbox: Sandbox;
    let engine: ConnectorEngine;
    let samples: Samples;
    before(async () => {
      sandbox = await startSandbox({ scale: 24 });
      engine = engineFor(underTest, sandbox.urls[row.url]);
      samples = new Samples(engine, underTest);
    });
    after(() => sandbox.close());
    beforeEach(() => sandbox.resetRequests());

    const operations = recordOperationsOf(kind).filter(({ action }) =>
      requiredParamsOf(action).some((name) => isInteger(action, name)),
    );
    for (const operation of operations)
      test(operation.name, async () => {
        const { entity, action } = operation;
        const params = await samples.paramsOf(operation);
        const ids = Object.keys(params).filter((name) => isInteger(action, name));
        const asText = ids.map((name) => [name, String(params[name])] as const);
        const byNumber = await engine.execute(entity.name, action.verb, params);
        const given: Json = { ...params, ...Object.fromEntries(asText) };
        assert.deepEqual(await engine.execute(entity.name, action.verb, given), byNumber);
        sandbox.resetRequests();
        for (const name of ids)
          for (const text of ['01', '1.0', ' 1', '1e3', '', '9007199254740993']) {
            const call = engine.execute(entity.name, action.verb, { ...params, [name]: text });
            const [fault] = faultsOf(await errorOf(call));
            assert.equal(fault?.field, `params.${name}`);
          }
        assert.deepEqual(sandbox.requests(), []);
      });
  });
}

function isInteger({ params }: Action, name: string): boolean {
  const schema = params[name]?.schema;
  return schema !== undefined && 'type' in schema && schema.type === 'integer';
}

/** The page size in the last request, by whichever name it went out. */
function sizesIn(sandbox: Sandbox, { action }: ListOperation): readonly unknown[] {
  const { name } = pageSizeOf(action.params) ?? assert.fail();
  const { upstreamName = name, upstreamNameWith } = action.params[name] ?? assert.fail();
  const sent = sandbox.requests().at(-1)?.params ?? {};
  return [upstreamName, upstreamNameWith?.name]
    .filter((each) => each !== undefined)
    .map((each) => sent[each])
    .filter((each) => each !== undefined)
    .map(String);
}
