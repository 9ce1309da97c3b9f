import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ConnectorError, ErrorCode } from '@patchbay/connectors';
import type { ConnectorEngine } from '@patchbay/connectors/engine';
import { ENGINE_POLICIES } from '@patchbay/connectors/definitions';
import { startSandbox, type Fault, type Sandbox } from '@patchbay/sandbox';
import { errorOf } from '../support/connectors.ts';
import { HandClock, turning } from '../support/hand-clock.ts';
import { deadUrl, reply, startUpstream } from '../support/upstreams.ts';
import { kindsUnderTest } from './support/kinds-under-test.ts';
import {
  credentialsOf,
  engineFor,
  givenMethodsOf,
  isList,
  isWriteOperation,
  operationsOf,
  run,
} from './support/operations.ts';
import { representativeReads } from './support/representatives.ts';
import { Samples } from './support/samples.ts';

const SCALE = 24;
/** Longer than any deadline. */
const FOR_LONG = 3_000;

/** What the sandbox does to a read, the code it ends with, and whether it is tried again. */
const READ_FAULTS: readonly (readonly [string, Fault, ErrorCode, 'once' | 'repeated'])[] = [
  ['HTTP 500', { kind: 'serverError' }, 'upstream_unavailable', 'repeated'],
  [
    '503 with a page',
    { kind: 'serverError', status: 503, body: 'html' },
    'upstream_unavailable',
    'repeated',
  ],
  ['a cut connection', { kind: 'cutConnection' }, 'upstream_unavailable', 'repeated'],
  ['half an answer', { kind: 'truncate', how: 'connection' }, 'upstream_unavailable', 'repeated'],
  ['half a body', { kind: 'truncate', how: 'json' }, 'upstream_contract_broken', 'once'],
  ['a page instead of JSON', { kind: 'htmlBody' }, 'upstream_contract_broken', 'once'],
  ['a revoked token', { kind: 'revokeToken' }, 'credentials_rejected', 'once'],
  [
    'a long rate limit',
    { kind: 'rateLimit', retryAfterSeconds: FOR_LONG },
    'upstream_rate_limited',
    'once',
  ],
];

/** Statuses of any upstream, whatever its body. */
const STATUSES: readonly (readonly [number, ErrorCode, ErrorCode, 'once' | 'repeated'])[] = [
  [302, 'upstream_contract_broken', 'upstream_contract_broken', 'once'],
  [400, 'upstream_rejected', 'upstream_rejected', 'once'],
  [401, 'credentials_rejected', 'credentials_rejected', 'once'],
  [403, 'upstream_forbidden', 'upstream_forbidden', 'once'],
  [404, 'upstream_rejected', 'record_not_found', 'once'],
  [422, 'upstream_rejected', 'upstream_rejected', 'once'],
  [429, 'upstream_rate_limited', 'upstream_rate_limited', 'once'],
  [500, 'upstream_unavailable', 'upstream_unavailable', 'repeated'],
  [502, 'upstream_unavailable', 'upstream_unavailable', 'repeated'],
  [503, 'upstream_unavailable', 'upstream_unavailable', 'repeated'],
];

/** After these nobody can know whether a write happened. */
const WRITE_FAULTS: readonly (readonly [string, Fault])[] = [
  ['HTTP 500', { kind: 'serverError' }],
  ['HTTP 502 after it took effect', { kind: 'serverError', status: 502, afterApplying: true }],
  ['a cut connection', { kind: 'cutConnection', afterApplying: true }],
  ['a page instead of JSON', { kind: 'htmlBody', afterApplying: true }],
  ['half an answer', { kind: 'truncate', how: 'connection' }],
  ['half a body', { kind: 'truncate', how: 'json' }],
];

