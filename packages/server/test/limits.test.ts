import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { ErrorCode } from '@patchbay/connectors';
import { MAX_CREDENTIAL, SEARCH_LIMITS } from '@patchbay/connectors/engine';
import { renderLimitsPage } from '../../../docs/limits-page.ts';
import { MAX_CLIENT_ID, MAX_CLIENT_SECRET } from '../src/access/client-secret.ts';
import { MAX_KEY_CHARACTERS, MAX_TIMEOUT_MS } from '../src/http/execute-input.ts';
import { MAX_DEPTH, MAX_VALUES, MAX_VALUES_OF_STRANGER } from '../src/http/json-body.ts';
import { MAX_PROBLEM_TEXT } from '../src/http/problem.ts';
import { MAX_CONNECTOR_IDS } from '../src/http/token-routes.ts';
import { MAX_LINK_SECRET, MAX_OPERATOR_KEY } from '../src/console/sign-in-input.ts';
import { MAX_EXTERNAL_USER, MAX_NAME } from '../src/operations/input.ts';
import { MAX_PAGE } from '../src/operations/list-query.ts';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { at, type TestAnswer } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { connectorBody, startTestService, useTestService } from './support/start-test-service.ts';

test('docs/limits.md is current; else: npm run docs', async () => {
  const page = await readFile(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
  assert.equal(page, renderLimitsPage());
});

test('docs/limits.md has every route that takes anything', async () => {
  const page = await readFile(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
  await using running = await startTestService();
  const { body } = await running.send('GET', '/openapi.json');
  const { paths } = body as {
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const taking = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { summary, parameters = [], requestBody }]) =>
      path.includes('/assets/') || (parameters.length === 0 && requestBody === undefined)
        ? []
        : [{ summary, route: `\`${method.toUpperCase()} ${path}\`` }],
    ),
  );
  // Of several paths of a route, one is told.
  const missing = [...Map.groupBy(taking, ({ summary }) => summary).values()]
    .map((alike) => alike.map(({ route }) => route))
    .filter((routes) => !routes.some((route) => page.includes(route)));
  assert.deepEqual(missing, []);
});

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
}

const COLLECTION = '/v1/integrations/connectors';
const TOKENS = '/api/v1/account/applications';
const ANY_ID = '01a20290-12ac-7c7f-bc42-6aa4472977c1';

const letters = (count: number): string => 'x'.repeat(count);
const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const path = (names: number): string => ['profile', ...times(names - 1, () => 'x')].join('.');

/** A member at its bound, and beyond it by one. */
interface Bounded {
  readonly what: string;
  readonly bound: number;
  readonly send: (size: number) => Promise<TestAnswer>;
  readonly beyond: ErrorCode;
  /** What an answer at the bound says, where that is no success: something else is wrong. */
  readonly within?: ErrorCode;
}

