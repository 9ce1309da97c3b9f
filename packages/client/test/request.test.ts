import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startHosted, TEAM_CHAT, watchFetch, type Hosted } from './support/start-hosted.ts';

describe('routes by their path', () => {
  let hosted: Hosted;
  before(async () => {
    hosted = await startHosted();
  });
  after(() => hosted[Symbol.asyncDispose]());

  test('JSON goes out and comes back, and errors are those of every call', async () => {
    const client = hosted.client();
    const { id } = await client.connectors.create(TEAM_CHAT);
    const path = `/v1/integrations/connectors/${id}`;
    const changed = await client.request('PATCH', path, { body: { name: 'By its path' } });
    assert.equal((changed as { readonly name: string }).name, 'By its path');
    assert.deepEqual(await client.request('GET', path), await client.connectors.get(id));
    await assert.rejects(client.request('PATCH', path, { body: { nam: 'x' } }), {
      code: 'invalid_request',
    });
    await assert.rejects(client.request('GET', '/v1/nothing'), { code: 'route_not_found' });
  });

  test('a key makes a creation safe to repeat', async () => {
    const watched = watchFetch();
    const client = hosted.client({ fetch: watched.fetch });
    const body = { ...TEAM_CHAT, name: 'Once' };
    const create = () =>
      client.request('POST', '/api/v1/integrations/connectors', { body, idempotencyKey: 'k-1' });
    assert.deepEqual(await create(), await create());
    assert.deepEqual(
      watched.to('/connectors').map(({ headers }) => headers.get('idempotency-key')),
      ['k-1', 'k-1'],
    );
  });

  test('a key that no header can carry is refused before anything is sent', async () => {
    const watched = watchFetch();
    const client = hosted.client({ fetch: watched.fetch });
    for (const idempotencyKey of ['', 'a\nb', ' a', 'ключ', 'k'.repeat(256)])
      for (const isRead of [false, true])
        await assert.rejects(
          client.request('POST', '/v1/applications', { body: {}, idempotencyKey, isRead }),
          { code: 'invalid_request', message: /^idempotencyKey must be/ },
          JSON.stringify(idempotencyKey),
        );
    assert.equal(watched.sent.length, 0);
  });

  test('a POST that only reads is repeated on trouble on the way, and its failure is no write', async () => {
    const externalUserId = 'reader';
    const client = hosted.client({ externalUserId });
    const { id } = await client.connectors.create({ ...TEAM_CHAT, name: 'Read' });
    const path = `/api/v1/connectors/sources/${id}/execute`;
    const body = { entity: 'users', action: 'list', params: { limit: 1 } };
    let failures = 1;
    const shaky = hosted.client({
      externalUserId,
      fetch: (input, init) => {
        const isLost = new Request(input).url.endsWith('/execute') && failures-- > 0;
        return isLost ? Promise.reject(new TypeError('lost')) : fetch(input, init);
      },
    });
    const answer = await shaky.request('POST', path, { body, isRead: true });
    assert.equal((answer as { readonly status: string }).status, 'success');
    const timings: (string | null)[] = [];
    const onHeaders = (headers: Headers) => timings.push(headers.get('server-timing'));
    failures = 1;
    await shaky.request('POST', path, { body, isRead: true, onHeaders });
    assert.match(timings.join('; '), /^wait;dur=\S+ upstream;dur=\S+ total;dur=\S+$/);
    failures = Infinity;
    const options = { body, timeoutMs: 2_000 };
    await assert.rejects(shaky.request('POST', path, options), { code: 'write_outcome_unknown' });
    await assert.rejects(shaky.request('POST', path, { ...options, isRead: true }), {
      code: 'not_ready',
    });
  });

  test('a body of a GET is refused before anything is sent', async () => {
    const watched = watchFetch();
    const client = hosted.client({ fetch: watched.fetch, timeoutMs: 2_000 });
    await assert.rejects(client.request('GET', '/v1/jobs/1', { body: {} }), {
      code: 'invalid_request',
      message: /^body goes with no GET/,
    });
    assert.equal(watched.sent.length, 0);
  });

  test('a path that leads elsewhere is refused before anything is sent', async () => {
    const watched = watchFetch();
    const client = hosted.client({ fetch: watched.fetch });
    for (const path of ['', 'v1/applications', '@evil.example/', '//evil.example/'])
      await assert.rejects(client.request('GET', path), { code: 'invalid_request' }, path);
    assert.equal(watched.sent.length, 0);
  });
});