for (const underTest of kindsUnderTest) {
  const { kind, row } = underTest;
  const reads = representativeReads(kind);
  const writes = operationsOf(kind).filter(isWriteOperation);

  describe(`what goes wrong with ${kind.kind} has the right code`, () => {
    let sandbox: Sandbox;
    let engine: ConnectorEngine;
    let samples: Samples;
    before(async () => {
      sandbox = await startSandbox({ scale: SCALE });
      engine = engineFor(underTest, sandbox.urls[row.url]);
      samples = new Samples(engine, underTest);
    });
    after(() => sandbox.close());

    for (const operation of reads) {
      const { name, action, entity } = operation;
      const timesOf = { once: 1, repeated: ENGINE_POLICIES.retry.maxAttempts };

      for (const [what, fault, code, times] of READ_FAULTS)
        test(`${name}: ${what} is ${code}`, async () => {
          const params = await samples.paramsOf(operation);
          const own = engineFor(underTest, sandbox.urls[row.url]);
          sandbox.resetRequests();
          const handle = sandbox.faults.add(fault);
          const error = await errorOf(run(own, operation, params));
          handle.release();
          assert.equal(error.code, code);
          assert.partialDeepStrictEqual(error.details, {
            entity: entity.name,
            action: action.verb,
          });
          assert.equal(sandbox.requests().length, timesOf[times]);
        });

      test(`${name}: passing trouble is passed over`, async () => {
        const params = await samples.paramsOf(operation);
        const usual = await run(engine, operation, params);
        sandbox.faults.add({ kind: 'serverError', times: 1 });
        assert.deepEqual(await run(engine, operation, params), usual);
      });

      test(`${name}: no answer at all is upstream_timeout when the deadline has passed`, async () => {
        const params = await samples.paramsOf(operation);
        const clock = new HandClock();
        const own = engineFor(underTest, sandbox.urls[row.url], { clock });
        const hang = sandbox.faults.add({ kind: 'hang' });
        const call = errorOf(run(own, operation, params, { timeoutMs: 900 }));
        await hang.whenHit();
        clock.advance(900);
        assert.equal((await call).code, 'upstream_timeout');
        hang.release();
      });

      for (const [status, ofList, ofRecord, times] of STATUSES)
        test(`${name}: HTTP ${status} is the right code, whatever the body`, async () => {
          const params = await samples.paramsOf(operation);
          for (const body of ['<h1>Trouble</h1>', '', {}, [], { error: 7, errors: [null] }]) {
            await using upstream = await startUpstream((response) =>
              reply(response, status, body, { 'retry-after': String(FOR_LONG) }),
            );
            const clock = new HandClock();
            const own = engineFor(underTest, upstream.url, { clock });
            const error: ConnectorError = await turning(
              clock,
              errorOf(run(own, operation, params)),
            );
            assert.equal(error.code, isList(operation) ? ofList : ofRecord);
            // A server error that asks for a long wait is not tried again before the deadline.
            assert.ok(upstream.seen.length <= timesOf[times]);
          }
        });

      test(`${name}: an upstream that is not there is upstream_unavailable, with the setting`, async () => {
        const params = await samples.paramsOf(operation);
        const error = await errorOf(run(engineFor(underTest, await deadUrl()), operation, params));
        assert.equal(error.code, 'upstream_unavailable');
        assert.match(error.message, /baseUrl/);
      });
    }

    for (const method of givenMethodsOf(kind))
      test(`credentials of ${method} that the upstream refuses are credentials_rejected`, async () => {
        for (const secret of ['an-invalid-one', 'a-revoked-one']) {
          const given = credentialsOf(kind, method, secret);
          const own = engineFor(underTest, sandbox.urls[row.url], { given });
          for (const operation of reads) {
            const error = await errorOf(run(own, operation, await samples.paramsOf(operation)));
            assert.equal(error.code, 'credentials_rejected');
            assert.equal(error.retry, 'reauth');
          }
        }
      });

    // Proven: the keys of `codes` are error codes, by its type.
    for (const [ours, codes] of Object.entries(kind.errors.codes) as [ErrorCode, string[]][])
      test(`the upstream’s codes for ${ours} are told as that`, async () => {
        const operation = reads.find(isList);
        assert.ok(operation);
        const params = await samples.paramsOf(operation);
        for (const code of codes) {
          const clock = new HandClock();
          const own = engineFor(underTest, sandbox.urls[row.url], { clock });
          const handle = sandbox.faults.add({ kind: 'upstreamError', error: code });
          const error: ConnectorError = await turning(clock, errorOf(run(own, operation, params)));
          handle.release();
          assert.equal(error.code, ours, code);
        }
      });
  });

  if (writes.length > 0)
    describe(`a write of ${kind.kind} that may have happened is never repeated`, () => {
      let sandbox: Sandbox;
      let engine: ConnectorEngine;
      let samples: Samples;
      before(async () => {
        sandbox = await startSandbox({ scale: SCALE });
        engine = engineFor(underTest, sandbox.urls[row.url]);
        samples = new Samples(engine, underTest);
      });
      after(() => sandbox.close());

      for (const operation of writes) {
        test(`${operation.name}: write_outcome_unknown, and it is seen once`, async () => {
          for (const [what, fault] of WRITE_FAULTS) {
            const params = await samples.paramsOf(operation);
            sandbox.resetRequests();
            const handle = sandbox.faults.add(fault);
            const error = await errorOf(run(engine, operation, params));
            handle.release();
            assert.equal(error.code, 'write_outcome_unknown', what);
            assert.equal(error.retry, 'never');
            assert.equal(sandbox.requests().length, 1, what);
          }
        });

        test(`${operation.name}: a deadline after it was sent is write_outcome_unknown`, async () => {
          const params = await samples.paramsOf(operation);
          sandbox.resetRequests();
          const clock = new HandClock();
          const own = engineFor(underTest, sandbox.urls[row.url], { clock });
          const hang = sandbox.faults.add({ kind: 'hang', afterApplying: true });
          const call = errorOf(run(own, operation, params));
          await hang.whenHit();
          clock.advance(60_000);
          assert.equal((await call).code, 'write_outcome_unknown');
          hang.release();
          assert.equal(sandbox.requests().length, 1);
        });

        test(`${operation.name}: a refusal is told as such, for it surely did not happen`, async () => {
          for (const [fault, code] of [
            [{ kind: 'revokeToken' }, 'credentials_rejected'],
            [{ kind: 'rateLimit', retryAfterSeconds: FOR_LONG }, 'upstream_rate_limited'],
          ] as const) {
            const params = await samples.paramsOf(operation);
            sandbox.resetRequests();
            const own = engineFor(underTest, sandbox.urls[row.url]);
            const handle = sandbox.faults.add(fault);
            assert.equal((await errorOf(run(own, operation, params))).code, code);
            handle.release();
            assert.equal(sandbox.requests().length, 1);
          }
        });
      }
    });
}
