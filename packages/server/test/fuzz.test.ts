import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sizeOf } from '@patchbay/connectors/testing';
import * as fc from 'fast-check';
import { at } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { connectorBody, useTestService } from './support/start-test-service.ts';

const RUNS = sizeOf('fuzzed bodies');
/** Fixed, so that a failure can be looked into; change it to look elsewhere. */
const SEED = 20_261_121;

/** Keys that mean something to JavaScript, to SQL or to us. */
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'entity',
  'action',
  'params',
  'query',
  'credentials',
  'api_token',
  'replication_config',
  'config',
  'name',
  'external_user_id',
  'connector_type',
  'select_fields',
  'limit',
  'cursor',
  '',
  '\0',
  '\ud800',
  'a.b',
  "'; drop table connectors; --",
] as const;

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  1e308,
  -1e308,
  2 ** 53,
  Number.MIN_VALUE,
  '',
  '\0',
  '\ud800',
  '\udfff',
  '\u202e',
  'users',
  'list',
  'slack',
  'x'.repeat(70_000),
  [],
  {},
];

const text = fc.oneof(
  fc.constantFrom(...KEYS),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
);
const tree = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom(...VALUES),
    text,
    fc.double(),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(text, tie('value'), { maxKeys: 6 }),
}));

/** A body that is nearly right: some members of a good one replaced, taken out or added. */
const nearly = (good: Readonly<Record<string, unknown>>) =>
  fc
    .tuple(fc.subarray(Object.keys(good)), fc.dictionary(text, tree.value, { maxKeys: 3 }))
    .map(([kept, added]) => ({
      ...Object.fromEntries(kept.map((name) => [name, good[name]])),
      ...added,
    }));

const json = (value: unknown) => JSON.stringify(value);
const nested = fc
  .tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom('[', '{"a":'))
  .map(([levels, open]) => open.repeat(levels));
const broken = fc
  .tuple(tree.object.map(json), fc.nat(), fc.constantFrom('', '\0', '\ufeff', '}', ',', '1e9999'))
  .map(([whole, place, what]) => {
    const cut = place % (whole.length + 1);
    return whole.slice(0, cut) + what + whole.slice(cut);
  });
const numbers = fc
  .constantFrom('1e9999', '-1e9999', '9'.repeat(400), '0.1e-9999', '1E400', '00', '+1')
  .map((number) => `{"params":{"limit":${number}},"entity":"users","action":"list"}`);

describe('fuzzed bodies', async () => {
  const { running, token } = await useTestService();
  const id = await running.connector(token);

  test(`${RUNS} of them never give a 5xx, a hang or a crash`, async () => {
    const routes: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[] = [
      ['POST', '/v1/integrations/connectors', connectorBody()],
      ['POST', '/api/v1/integrations/connectors', connectorBody()],
      ['PATCH', `/v1/integrations/connectors/${id}`, { name: 'x', paused: false }],
      ['POST', `/v1/integrations/connectors/${id}/check`, {}],
      [
        'POST',
        `/api/v1/connectors/sources/${id}/execute`,
        { entity: 'users', action: 'list', params: { limit: 1 }, select_fields: ['id'] },
      ],
      ['POST', '/api/v1/account/applications/scoped-token', { external_user_id: 'x' }],
      ['POST', '/api/v1/account/applications/token', { client_id: 'x', client_secret: 'y' }],
    ];
    const requests = fc
      .constantFrom(...routes)
      .chain(([method, path, good]) =>
        fc
          .oneof(
            { weight: 6, arbitrary: nearly(good).map(json) },
            { weight: 3, arbitrary: tree.object.map(json) },
            { weight: 1, arbitrary: tree.value.map(json) },
            { weight: 2, arbitrary: broken },
            { weight: 1, arbitrary: nested },
            { weight: 1, arbitrary: numbers },
            { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
            { weight: 1, arbitrary: fc.string().map((each) => Buffer.from(each, 'utf16le')) },
          )
          .map((body) => ({ method, path, body })),
      );
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, path, body }) => {
        const isLogin = path.endsWith('applications/token');
        const answer = await running.send(method, path, {
          body,
          ...(isLogin ? {} : { token }),
        });
        assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${answer.text}`);
        if (answer.status >= 400)
          assertProblem(answer, at(answer, 'code') as Parameters<typeof assertProblem>[1]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    const alive = await running.send('GET', '/readyz');
    assert.equal(alive.status, 200);
    for (const line of running.log.lines()) assert.notEqual(line['code'], 'internal');
  });

  test('fuzzed queries and paths do neither', async () => {
    const places = fc.constantFrom(
      '/v1/integrations/connectors?cursor=',
      '/v1/integrations/connectors?external_user_id=',
      '/v1/integrations/connectors/',
      '/api/v1/workspaces?name_contains=',
      '/api/v1/connector-kinds/',
    );
    await fc.assert(
      fc.asyncProperty(places, text, fc.boolean(), async (place, value, isEncoded) => {
        const encoded = encodeURIComponent(value.toWellFormed());
        const raw = value.replaceAll(/[^!-~]|[#\\?]/g, '%');
        const answer = await running.send('GET', place + (isEncoded ? encoded : raw), { token });
        assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
      }),
      { numRuns: 300, seed: SEED },
    );
  });
});
