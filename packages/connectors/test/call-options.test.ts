/** The options of a call, by callers without types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent } from 'undici';
import { createConnector } from '@patchbay/connectors';
import { collect, CREDENTIALS, errorOf } from './support/connectors.ts';

const NOWHERE = { credentials: CREDENTIALS, baseUrl: 'http://127.0.0.1:9' };

const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;

test('a signal that is none is a fault, and leaves no timer', async () => {
  const slack = createConnector('slack', NOWHERE);
  const before = timers();
  const call = slack.users.list({}, { signal: 'no signal' as unknown as AbortSignal });
  assert.equal((await errorOf(call)).code, 'invalid_config');
  assert.equal(timers(), before);
});

test('options that there are none of are not ignored', async () => {
  const slack = createConnector('slack', NOWHERE);
  const options = { idempotencyKey: 'k' } as object;
  const params = { channel: 'C', text: 'x' };
  assert.equal((await errorOf(slack.messages.create(params, options))).code, 'invalid_config');
  const walk = collect(slack.users.list.all({}, options));
  assert.equal((await errorOf(walk)).code, 'invalid_config');
});

test('what a closed dispatcher was given surely did not happen', async () => {
  for (const end of ['close', 'destroy'] as const) {
    const dispatcher = new Agent();
    await dispatcher[end]();
    const slack = createConnector('slack', { ...NOWHERE, dispatcher, random: () => 0 });
    const write = slack.messages.create({ channel: 'C', text: 'x' }, { timeoutMs: 2_000 });
    assert.equal((await errorOf(write)).code, 'upstream_unavailable', end);
  }
});
