import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startSandbox } from '@patchbay/sandbox';
import type { UpstreamSetting } from '@patchbay/server';
import { sandboxUpstreams } from '../src/service/sandbox-upstreams.ts';
import { callCli } from './support/call-cli.ts';
import { temporaryFolder } from './support/run-cli.ts';
import { SLACK_REPLICATION, startCliService } from './support/start-service.ts';

/** Put together here, so that no file holds anything that a secret scanner would find. */
const REAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'chat-workspace': { api_token: ['xox', 'b-', '1234567890123-', 'Ab1'.repeat(8)].join('') },
  'support-chat': { access_token: 'aB3d'.repeat(16) },
  'customer-messaging': {
    access_token: Buffer.from('tok:01234567_89ab_cdef_0123_456789abcdef:1:0').toString('base64'),
  },
  'support-ticketing': { email: 'a@example.com', api_token: 'aB3d5'.repeat(8) },
};

describe('the upstreams that the sandbox stands in for', () => {
  test('refuse what looks real, with a sentence that says sandbox and the switch', async () => {
    await using sandbox = await startSandbox();
    const upstreams = sandboxUpstreams(sandbox);
    assert.deepEqual(Object.keys(upstreams), Object.keys(REAL));
    for (const [kind, { refuses }] of Object.entries(upstreams)) {
      const credentials = REAL[kind] ?? {};
      const said = refuses?.(credentials) ?? '';
      assert.match(said, /sandbox/, kind);
      assert.match(said, /--no-sandbox/);
      assert.match(said, /PATCHBAY_SANDBOX=off/);
      for (const value of Object.values(credentials)) assert.ok(!said.includes(value));
    }
  });

  test('take what is made up, and what the sandbox issues', async () => {
    await using sandbox = await startSandbox();
    const upstreams: Readonly<Record<string, UpstreamSetting>> = sandboxUpstreams(sandbox);
    const vendors = {
      'chat-workspace': 'slack',
      'support-chat': 'zendeskChat',
      'customer-messaging': 'intercom',
      'support-ticketing': 'zendeskSupport',
    } as const;
    for (const [kind, vendor] of Object.entries(vendors)) {
      const issued = sandbox.oauth.grant({ vendor }).map(({ accessToken }) => accessToken);
      assert.ok(issued.length > 0, vendor);
      for (const access_token of ['demo', 'xoxb-demo', 'x', ...issued])
        assert.equal(upstreams[kind]?.refuses?.({ access_token }), undefined, kind);
    }
  });

  test('have something to try out, with credentials that they take', async () => {
    await using sandbox = await startSandbox();
    const { trial, refuses } = sandboxUpstreams(sandbox)['chat-workspace'];
    assert.ok(trial !== undefined);
    assert.equal(refuses?.(trial.credentials), undefined);
  });
});

test('patchbay connector create warns of a token that looks real, and calls say the same', async () => {
  await using cli = await startCliService();
  const user = cli.settings();
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'credentials.json');
  await writeFile(file, JSON.stringify(REAL['chat-workspace']));
  const args = ['connector', 'create', 'slack', '--credentials', file, ...SLACK_REPLICATION];
  const created = await callCli(args, user);
  assert.equal(created.code, 0, created.err);
  assert.match(created.out, /calls go to the sandbox/);
  const called = await callCli(['execute', 'users', 'list'], user);
  assert.equal(called.code, 4);
  assert.match(
    called.err,
    /calls go to the sandbox, .*--no-sandbox, or PATCHBAY_SANDBOX=off\. \(credentials_out_of_place\)/,
  );
});
