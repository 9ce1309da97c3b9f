import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createConnector, KINDS, type ConnectorKind } from '@patchbay/connectors';
import type { Kinds } from '@patchbay/connectors';
import type { HostedConnector, Patchbay, UntypedConnector } from '../src/index.ts';
import { collect, countUntilAbort } from './support/collect.ts';
import { errorOf, shown } from './support/error-of.ts';
import { sampleCredentials, sampleReplicationConfig } from './support/sample-connector.ts';
import {
  startHosted,
  TEAM_CHAT,
  UPSTREAM_OF,
  watchFetch,
  type Hosted,
  type WatchedFetch,
} from './support/start-hosted.ts';

type Slack = HostedConnector<Kinds['chat-workspace']>;

describe('execute', () => {
  let hosted: Hosted;
  let watched: WatchedFetch;
  let patchbay: Patchbay;
  let slack: Slack;
  const library = () =>
    createConnector('chat-workspace', {
      credentials: TEAM_CHAT.credentials,
      baseUrl: hosted.sandbox.urls.slack,
      upstreamLimits: 'reactive',
    });
  before(async () => {
    hosted = await startHosted();
    watched = watchFetch();
    patchbay = hosted.client({ fetch: watched.fetch });
    await patchbay.connectors.create(TEAM_CHAT);
    slack = await patchbay.connector('chat-workspace');
  });
  after(() => hosted[Symbol.asyncDispose]());

  test('typed calls, calls by name and the library give the same', async () => {
    const page = await slack.users.list({ limit: 5 });
    assert.equal(page.data.length, 5);
    assert.deepEqual(await slack.execute('users', 'list', { limit: 5 }), page);
    assert.deepEqual(await library().users.list({ limit: 5 }), page);
    const user = page.data[0]?.id ?? '';
    assert.deepEqual(await slack.users.get({ user }), page.data[0]);
    const created = await slack.channels.create({ name: 'by-the-client' });
    assert.equal(created.name, 'by-the-client');
    const renamed = await slack.channels.update({ channel: created.id, name: 'renamed' });
    assert.equal(renamed.name, 'renamed');
  });

  test('pages and all go through the whole list, as in the library', async () => {
    const users = await collect(slack.users.list.all({ limit: 70 }));
    assert.deepEqual(users, await collect(library().users.list.all({ limit: 70 })));
    const pages = await collect(slack.users.list.pages({ limit: 70 }));
    assert.deepEqual(
      pages.flatMap(({ data }) => data),
      users,
    );
    assert.equal(pages.at(-1)?.meta.next_cursor, null);
    assert.ok(pages.length > 1);
  });

  test('leaving a walk early asks for no further page', async () => {
    const askedBefore = watched.to('/execute').length;
    for await (const user of slack.users.list.all({ limit: 10 })) if (user.id !== '') break;
    assert.equal(watched.to('/execute').length, askedBefore + 1);
  });

  test('an abort takes effect at the next record, on a page that has come', async () => {
    assert.equal(
      await countUntilAbort((signal) => slack.users.list.all({ limit: 10 }, { signal }), 2),
      2,
    );
  });

  test('a repeated cursor ends a walk with the error of the library', async () => {
    const fault = hosted.sandbox.faults.add({ kind: 'repeatCursor', method: 'users.list' });
    const [fromClient, fromLibrary] = [
      await errorOf(collect(slack.users.list.all({ limit: 10 }))),
      await errorOf(collect(library().users.list.all({ limit: 10 }))),
    ];
    fault.release();
    assert.equal(fromClient.code, 'upstream_contract_broken');
    assert.deepEqual(shown(fromClient), shown(fromLibrary));
  });

  test('selected and excluded fields', async () => {
    const { data } = await slack.users.list({ limit: 2 }, { selectFields: ['id', 'name'] });
    assert.deepEqual(Object.keys(data[0] ?? {}), ['id', 'name']);
    const all = await slack.execute('users', 'list', { limit: 1 }, { excludeFields: ['profile'] });
    assert.ok(!('profile' in (all.data[0] ?? {})));
    const ids = await collect(slack.users.list.all({}, { selectFields: ['id'] }));
    assert.deepEqual(Object.keys(ids.at(-1) ?? {}), ['id']);
    await assert.rejects(slack.users.list({}, { selectFields: ['nme'] }), {
      code: 'invalid_request',
    });
  });

  test('params that JSON has no words for are refused, not left out', async () => {
    await assert.rejects(slack.users.list({ limit: Number.NaN }), { code: 'invalid_params' });
    for (const wrong of [
      { limit: new Date('soon') },
      new Map([['limit', 2]]),
      { limit: () => 2 },
      { lmit: () => 2 },
      () => 1,
    ])
      await assert.rejects(slack.users.list(wrong as never), { code: 'invalid_params' });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const untyped: UntypedConnector = await patchbay.connector(slack.id);
    await assert.rejects(untyped.execute('users', 'list', circular), { code: 'invalid_request' });
  });

  test('a surface describes itself as in the library', () => {
    assert.deepEqual(slack.entities(), library().entities());
    assert.deepEqual(slack.describe(), library().describe());
    assert.deepEqual(slack.describe('users'), library().describe('users'));
  });

  test('a kind that only the service knows has a surface from its description', async () => {
    const info = await patchbay.connectors.create({ ...TEAM_CHAT, name: 'From the future' });
    const description = await patchbay.connectors.describe(info.id);
    const future = watchFetch();
    future.instead = async ({ method, path }, send) => {
      if (method !== 'GET') return send();
      return Response.json(
        path.endsWith('/describe') ? description : { ...info, connector_type: 'telepathy' },
      );
    };
    const other = hosted.client({ externalUserId: info.external_user_id, fetch: future.fetch });
    const untyped = await other.connector(info.id);
    assert.deepEqual(untyped.entities(), slack.entities());
    assert.deepEqual(untyped.describe('users'), slack.describe('users'));
    const users = Object.entries(untyped).find(([name]) => name === 'users')?.[1] as object;
    assert.deepEqual(Object.keys(users), ['list', 'get', 'search']);
    assert.throws(() => untyped.describe('usrs'), { code: 'unknown_entity' });
    assert.deepEqual(
      await untyped.execute('users', 'list', { limit: 1 }),
      await slack.users.list({ limit: 1 }),
    );
    const walked = await collect(untyped.all('users', { limit: 20 }));
    assert.deepEqual(walked, await collect(slack.users.list.all()));
    await patchbay.connectors.delete(info.id);
  });

  test('the service is told a deadline a little before ours', async () => {
    await slack.users.list({ limit: 1 }, { timeoutMs: 5_000 });
    const told = Number(watched.to('/execute').at(-1)?.headers.get('patchbay-timeout-ms'));
    assert.ok(told > 4_000 && told <= 4_500, String(told));
  });
});

