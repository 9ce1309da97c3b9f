import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkConnector, checkCredentials } from '@patchbay/connectors/engine';
import { startSandbox, type Fault } from '@patchbay/sandbox';
import { authorizationOf } from '../../src/execution/credentials.ts';
import { errorOf } from '../support/connectors.ts';
import { HandClock, turning } from '../support/hand-clock.ts';
import { printed } from '../support/printed.ts';
import { deadUrl, reply, startUpstream } from '../support/upstreams.ts';
import { kindsUnderTest } from './support/kinds-under-test.ts';
import {
  credentialsOf,
  engineFor,
  givenMethodsOf,
  isWriteOperation,
  operationsOf,
  requiredParamsOf,
  run,
  type Operation,
} from './support/operations.ts';
import { representativeReads } from './support/representatives.ts';
import { plausible } from './support/samples.ts';

/** What no kind has by chance. Its characters are such that JSON and URLs write them otherwise. */
const PLANTED = 's3cr3t/of"the\\test=+';

/** Everything that ends in an error. */
const FAULTS: readonly Fault[] = [
  { kind: 'revokeToken' },
  { kind: 'serverError' },
  { kind: 'serverError', body: 'html' },
  { kind: 'htmlBody' },
  { kind: 'truncate', how: 'connection' },
  { kind: 'truncate', how: 'json' },
  { kind: 'cutConnection' },
  { kind: 'arrayBody', where: 'body' },
  { kind: 'rateLimit', retryAfterSeconds: 3_000 },
  { kind: 'upstreamError', error: 'a_code_that_nobody_knows' },
];

for (const underTest of kindsUnderTest) {
  const { kind, row } = underTest;
  const operations = [
    ...representativeReads(kind),
    ...operationsOf(kind).filter(isWriteOperation).slice(0, 1),
  ];

  for (const method of givenMethodsOf(kind)) {
    const given = credentialsOf(kind, method, PLANTED);
    const hidden = Object.values(given).filter((value) => value.includes(PLANTED));
    const header = authorizationOf(kind, checkCredentials(kind, given)).reveal();
    const traces = [...hidden, header.replace(/^\w+ /, '')].flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
    ]);
    const checkSilence = (value: unknown) => {
      const text = printed(value);
      for (const trace of traces) assert.ok(!text.includes(trace), 'a credential shows');
      assert.ok(!text.includes('s3cr3t'), 'part of a credential shows');
    };

    describe(`the credentials of ${method} of ${kind.kind} are never printed`, () => {
      test('not by any error, connector or report', async () => {
        await using sandbox = await startSandbox({ scale: 10 });
        const baseUrl = sandbox.urls[row.url];
        const report = await checkConnector(engineFor(underTest, baseUrl, { given }));
        assert.equal(report.status, 'succeeded');
        checkSilence(report);
        for (const operation of operations) {
          for (const fault of FAULTS) {
            const clock = new HandClock();
            const engine = engineFor(underTest, baseUrl, { given, clock });
            const handle = sandbox.faults.add(fault);
            checkSilence(await turning(clock, errorOf(run(engine, operation, guesses(operation)))));
            checkSilence(await turning(clock, checkConnector(engine)));
            handle.release();
            checkSilence(engine);
          }
          const dead = engineFor(underTest, await deadUrl(), { given });
          checkSilence(await errorOf(run(dead, operation, guesses(operation))));
        }
        checkSilence(sandbox.requests());
      });

      for (const status of [200, 302, 400, 401, 403, 404, 500])
        test(`not by an upstream that says them back with HTTP ${status}`, async () => {
          await using upstream = await startUpstream((response, _, { headers }) => {
            const { authorization = '' } = headers;
            const token = authorization.replace(/^\w+ /, '');
            const decoded = Buffer.from(token, 'base64').toString('utf8');
            const said = authorization.startsWith('Basic') ? decoded : authorization;
            reply(response, status, {
              ok: false,
              error: said,
              description: authorization,
              needed: token,
              errors: [{ code: said, message: decoded, detail: authorization }],
            });
          });
          for (const operation of operations) {
            const clock = new HandClock();
            const engine = engineFor(underTest, upstream.url, { given, clock });
            checkSilence(await turning(clock, errorOf(run(engine, operation, guesses(operation)))));
          }
        });

      test('not by half where what an upstream says is cut to a readable length', async () => {
        for (let length = 470; length < 500; length += 5) {
          await using upstream = await startUpstream((response, _, { headers }) => {
            const { authorization = '' } = headers;
            const token = authorization.replace(/^\w+ /, '');
            const said = 'x'.repeat(length) + token;
            const decoded = 'x'.repeat(length) + Buffer.from(token, 'base64').toString('utf8');
            const message = authorization.startsWith('Basic') ? decoded : said;
            reply(response, 400, {
              ok: false,
              error: 'odd',
              description: message,
              needed: message,
              response_metadata: { messages: [message] },
              errors: [{ code: 'odd', message, detail: message }],
            });
          });
          for (const operation of operations) {
            const engine = engineFor(underTest, upstream.url, { given });
            checkSilence(await errorOf(run(engine, operation, guesses(operation))));
          }
        }
      });

      test('only the Authorization header carries them', async () => {
        await using upstream = await startUpstream((response) => reply(response, 400, {}));
        for (const operation of operations)
          await errorOf(
            run(engineFor(underTest, upstream.url, { given }), operation, guesses(operation)),
          );
        for (const { line, body, headers } of upstream.seen) {
          const { authorization, ...rest } = headers;
          assert.ok(authorization !== undefined);
          checkSilence({ line, body, rest });
        }
      });
    });
  }
}

/** Params that are checked before anything is sent; no upstream has to like them. */
function guesses({ action }: Operation): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    requiredParamsOf(action).map((name) => [name, plausible(action, name)]),
  );
}
