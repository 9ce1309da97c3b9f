import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { poll } from './replication/support/replicating.ts';
import { makeBrowser } from './support/connect-page.ts';
import { openConsole } from './support/console.ts';
import { copiedUser, copyByHand } from './support/hand-sync.ts';
import { at as memberAt, textAt, type TestAnswer } from './support/http-client.ts';
import { useTestService } from './support/start-test-service.ts';

const DOCUMENT = new URL('../../../docs/wire.md', import.meta.url);
const COLLECTION = '/v1/integrations/connectors';
const ALSO = '/api';

type Json = Readonly<Record<string, unknown>>;

describe('docs/wire.md', async () => {
  const text = await readFile(DOCUMENT, 'utf8');
  const { running } = await useTestService({ storeStatsEveryMs: 50 });
  const token = await running.scopedToken('alice');

  /** The JSON examples below a heading, up to the next one. */
  const examplesOf = (heading: string): readonly Json[] => {
    const [, section] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
    assert.ok(section !== undefined, `there is no heading ${heading}`);
    const [own = ''] = section.split(/^#+ /m);
    return [...own.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']) => {
      const example: unknown = JSON.parse(json);
      assert.ok(isObject(example), json);
      return example;
    });
  };
  const send = (method: string, at: string, body?: unknown) =>
    running.send(method, at, { token, body });
  const created = await send('POST', COLLECTION, examplesOf('Create a connector')[0]);
  assert.equal(created.status, 201, created.text);
  const id = textAt(created, 'id');
  const known = [copiedUser('U1', { real_name: 'Fenlo Underbough' })];
  await copyByHand(running.store, id, 'users', known);
  const execute = (body: unknown) => send('POST', `/api/v1/connectors/sources/${id}/execute`, body);

  test('names every route, and every other path of one', () => {
    const missing = running.service.routes
      .flatMap(({ path: own, also = [] }) => [own, ...also])
      .map((route) => route.replace(/:([a-z]+)/g, '{$1}'))
      .filter((route) => {
        const canonical = route.startsWith(ALSO + COLLECTION) ? route.slice(ALSO.length) : route;
        return !text.includes(route) && !text.includes(canonical);
      });
    assert.deepEqual(missing, []);
  });

  test('its examples of tokens have the members of the answers', async () => {
    const { clientId, clientSecret } = running.client;
    const tokens = '/api/v1/account/applications';
    const body = { client_id: clientId, client_secret: clientSecret };
    const application = await running.send('POST', `${tokens}/token`, { body });
    const [login, granted] = examplesOf('Application token');
    assertSameMembers({ body }, login);
    assertSameMembers(application, granted);
    const [request, scoped, info] = examplesOf('Scoped token');
    const minted = await running.send('POST', `${tokens}/scoped-token`, {
      token: textAt(application, 'access_token'),
      body: request,
    });
    assertSameMembers(minted, scoped);
    const told = await running.send('GET', `${tokens}/scoped-token/info`, {
      token: textAt(minted, 'token'),
    });
    assertSameMembers(told, info);
  });

  test('its examples of the console have the members of the answers', async () => {
    const { clientId, clientSecret } = running.client;
    const [client, session, request, given] = examplesOf('Console');
    const body = { client_id: clientId, client_secret: clientSecret };
    assertSameMembers({ body }, client);
    const browser = openConsole(running);
    assertSameMembers(await browser.signIn(body), session);
    const answer = await browser.askToken();
    assertSameMembers(answer, given);
    assertSameMembers({ body: { application_id: textAt(answer, 'application_id') } }, request);
  });

  test('its example of what a process can tell has the members of the answer', async () => {
    assertSameMembers(await running.send('GET', '/readyz'), examplesOf('Health')[0]);
  });

  test('its examples of connectors and syncs have the members of the answers', async () => {
    const path = `${COLLECTION}/${id}`;
    const [connector] = examplesOf('The connector object');
    assertSameMembers(created, connector);
    assertSameMembers(await send('POST', `${path}/check`), examplesOf('Check')[0]);
    assertSameMembers(await send('GET', `${path}/sync`), examplesOf('Status of syncs')[0]);
    // The service of these tests is of the role `api`.
    assertSameMembers(await send('POST', `${path}/sync`), examplesOf('Start a sync')[1]);
    assertSameMembers(await send('GET', `${path}/sync/runs`), examplesOf('History of syncs')[0]);
    const inspection = await send('GET', `${path}/inspect`);
    assertSameMembers(inspection, { ...connector, ...examplesOf('Inspect')[0] });
    const [page, workspaces] = examplesOf('List connectors');
    assert.deepEqual(membersOf((await send('GET', COLLECTION)).body), membersOf(page));
    assertSameMembers(await send('GET', '/api/v1/workspaces?name_contains=ali'), workspaces);
  });

  test('its example of stats has the members of the answer', async () => {
    await running.execute(token, id, { entity: 'users', action: 'list', params: { limit: 1 } });
    const as = { token: await running.applicationToken() };
    const [example] = examplesOf('Stats');
    const read = () => running.send('GET', `/v1/stats?connector_id=${id}&step=86400`, as);
    const answer = await poll(async () => {
      const told = await read();
      return Number(memberAt(told, 'total.calls')) > 0 ? told : undefined;
    });
    assertSameMembers(answer, example);
  });

  test('its examples of connect sessions have the members of the answers', async () => {
    const application = await running.applicationToken();
    const sessions = '/v1/connect-sessions';
    const [request, made] = examplesOf('Connect sessions');
    const answer = await running.send('POST', sessions, { token: application, body: request });
    assertSameMembers(answer, made);
    const sessionId = textAt(answer, 'id');
    const browser = makeBrowser(running);
    await browser.open(textAt(answer, 'connect_url'));
    await browser.submit(sessionId);
    const [session] = examplesOf('Status of a session');
    const path = `${sessions}/${sessionId}`;
    const waiting = await running.send('GET', path, { token: application });
    assertSameMembers(waiting, session);
    const [example] = examplesOf('Confirm a session');
    const confirmed = await running.send('POST', `${path}/confirm`, {
      token: application,
      body: { ...example, connector_id: textAt(waiting, 'connector_id') },
    });
    assertSameMembers(confirmed, session);
  });

  test('its examples of execute and search have the members of the answers', async () => {
    assertSameMembers(await execute(examplesOf('Execute')[0]), examplesOf('The envelope')[0]);
    const [request] = examplesOf('Search');
    const [hits, records] = examplesOf('Two shapes');
    const [envelope] = examplesOf('The envelope');
    for (const [action, result] of [
      ['search', hits],
      ['context_store_search', records],
    ]) {
      const expected = { ...envelope, result, connector_metadata: {} };
      assertSameMembers(await execute({ ...request, action }), expected);
    }
  });

  test('its examples of checks and warnings have the members of the answers', async () => {
    const [call, health] = examplesOf('Check through execute');
    const checked = await execute(call);
    assert.ok(isObject(checked.body));
    assertSameMembers({ body: checked.body['result'] }, health);
    const list = { entity: 'users', action: 'list', params: { limit: 5_000 } };
    const clamped = await execute(list);
    assert.ok(isObject(clamped.body));
    const { warnings } = clamped.body;
    assertSameMembers({ body: { warnings } }, examplesOf('Warnings')[0]);
  });

  test('its example of a description has the members of the answer', async () => {
    const answer = await send('GET', `${COLLECTION}/${id}/describe`);
    const [kind, example] = [answer.body, examplesOf('Describe')[0]];
    assert.deepEqual(membersOf(kind), membersOf(example));
    const [entity, shown] = [kind, example].map((each) => named(each, 'entities', 'users'));
    assert.deepEqual(membersOf(entity), membersOf(shown));
    const [action, shownAction] = [entity, shown].map((each) => named(each, 'actions', 'get'));
    assert.deepEqual(membersOf(action), membersOf(shownAction));
    const [param, shownParam] = [action, shownAction].map((each) => named(each, 'params', 'user'));
    assert.deepEqual(membersOf(param), membersOf(shownParam));
    assert.ok(named(entity, 'actions', 'search') !== undefined);
  });

  test('its example of a problem has the members of one', async () => {
    const call = { entity: 'users', action: 'list', params: { limit: 'ten' } };
    assertSameMembers(await execute(call), examplesOf('Errors')[0]);
  });
});

/** The same members in the same order, at every depth; of arrays the first elements count. */
function assertSameMembers({ body }: Pick<TestAnswer, 'body'>, example: unknown, at = ''): void {
  if (Array.isArray(body) && Array.isArray(example)) {
    if (body.length > 0) assertSameMembers({ body: body[0] }, example[0], `${at}[]`);
  } else if (isObject(body) && isObject(example)) {
    assert.deepEqual(membersOf(body), membersOf(example), `members of the answer${at}`);
    for (const [name, value] of Object.entries(body))
      assertSameMembers({ body: value }, example[name], `${at}.${name}`);
  }
}

/** The element of that name in a list of an object. */
function named(value: unknown, list: string, name: string): unknown {
  const elements: unknown = isObject(value) ? value[list] : undefined;
  assert.ok(Array.isArray(elements), list);
  return elements.filter(isObject).find((element) => element['name'] === name);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}