describe('every kind', () => {
  let hosted: Hosted;
  before(async () => {
    hosted = await startHosted();
  });
  after(() => hosted[Symbol.asyncDispose]());

  for (const kind of Object.values(KINDS) as readonly ConnectorKind[]) {
    const credentials = sampleCredentials(kind);
    let patchbay: Patchbay;
    let id: string;
    /** By name: the compiler knows one kind at a time. */
    let library: UntypedConnector;

    test(`${kind.kind}: is created, found by its names and id, and checked`, async () => {
      patchbay = hosted.client();
      const created = await patchbay.connectors.create({
        connector_type: kind.kind,
        name: kind.displayName,
        credentials,
        replication_config: sampleReplicationConfig(kind),
      });
      id = created.id;
      const report = await patchbay.connectors.check(id);
      assert.equal(report.status, 'succeeded', JSON.stringify(report));
      for (const name of [kind.kind, ...kind.aliases, kind.kind.toUpperCase(), id]) {
        const connector = await patchbay.connector(name);
        assert.equal(connector.id, id);
        assert.deepEqual(connector.entities(), Object.keys(kind.entities));
        assert.deepEqual(connector.describe(), await patchbay.connectors.describe(id));
      }
      const upstream = UPSTREAM_OF[kind.kind];
      assert.ok(upstream !== undefined);
      library = createConnector(kind.kind as 'chat-workspace', {
        credentials: credentials as { api_token: string },
        baseUrl: hosted.sandbox.urls[upstream],
        upstreamLimits: 'reactive',
      }) as unknown as UntypedConnector;
    });

    for (const entity of Object.values(kind.entities)) {
      const { list } = entity.actions;
      if (list === undefined || Object.values(list.params).some((each) => each.isRequired))
        continue;
      test(`${kind.kind}: ${entity.name}.list gives what the library gives, walked to its end`, async () => {
        const connector = await patchbay.connector(id);
        const first = await connector.execute(entity.name, 'list');
        assert.deepEqual(first, await library.execute(entity.name, 'list'));
        assert.deepEqual(await walk(connector, entity.name), await walk(library, entity.name));
      });
    }
  }

  test('a file comes as the upstream has it', async () => {
    const patchbay = hosted.client();
    await patchbay.connectors.create({
      connector_type: 'support-ticketing',
      name: 'Tickets',
      credentials: { access_token: 'test-access-token' },
    });
    const zendesk = await patchbay.connector('support-ticketing');
    const attachmentId = await someAttachment(zendesk);
    const file = await zendesk.attachments.download({ attachment_id: attachmentId });
    const chunks = await collect(file.bytes);
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    assert.ok(size > 0 && file.contentType !== null);
    if (file.sizeBytes !== null) assert.equal(size, file.sizeBytes);
    await assert.rejects(zendesk.attachments.download({ attachment_id: 1 }), {
      code: 'record_not_found',
    });
  });
});

async function someAttachment(
  zendesk: HostedConnector<Kinds['support-ticketing']>,
): Promise<number> {
  for await (const ticket of zendesk.tickets.list.all())
    for await (const comment of zendesk.ticket_comments.list.all({ ticket_id: ticket.id }))
      for (const attachment of comment.attachments ?? []) {
        const id: unknown = Reflect.get(Object(attachment), 'id');
        if (typeof id === 'number') return id;
      }
  throw new Error('no ticket of the sandbox has an attachment');
}

/** Both surfaces have their walks at the same place, whatever the compiler knows of it. */
function walk(surface: unknown, entityName: string): Promise<unknown[]> {
  const entities = surface as Readonly<
    Record<string, { readonly list: { all(): AsyncIterable<unknown> } } | undefined>
  >;
  return collect(entities[entityName]?.list.all() ?? assert.fail(entityName));
}
