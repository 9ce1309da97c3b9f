import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS, type ConnectorKind } from '@patchbay/connectors';
import type { Schema } from '@patchbay/connectors/wire';
import { Check } from 'typebox/value';
import { Patchbay, type Download } from '../src/index.ts';
import { RemoteConnector } from '../src/remote-connector.ts';
import type { ServiceCall, ServiceClient } from '../src/service-client.ts';
import { problem } from './support/failures.ts';
import { connectorAnswer } from './support/sample-answers.ts';
import { collect } from './support/collect.ts';

const ID = '01a1fd50-54ba-79a1-a087-6b4fef496709';

describe('a list goes on as the service says', () => {
  const kind = KINDS['chat-workspace'];
  const ids = ['a', 'b', 'c', 'd', 'e'];
  /** A service whose every answer has the two records after the cursor, cut down as asked. */
  const bodies: Readonly<Record<string, unknown>>[] = [];
  const service = {
    baseUrl: 'http://service',
    fetchJson: async (_: unknown, { request }: ServiceCall) => {
      const body = JSON.parse(request.body ?? '') as {
        params: { cursor?: string };
        select_fields?: string[];
        exclude_fields?: string[];
      };
      bodies.push(body);
      const from = body.params.cursor === undefined ? 0 : ids.indexOf(body.params.cursor) + 1;
      const isKept = (name: string) =>
        body.select_fields?.includes(name) ?? body.exclude_fields?.includes(name) !== true;
      const result = ids
        .slice(from, from + 2)
        .map((id) =>
          Object.fromEntries(
            Object.entries({ id, name: `name of ${id}`, deleted: false }).filter(([name]) =>
              isKept(name),
            ),
          ),
        );
      const hasMore = from + 2 < ids.length;
      const next_params = hasMore ? { cursor: ids[from + 1] } : null;
      return { result, connector_metadata: { total: ids.length, next_params } };
    },
  };
  // Only what a walk needs of the service.
  const remote = new RemoteConnector(service as unknown as ServiceClient, ID, kind);

  test('a page has its Meta fields, and what leads on', async () => {
    assert.deepEqual(await remote.execute('users', 'list', { cursor: 'b' }), {
      data: ['c', 'd'].map((id) => ({ id, name: `name of ${id}`, deleted: false })),
      meta: { total: 5 },
      nextParams: { cursor: 'd' },
      warnings: [],
    });
    const last = await remote.execute('users', 'list', { cursor: 'd' });
    assert.partialDeepStrictEqual(last, { nextParams: null });
  });

  test('of a kind that only the service knows, too', async () => {
    const later = new RemoteConnector(service as unknown as ServiceClient, ID, undefined);
    const whole = await collect(later.all('parcels', { limit: 2 }));
    assert.deepEqual(
      whole.map(({ id }) => id),
      ids,
    );
  });

  test('to where the list ends, whichever fields were asked for', async () => {
    const whole = await collect(remote.all('users', { limit: 2 }));
    assert.deepEqual(
      whole.map(({ id }) => id),
      ids,
    );
    const names = ids.map((id) => ({ name: `name of ${id}` }));
    const selected = await collect(remote.all('users', {}, { selectFields: ['name'] }));
    assert.deepEqual(selected, names);
    const excluded = await collect(remote.all('users', {}, { excludeFields: ['id', 'deleted'] }));
    assert.deepEqual(excluded, names);
    const both = await collect(
      remote.all('users', {}, { selectFields: ['name', 'id'], excludeFields: ['id'] }),
    );
    assert.deepEqual(both[0], { id: 'a', name: 'name of a' });
  });

  test('a page has the warnings of its answer, or none', async () => {
    const warning = { code: 'limit_clamped', message: 'It was too much.', field: 'params.limit' };
    const warned = {
      ...service,
      fetchJson: async () => ({
        result: [],
        connector_metadata: { next_params: null },
        warnings: [warning],
      }),
    };
    const page = await new RemoteConnector(warned as unknown as ServiceClient, ID, kind).execute(
      'users',
      'list',
    );
    assert.deepEqual(page, { data: [], meta: {}, nextParams: null, warnings: [warning] });
    assert.partialDeepStrictEqual(await remote.execute('users', 'list', {}), { warnings: [] });
  });

  test('null params are absent ones', async () => {
    bodies.length = 0;
    await remote.pages('users', { cursor: null, limit: 2 }).next();
    assert.deepEqual(bodies[0]?.['params'], { limit: 2 });
    await assert.rejects(remote.pages('users', []).next(), { code: 'invalid_request' });
    await assert.rejects(remote.pages('usrs').next(), { code: 'unknown_entity' });
  });
});