describe('every bound that docs/limits.md states holds', async () => {
  const { running, token } = await useTestService();
  const send: typeof running.send = (...request) => running.send(...request);
  const execute: typeof running.execute = (...call) => running.execute(...call);
  const id = await running.connector(token);
  const people = [copiedUser('U1', { real_name: 'Ada Lovelace', profile: { title: 'x' } })];
  await copyByHand(running.store, id, 'users', people);

  const create = (changes: Readonly<Record<string, unknown>>) =>
    send('POST', COLLECTION, { token, body: connectorBody(changes) });
  const change = (body: unknown) => send('PATCH', `${COLLECTION}/${id}`, { token, body });
  const mint = (body: unknown) => send('POST', `${TOKENS}/scoped-token`, { token, body });
  const logIn = (body: unknown) => send('POST', `${TOKENS}/token`, { body });
  const signIn = (body: unknown) => send('POST', '/console/session', { body });
  const list = (params: unknown, more: Readonly<Record<string, unknown>> = {}, headers = {}) =>
    execute(token, id, { entity: 'users', action: 'list', params, ...more }, headers);
  const search = (params: Readonly<Record<string, unknown>>, headers = {}) =>
    execute(
      token,
      id,
      { entity: 'users', action: 'search', params: { query: {}, ...params } },
      headers,
    );
  const find = (filter: unknown) => search({ query: { filter } });

  const rows: readonly Bounded[] = [
    {
      what: 'levels of a body',
      bound: MAX_DEPTH,
      send: (size) => change(`{"name":${'['.repeat(size - 1)}${']'.repeat(size - 1)}}`),
      beyond: 'malformed_json',
      within: 'invalid_request',
    },
    {
      what: 'members and elements of a body',
      bound: MAX_VALUES,
      // The body, the array, and its elements.
      send: (size) => change({ name: times(size - 1, () => 0) }),
      beyond: 'body_too_large',
      within: 'invalid_request',
    },
    {
      what: 'members and elements of a body without a token',
      bound: MAX_VALUES_OF_STRANGER,
      send: (size) => logIn({ client_id: times(size - 1, () => 0) }),
      beyond: 'body_too_large',
      within: 'invalid_request',
    },
    {
      what: 'link_secret',
      bound: MAX_LINK_SECRET,
      send: (size) => signIn({ link_secret: letters(size) }),
      beyond: 'invalid_request',
      within: 'unauthenticated',
    },
    {
      what: 'operator_key',
      bound: MAX_OPERATOR_KEY,
      send: (size) => signIn({ operator_key: letters(size) }),
      beyond: 'invalid_request',
      within: 'unauthenticated',
    },
    {
      what: 'client_id of the console',
      bound: MAX_CLIENT_ID,
      send: (size) => signIn({ client_id: letters(size), client_secret: 'x' }),
      beyond: 'invalid_request',
      within: 'unauthenticated',
    },
    {
      what: 'client_secret of the console',
      bound: MAX_CLIENT_SECRET,
      send: (size) => signIn({ client_id: 'y', client_secret: letters(size) }),
      beyond: 'invalid_request',
      within: 'unauthenticated',
    },
    {
      what: 'client_id',
      bound: MAX_CLIENT_ID,
      send: (size) => logIn({ client_id: letters(size), client_secret: 'x' }),
      beyond: 'invalid_request',
      within: 'unauthenticated',
    },
    {
      what: 'client_secret',
      bound: MAX_CLIENT_SECRET,
      send: (size) => logIn({ client_id: 'x', client_secret: letters(size) }),
      beyond: 'invalid_request',
      within: 'unauthenticated',
    },
    {
      what: 'external_user_id of a scoped token',
      bound: MAX_EXTERNAL_USER,
      send: (size) => mint({ external_user_id: letters(size) }),
      beyond: 'invalid_request',
    },
    {
      what: 'connector_ids',
      bound: MAX_CONNECTOR_IDS,
      send: (size) => mint({ external_user_id: 'a', connector_ids: times(size, () => ANY_ID) }),
      beyond: 'invalid_request',
    },
    {
      what: 'external_user_id of a connector',
      bound: MAX_EXTERNAL_USER,
      send: (size) => create({ external_user_id: letters(size) }),
      beyond: 'invalid_request',
    },
    {
      what: 'name of a connector',
      bound: MAX_NAME,
      send: (size) => create({ name: letters(size) }),
      beyond: 'invalid_request',
    },
    {
      what: 'name of a change',
      bound: MAX_NAME,
      send: (size) => change({ name: letters(size) }),
      beyond: 'invalid_request',
    },
    {
      what: 'a credential',
      bound: MAX_CREDENTIAL,
      send: (size) => create({ credentials: { api_token: letters(size) } }),
      beyond: 'invalid_credentials',
    },
    {
      what: 'a credential of a change',
      bound: MAX_CREDENTIAL,
      send: (size) => change({ credentials: { api_token: letters(size) } }),
      beyond: 'invalid_credentials',
    },
    {
      what: 'lookback_window',
      bound: 365,
      send: (size) => change({ replication_config: { lookback_window: size } }),
      beyond: 'invalid_replication_config',
    },
    {
      what: 'limit of a list of connectors',
      bound: MAX_PAGE,
      send: (size) => send('GET', `${COLLECTION}?limit=${size}`, { token }),
      beyond: 'invalid_request',
    },
    {
      what: 'Idempotency-Key',
      bound: MAX_KEY_CHARACTERS,
      send: (size) =>
        execute(
          token,
          id,
          { entity: 'channels', action: 'create', params: { name: 'bounds' } },
          { 'idempotency-key': letters(size) },
        ),
      beyond: 'invalid_request',
    },
    {
      what: 'Patchbay-Timeout-Ms',
      bound: MAX_TIMEOUT_MS,
      send: (size) => list({ limit: 1 }, {}, { 'patchbay-timeout-ms': String(size) }),
      beyond: 'invalid_request',
    },
    ...['select_fields', 'exclude_fields'].flatMap((member): readonly Bounded[] => [
      {
        what: member,
        bound: SEARCH_LIMITS.fields,
        send: (size) => list({ limit: 1 }, { [member]: times(size, () => 'id') }),
        beyond: 'invalid_request',
      },
      {
        what: `names in a path of ${member}`,
        bound: SEARCH_LIMITS.namesInPath,
        send: (size) =>
          list({ limit: 1 }, { [member]: [`profile.fields${'.x'.repeat(size - 2)}`] }),
        beyond: 'invalid_request',
      },
    ]),
    {
      what: 'characters of a param that says how many',
      bound: 80,
      send: (size) =>
        execute(token, id, {
          entity: 'channels',
          action: 'create',
          params: { name: `c${letters(size - 1)}` },
        }),
      beyond: 'invalid_params',
    },
    {
      what: 'limit of a search',
      bound: SEARCH_LIMITS.hits,
      send: (size) => search({ limit: size }),
      beyond: 'invalid_params',
    },
    {
      what: 'timeout_ms of a search',
      bound: SEARCH_LIMITS.timeoutMs,
      send: (timeout_ms) =>
        search({ timeout_ms }, { 'patchbay-timeout-ms': String(SEARCH_LIMITS.timeoutMs) }),
      beyond: 'invalid_params',
    },
    {
      what: 'fields of a search',
      bound: SEARCH_LIMITS.fields,
      send: (size) => search({ fields: times(size, () => 'id') }),
      beyond: 'invalid_query',
    },
    {
      what: 'names in all fields of a search',
      bound: SEARCH_LIMITS.namesInFields,
      send: (size) => search({ fields: [...times(size / 100, () => path(100)), ...rest(size)] }),
      beyond: 'invalid_query',
    },
    {
      what: 'names in a path of a search',
      bound: SEARCH_LIMITS.namesInPath,
      send: (size) => search({ fields: [path(size)] }),
      beyond: 'invalid_query',
    },
    {
      what: 'names in a path of a filter',
      bound: SEARCH_LIMITS.namesInPath,
      send: (size) => find({ eq: { [path(size)]: 1 } }),
      beyond: 'invalid_query',
    },
    {
      what: 'names in all paths of a filter',
      bound: SEARCH_LIMITS.namesInFilter,
      send: (size) =>
        find({
          or: [
            ...times(Math.floor(size / 100), () => ({ eq: { [path(100)]: 1 } })),
            ...times(size % 100, () => ({ eq: { id: 'x' } })),
          ],
        }),
      beyond: 'invalid_query',
    },
    {
      what: 'levels of a filter',
      bound: SEARCH_LIMITS.depth,
      send: (size) =>
        find(times(size, () => 0).reduce<unknown>((not) => ({ not }), { eq: { id: 'x' } })),
      beyond: 'invalid_query',
    },
    {
      what: 'conditions',
      bound: SEARCH_LIMITS.conditions,
      send: (size) => find({ or: times(size, () => ({ eq: { id: 'x' } })) }),
      beyond: 'invalid_query',
    },
    {
      what: 'values of in',
      bound: SEARCH_LIMITS.valuesOfIn,
      send: (size) => find({ in: { id: times(size, String) } }),
      beyond: 'invalid_query',
    },
    {
      what: 'characters of like',
      bound: SEARCH_LIMITS.charactersOfLike,
      send: (size) => find({ like: { real_name: letters(size) } }),
      beyond: 'invalid_query',
    },
    ...['keyword', 'fuzzy'].map((operator): Bounded => ({
      what: `characters of ${operator}`,
      bound: SEARCH_LIMITS.charactersOfTexts,
      send: (size) => find({ [operator]: { real_name: letters(size) } }),
      beyond: 'invalid_query',
    })),
    {
      what: 'characters of all text operators',
      bound: SEARCH_LIMITS.charactersOfTexts,
      send: (size) =>
        find({
          like: { real_name: letters(900) },
          keyword: { name: letters(2_000) },
          fuzzy: { real_name: letters(size - 2_900) },
        }),
      beyond: 'invalid_query',
    },
    {
      what: 'words',
      bound: SEARCH_LIMITS.words,
      send: (size) => find({ fuzzy: { real_name: times(size, (word) => `w${word}`).join(' ') } }),
      beyond: 'invalid_query',
    },
  ];

  for (const { what, bound, send: sendSize, beyond, within } of rows)
    test(`${what}: ${bound}`, async () => {
      const answer = await sendSize(bound);
      if (within === undefined) assert.ok(answer.status < 300, answer.text.slice(0, 500));
      else assertProblem(answer, within);
      assertProblem(await sendSize(bound + 1), beyond);
    });

  test(`work of judging records: ${SEARCH_LIMITS.effort} units`, async () => {
    const other = await running.connector(token, { name: 'Another' });
    const color = times(40_000, String).join(' ');
    const broad = times(20, (index) => copiedUser(`U${index}`, { color }));
    await copyByHand(running.store, other, 'users', broad);
    // What is fuzzy and negated no index decides.
    const or = times(SEARCH_LIMITS.words, (index) => ({ fuzzy: { color: `w${letters(index)}` } }));
    const answer = await execute(token, other, {
      entity: 'users',
      action: 'search',
      params: { query: { filter: { not: { or } } }, fields: ['id'], timeout_ms: 60_000 },
    });
    assertProblem(answer, 'search_too_broad');
    assert.match(
      String(at(answer, 'details.condition')),
      /^params\.query\.filter\.not\.or\.\d+\.fuzzy\.color$/,
    );
  });

  test('what a problem quotes of a request is cut', async () => {
    const name = `${letters(MAX_PROBLEM_TEXT.detail)}🙂`;
    const answers = [
      await find({ eq: { [name]: 1 } }),
      await find({ [name]: 1 }),
      await search({ [name]: 1 }),
      await list({ [name]: 1 }),
      await list({}, { [name]: 1 }),
      await list({}, { select_fields: [name] }),
      await create({ [name]: 1 }),
      await create({ credentials: { [name]: 1 } }),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 422);
      assert.ok(String(at(answer, 'detail')).length <= MAX_PROBLEM_TEXT.detail);
      assert.ok(String(at(answer, 'errors.0.field')).length <= MAX_PROBLEM_TEXT.field);
      assert.ok(String(at(answer, 'errors.0.message')).length <= MAX_PROBLEM_TEXT.message);
    }
  });
});

/** Paths of one name, so that there are so many names beside those of full paths. */
function rest(size: number): readonly string[] {
  return times(size % 100, () => 'id');
}
