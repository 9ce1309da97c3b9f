import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createConnector } from '@patchbay/connectors';
import { allKinds, findList, type ListAction } from '@patchbay/connectors/definitions';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { Check } from 'typebox/value';
import { at } from './support/http-client.ts';
import { connectorBody, startTestService, type TestService } from './support/start-test-service.ts';

type Json = Readonly<Record<string, unknown>>;

/** What makes a connector of each kind, and where its sandbox is. */
const ROWS = {
  'chat-workspace': { credentials: { api_token: 'of-a-test' }, url: 'slack' },
  'support-chat': { credentials: { access_token: 'of-a-test' }, url: 'zendeskChat' },
  'customer-messaging': { credentials: { access_token: 'of-a-test' }, url: 'intercom' },
  'support-ticketing': { credentials: { access_token: 'of-a-test' }, url: 'zendeskSupport' },
} as const;

/** Pages that a list is read in, if it has any. */
const PAGES = 3;

describe('next_params', () => {
  let sandbox: Sandbox;
  let running: TestService;
  let token: string;
  const ids = new Map<string, string>();

  before(async () => {
    sandbox = await startSandbox({ scale: 24 });
    const upstreams = Object.entries(ROWS).map(([kind, { url }]) => {
      return [kind, { baseUrl: sandbox.urls[url], limits: 'reactive' }] as const;
    });
    running = await startTestService({ upstreams: Object.fromEntries(upstreams) });
    token = await running.applicationToken();
    for (const [kind, { credentials }] of Object.entries(ROWS))
      ids.set(kind, await made(kind, { credentials }));
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await sandbox.close();
  });

  /** A connector of a kind; only Slack's have a replication config. */
  function made(kind: string, changes: Json): Promise<string> {
    const { replication_config } = connectorBody();
    return running.connector(token, {
      connector_type: kind,
      replication_config: kind === 'chat-workspace' ? replication_config : undefined,
      ...changes,
    });
  }

  const idOf = (kind: string) => ids.get(kind) ?? assert.fail(kind);

  async function listed(id: string, entity: string, params: Json) {
    // Without a look at every record, which other suites take.
    const response = await fetch(`${running.service.url}/api/v1/connectors/sources/${id}/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ entity, action: 'list', params }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const answer = { body: JSON.parse(text) as unknown };
    const { next_params: next, ...meta } = at(answer, 'connector_metadata') as Json;
    // A list is an array of records, and how it goes on null or an object: what follows relies on it.
    return { records: at(answer, 'result') as readonly Json[], next: next as Json | null, meta };
  }

  /** The records that following them brings, from a first page that knows nothing of cursors. */
  async function followed(kind: string, action: ListAction, first: Json & { entity: string }) {
    const { entity, ...given } = first;
    const records: Json[] = [];
    let params: Json = given;
    for (let pages = 1; ; pages += 1) {
      assert.ok(pages <= PAGES + 1, 'the list ends');
      const { records: page, next, meta } = await listed(idOf(kind), entity, params);
      assert.deepEqual(Object.keys(meta), Object.keys(action.meta));
      assert.doesNotMatch(JSON.stringify([meta, next]), /127\.0\.0\.1|localhost/);
      records.push(...page);
      if (next === null) return { records, pages };
      for (const [name, value] of Object.entries(next)) {
        assert.ok(Check(action.params[name]?.schema ?? {}, value), `${name}: ${String(value)}`);
        assert.notEqual(action.params[name]?.role, 'page_size');
        assert.notEqual(value, params[name]);
      }
      assert.notDeepEqual(next, {});
      params = { ...params, ...next };
    }
  }

  /** The params without which a list has nothing to list. */
  async function neededParams(entity: string): Promise<Json> {
    switch (entity) {
      case 'channel_messages':
      case 'threads': {
        const { records } = await listed(idOf('chat-workspace'), 'channels', { limit: 1000 });
        const channel = records.find(({ is_general: isGeneral }) => isGeneral === true)?.['id'];
        if (entity === 'channel_messages') return { channel };
        const messages = await listed(idOf('chat-workspace'), 'channel_messages', { channel });
        const parent = messages.records.find(({ reply_count: count }) => Number(count) > 0);
        return { channel, ts: parent?.['ts'] };
      }
      case 'ticket_comments':
      case 'ticket_audits':
        return { ticket_id: 1 };
      case 'article_attachments': {
        const { records } = await listed(idOf('support-ticketing'), 'articles', {});
        return { article_id: records[0]?.['id'] };
      }
      default:
        return {};
    }
  }

  for (const kind of allKinds())
    for (const { name: entity, actions } of Object.values(kind.entities)) {
      if (actions.list === undefined) continue;
      const { action } = findList(kind, entity);
      for (const [label, way] of waysOf(action))
        test(`${kind.kind} ${entity}${label}: from the first page to null, what a walk brings`, async () => {
          const needed = { ...(await neededParams(entity)), ...way };
          const whole = await collect(walk(kind.kind, entity, needed));
          assert.ok(whole.length > 1);
          const limit = Math.ceil(whole.length / PAGES);
          const params = { ...needed, limit };
          const { records, pages } = await followed(kind.kind, action, { ...params, entity });
          // By number and by cursor, the order may be another.
          assert.deepEqual(textsOf(records), textsOf(whole));
          const isWhole = action.paging.strategy === 'single';
          assert.ok(isWhole ? pages === 1 : pages >= Math.ceil(whole.length / limit));
        });
    }

  /** The same list, walked by the library. */
  function walk(kind: string, entity: string, params: Json): AsyncIterable<Json> {
    const { credentials, url } = ROWS[kind as keyof typeof ROWS];
    const connector = createConnector(kind as 'support-ticketing', {
      // The credentials of the kind: by the table above.
      credentials: credentials as { readonly access_token: string },
      baseUrl: sandbox.urls[url],
      upstreamLimits: 'reactive',
    }) as unknown as Readonly<
      Record<string, { list: { all: (params: Json) => AsyncIterable<Json> } } | undefined>
    >;
    const calls = connector[entity];
    assert.ok(calls !== undefined);
    return calls.list.all(params);
  }

  test("addresses of pages are the vendor's, as far as the config says where that is", async () => {
    const { credentials } = ROWS['support-ticketing'];
    const config = { subdomain: 'acme' };
    const named = await made('support-ticketing', { credentials, config });
    for (const [id, origin] of [
      [idOf('support-ticketing'), ''],
      [named, 'https://acme.zendesk.com'],
    ] as const) {
      const first = await listed(id, 'tickets', { limit: 2 });
      const second = await listed(id, 'tickets', { limit: 2, ...first.next });
      assert.deepEqual(first.next, { page: 2 });
      const byCursor = await listed(id, 'tickets', { limit: 2, after: '' });
      const addresses = [
        first.meta['next_page'],
        second.meta['previous_page'],
        second.meta['next_page'],
        byCursor.meta['next_page'],
      ];
      for (const address of addresses)
        assert.ok(String(address).startsWith(`${origin}/api/v2/tickets.json?`), String(address));
    }
  });

  test('what a list goes on by does not depend on the fields that were asked for', async () => {
    const body = { entity: 'agents', action: 'list', params: { limit: 2 } };
    const id = idOf('support-chat');
    const answer = await running.execute(token, id, { ...body, select_fields: ['email'] });
    const { records } = await listed(id, 'agents', body.params);
    assert.deepEqual(Object.keys(at(answer, 'result.0') as Json), ['email']);
    const next_params = { since_id: Number(records[1]?.['id']) + 1 };
    assert.deepEqual(at(answer, 'connector_metadata'), { next_params });
  });
});

/** As the list is first called: plainly, by each way that a param chooses, and with each yes or no. */
function waysOf({ params, paging }: ListAction): readonly (readonly [string, Json])[] {
  const ways: [string, Json][] = [['', {}]];
  if (paging.strategy === 'cursor' && paging.walk !== undefined)
    ways.push([' by cursor', { [paging.param]: paging.walk.start }]);
  for (const [name, { schema }] of Object.entries(params))
    if ('type' in schema && schema.type === 'boolean')
      ways.push([` with ${name}`, 'page' in params ? { [name]: true, page: 1 } : { [name]: true }]);
  return ways;
}

async function collect(walk: AsyncIterable<Json>): Promise<readonly Json[]> {
  const all: Json[] = [];
  for await (const one of walk) all.push(one);
  return all;
}

function textsOf(records: readonly Json[]): readonly string[] {
  return records.map((record) => JSON.stringify(record)).toSorted();
}
