import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { callCli, callJson } from './support/call-cli.ts';
import { startCli } from './support/run-cli.ts';
import { startCliService, type CliService } from './support/start-service.ts';

type Json = Readonly<Record<string, unknown>>;

const linesOf = (text: string) => text.trimEnd().split('\n');

describe('patchbay sync', () => {
  let cli: CliService;
  let user: Readonly<Record<string, string>>;

  before(async () => {
    cli = await startCliService('all');
    user = cli.settings();
    await cli.createSlack(user);
  });
  after(() => cli[Symbol.asyncDispose]());
  // Of a test that failed, too.
  afterEach(() => cli.sandbox.faults.clear());

  test('in a pipe tells a line for each change, without control characters', async () => {
    const { code, out, err } = await cli.run(['sync', '--kind', 'slack', '--watch'], user);
    assert.equal(code, 0, err);
    for (const entity of ['users', 'channels', 'channel_messages', 'threads'])
      assert.match(out, new RegExp(`^${entity}: [\\d,]+ records? in the copy$`, 'm'));
    assert.ok(linesOf(out).every((line) => /^[a-z_]+: [\w, ]+$/.test(line)));
    const told = linesOf(out);
    assert.ok(told.every((line, index) => line !== told[index - 1]));
    assert.match(err, /^The sync succeeded after [\d.]+ s\.\n$/);
  });

  test('tells programs the run, its status, and every change', async () => {
    const { run_id: runId } = await callJson<{ run_id: string }>(['sync'], user);
    const watched = await callCli(['sync', '--watch', '--json'], user);
    const statuses = linesOf(watched.out).map((line) => JSON.parse(line) as { last: Json | null });
    assert.equal(statuses.at(-1)?.last?.['state'], 'succeeded');
    const status = await callJson<{ last: Json }>(['sync', '--status'], user);
    assert.match(String(status.last['run_id']), /^[\da-f-]{36}$/);
    assert.match(runId, /^[\da-f-]{36}$/);
    const table = await callCli(['sync', '--status'], user);
    assert.match(table.out, /^entity +state +entity_count +as_of\nusers +idle /);
    assert.match(table.err, /^The sync succeeded after/);
  });

  test('tells what the last ones did, newest first', async () => {
    const { out } = await callCli(['sync', '--history'], user);
    assert.match(out, /^requested_at +cause +state +finished_at +records_read +records_written/);
    assert.match(linesOf(out).at(-1) ?? '', / creation +succeeded /);
    const runs = await callJson<readonly Json[]>(['sync', '--history'], user);
    assert.equal(runs.at(-1)?.['cause'], 'creation');
    assert.ok(Number(runs.at(-1)?.['records_written']) > 0);
    assert.equal((await callCli(['sync', '--history', '--watch'], user)).code, 2);
  });

  test('that fails ends with the exit code of its first error', async () => {
    const stranger = cli.settings();
    // A refusal: from trouble that may pass, a sync would recover for minutes.
    cli.sandbox.faults.add({ kind: 'slackError', method: 'users.list', error: 'made_up' });
    await cli.createSlack(stranger);
    const { code, out, err } = await callCli(['sync', '--watch'], stranger);
    assert.equal(code, 5, err);
    assert.match(out, /^users: failed: .* \(upstream_rejected\)$/m);
    assert.match(err, /The sync failed after .*; trouble with users/);
  });

  test('is judged by itself, though another is queued by then', async () => {
    const stranger = cli.settings();
    const hang = cli.sandbox.faults.add({ kind: 'hang', method: 'users.list' });
    await cli.createSlack(stranger);
    await hang.whenHit();
    const { untilOut, finished } = startCli(['sync', '--status', '--watch'], stranger);
    await untilOut('users: reading');
    assert.equal((await callCli(['sync'], stranger)).code, 0);
    hang.release();
    const { code, out, err } = await finished;
    assert.deepEqual([code, err.startsWith('The sync succeeded')], [0, true], err);
    // Nothing waits again, as it does in the sync that comes next.
    assert.doesNotMatch(out.slice(out.search(/^users: [\d,]+ record/m)), /waiting/);
  });

  test('tells of fields that the upstream sends and nobody knows', async () => {
    const stranger = cli.settings();
    const fault = cli.sandbox.faults.add({ kind: 'unknownFields' });
    await cli.createSlack(stranger);
    assert.equal((await callCli(['sync', '--watch'], stranger)).code, 0);
    const { code, err } = await callCli(['sync', '--status'], stranger);
    fault.release();
    assert.equal(code, 0, err);
    assert.match(
      err,
      /^Fields of users that Patchbay does not know, and does not copy: .*id_v2\.$/m,
    );
    assert.doesNotMatch(err, /another type/);
  });

  test('of a paused connector is refused, with what to do', async () => {
    const stranger = cli.settings();
    await cli.createSlack(stranger);
    await callCli(['connector', 'pause'], stranger);
    const { code, err } = await callCli(['sync', '--watch'], stranger);
    assert.equal(code, 4);
    assert.match(err, /\(connector_paused\)\n`patchbay connector resume`/);
  });
});
