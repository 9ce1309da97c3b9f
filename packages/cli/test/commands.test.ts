import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCli } from './support/run-cli.ts';

test('help tells every command, with examples', async () => {
  const { code, out } = await startCli(['--help'], {}).finished;
  assert.equal(code, 0);
  for (const command of ['start', 'app', 'token', 'sandbox'])
    assert.match(out, new RegExp(command));
  assert.match((await startCli(['start', '--help'], {}).finished).out, /Examples:/);
});

test('a wrong flag or command is told on standard error, without a stack', async () => {
  for (const args of [['strat'], ['start', '--port', 'ten'], ['token', '--access', 'admin']]) {
    const { code, out, err } = await startCli(args, {}).finished;
    assert.equal(code, 1);
    assert.equal(out, '');
    assert.match(err, /error: /);
    assert.doesNotMatch(err, /    at /);
  }
});

test('patchbay token says what is missing when it knows no application, or no service answers', async () => {
  const unknown = await startCli(['token'], { PATCHBAY_DATA: '/nowhere/data' }).finished;
  assert.match(unknown.err, /^patchbay: Which application\? Set PATCHBAY_CLIENT_ID/);
  const unreachable = await startCli(['token', '--base-url', 'http://127.0.0.1:1'], {
    PATCHBAY_CLIENT_ID: 'x',
    PATCHBAY_CLIENT_SECRET: 'y',
  }).finished;
  assert.match(unreachable.err, /^patchbay: No service answers at http:\/\/127\.0\.0\.1:1/);
});

test("patchbay sandbox serves Slack's API alone until it is stopped", async () => {
  const running = startCli(['sandbox', '--port', '0', '--scale', '10'], {});
  const out = await running.untilOut('Ctrl-C');
  const url = /Slack's API: (\S+)/.exec(out)?.[1] ?? '';
  const answer = await fetch(`${url}/users.list`, { headers: { authorization: 'Bearer any' } });
  const { ok, members } = (await answer.json()) as { ok: boolean; members: readonly unknown[] };
  assert.deepEqual([ok, members.length], [true, 10]);
  running.process.kill('SIGINT');
  assert.equal((await running.finished).code, 0);
});
