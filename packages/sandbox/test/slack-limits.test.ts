import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Sandbox } from '../src/index.ts';
import { bearer, handClock, postForm } from './oauth-calls.ts';
import { objects, postMessage, sandboxForTest, slackClient, text } from './support.ts';

describe("Slack's limits for an app", () => {
  it('outlive a renewal of its token, and are those of one workspace', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ limits: 'vendor', clock: clock.now });
    const { people, tokenUrl } = sandbox.oauth.servers.slack;
    const [here] = sandbox.oauth.grant({ vendor: 'slack' });
    const elsewhere = people.find(({ account }) => account.id !== people[0]?.account.id);
    const [there] = sandbox.oauth.grant({ vendor: 'slack', personId: elsewhere?.id ?? '' });
    const list = async (token = '') =>
      (await postForm(`${sandbox.urls.slack}/users.list`, { limit: '1' }, bearer(token))).status;
    for (let count = 0; count < 20; count += 1) assert.equal(await list(here?.accessToken), 200);
    assert.equal(await list(here?.accessToken), 429);
    const { body } = await postForm(tokenUrl, {
      client_id: 'sandbox-slack',
      client_secret: 'sandbox-slack-secret',
      grant_type: 'refresh_token',
      refresh_token: here?.refreshToken ?? '',
    });
    assert.equal(await list(text(body, 'access_token')), 429);
    assert.equal(await list(there?.accessToken), 200);
    assert.equal(await list('by-hand'), 200);
  });

  it('give an app that is distributed outside the Marketplace 15 messages a minute', async () => {
    const clock = handClock();
    for (const [slackDistribution, most] of [
      ['internal', 1_000],
      ['marketplace', 1_000],
      ['distributed', 15],
    ] as const) {
      await using sandbox = await sandboxForTest({
        slackDistribution,
        limits: 'vendor',
        clock: clock.now,
        scale: 1_000,
      });
      const { channel, ts } = await busyThread(sandbox, clock.advance);
      const call = async (method: string, params: Readonly<Record<string, string>>) =>
        await postForm(`${sandbox.urls.slack}/${method}`, params, bearer('by-hand'));
      for (const [method, params] of [
        ['conversations.history', { channel, limit: '999' }],
        ['conversations.replies', { channel, ts, limit: '999' }],
      ] as const) {
        const first = await call(method, params);
        assert.equal(first.body['ok'], true, JSON.stringify(first.body));
        const found = objects(first.body['messages']).length;
        assert.ok(found <= most && (found === 15) === (most === 15), `${method}: ${String(found)}`);
        const again = await call(method, params);
        assert.equal(again.status, most === 15 ? 429 : 200);
        if (most !== 15) continue;
        assert.equal(again.headers.get('retry-after'), '60');
        clock.advance(60);
        assert.equal((await call(method, params)).status, 200);
      }
      assert.equal((await call('users.list', { limit: '1000' })).status, 200);
    }
  });
});

/** A channel of the app's with many messages, and a message in it with many replies. */
async function busyThread(sandbox: Sandbox, advance: (seconds: number) => void) {
  const client = slackClient(sandbox, 'another-by-hand');
  const { channels = [] } = await client.conversations.list({ limit: 999 });
  const channel = channels.find(({ is_member: isMember }) => isMember === true)?.id ?? '';
  let ts = '';
  for (let count = 0; count < 18; count += 1) {
    // One message a second may be posted.
    advance(1);
    const threaded = ts === '' ? {} : { thread_ts: ts, reply_broadcast: true as const };
    const posted = await postMessage(client, { channel, text: 'x', ...threaded });
    if (ts === '') ts = posted.ts ?? '';
  }
  return { channel, ts };
}