describe('a list of a service of version 0.1, which does not say how it goes on', () => {
  const bodies: unknown[] = [];
  const chat = KINDS['support-chat'];
  /** Each page has two records, all of which name a next one; the last page has one. */
  function remoteAt(kind: ConnectorKind | undefined) {
    const pages = [[{ id: 1 }, { id: 2 }], [{ id: 5 }, { id: 6 }], [{ id: 7 }]];
    bodies.length = 0;
    const service = {
      baseUrl: 'http://service',
      fetchJson: async (schema: Schema, { request }: ServiceCall) => {
        const nth = bodies.push(JSON.parse(request.body ?? '')) - 1;
        const next_cursor = nth < 2 ? `c${nth}` : '';
        const answer = {
          status: 'success',
          result: pages[nth],
          connector_metadata: kind === chat ? {} : { next_cursor },
          execution_metadata: { connector_instance_id: ID, execution_time_ms: 1, request_id: ID },
        };
        assert.ok(Check(schema, answer));
        return answer;
      },
    };
    // Only what a walk needs of the service.
    return new RemoteConnector(service as unknown as ServiceClient, ID, kind);
  }

  for (const [kind, entity, seconds] of [
    [KINDS['chat-workspace'], 'users', { cursor: 'c0' }],
    [chat, 'bans', { since_id: 3 }],
  ] as const)
    test(`is walked to its end, and a single page leads on: ${entity}`, async () => {
      const walked = await collect(remoteAt(kind).all(entity, { limit: 2 }));
      assert.deepEqual(
        walked.map(({ id }) => id),
        [1, 2, 5, 6, 7],
      );
      assert.partialDeepStrictEqual(bodies[1], { params: { limit: 2, ...seconds } });
      const page = await remoteAt(kind).execute(entity, 'list', { limit: 2 });
      assert.partialDeepStrictEqual(page, { nextParams: seconds });
    });

  for (const [kind, entity, options] of [
    [undefined, 'parcels', {}],
    [chat, 'bans', { selectFields: ['type'] }],
    [chat, 'bans', { excludeFields: ['id'] }],
  ] as const)
    test(`is no whole list where the client cannot tell: ${entity}, ${JSON.stringify(options)}`, async () => {
      const walk = collect(remoteAt(kind).all(entity, { limit: 2 }, options));
      await assert.rejects(walk, { code: 'internal', message: /does not say how .* go on/ });
      const page = await remoteAt(kind).execute(entity, 'list', { limit: 2 }, options);
      assert.partialDeepStrictEqual(page, { data: [{ id: 1 }, { id: 2 }], nextParams: null });
    });
});

describe('downloads', () => {
  const chunk = new Uint8Array(1024).fill(7);

  test('come as bytes, with what is known of them', async () => {
    const { download, accepted } = clientOf(
      () =>
        new Response(streamOf([chunk, chunk]), {
          status: 206,
          headers: {
            'content-type': 'image/png',
            'content-length': '2048',
            'content-range': 'bytes 0-2047/9999',
          },
        }),
    );
    const file = await download();
    const { bytes, ...head } = file;
    assert.deepEqual(head, {
      isPartial: true,
      contentType: 'image/png',
      contentRange: 'bytes 0-2047/9999',
      sizeBytes: 2048,
    });
    assert.equal((await collect(bytes)).length, 2);
    assert.equal(accepted(), '*/*');
  });

  test('leaving the loop early ends the transfer', async () => {
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk),
      cancel: () => {
        isCancelled = true;
      },
    });
    const { download } = clientOf(() => new Response(endless));
    for await (const each of (await download()).bytes) if (each.length > 0) break;
    assert.ok(isCancelled);
  });

  test('the deadline is for the beginning; then silence, a cut or a signal ends it', async () => {
    const silent = new ReadableStream<Uint8Array>({ start: (it) => it.enqueue(chunk) });
    const idle = clientOf(() => new Response(silent));
    const file = await idle.download({ timeoutMs: 30 });
    await assert.rejects(collect(file.bytes), { code: 'upstream_timeout' });

    const cut = clientOf(() => new Response(streamOf([chunk], new Error('terminated'))));
    await assert.rejects(collect((await cut.download()).bytes), { code: 'upstream_unavailable' });

    const controller = new AbortController();
    const quiet = new ReadableStream<Uint8Array>({ start: (it) => it.enqueue(chunk) });
    const aborted = clientOf(() => new Response(quiet));
    const { bytes } = await aborted.download({ signal: controller.signal });
    const reading = collect(bytes);
    controller.abort(new Error('enough'));
    await assert.rejects(reading, { message: 'enough' });
  });

  test('an error instead of a file is an error', async () => {
    const { download } = clientOf(() => problem(404, 'record_not_found'));
    await assert.rejects(download(), { code: 'record_not_found' });
  });
});

/** A client of a service that answers downloads like this. */
function clientOf(answer: () => Response) {
  let accepted: string | null = null;
  const answers: Readonly<Record<string, () => Response>> = {
    token: () => Response.json({ access_token: 'a', token_type: 'bearer', expires_in: 900 }),
    'scoped-token': () => Response.json({ token: 's', expires_in: 1200 }),
    [ID]: () => Response.json(connectorAnswer({ id: ID })),
    execute: answer,
  };
  const patchbay = new Patchbay({
    baseUrl: 'http://service',
    clientId: 'id',
    clientSecret: 'secret',
    externalUserId: 'user',
    fetch: async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      accepted = new Headers(init?.headers).get('accept');
      return answers[pathname.split('/').at(-1) ?? '']?.() ?? new Response(null, { status: 404 });
    },
  });
  return {
    accepted: () => accepted,
    download: async (options?: { timeoutMs?: number; signal?: AbortSignal }) => {
      const connector = await patchbay.connector(ID);
      // A download gives a file.
      return (await connector.execute('files', 'download', {}, options)) as Download;
    },
  };
}

function streamOf(chunks: readonly Uint8Array[], end?: Error): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull: (controller) => {
      const next = left.shift();
      if (next !== undefined) controller.enqueue(next);
      else if (end === undefined) controller.close();
      else controller.error(end);
    },
  });
}
