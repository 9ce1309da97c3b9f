import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnector, isConnectorError } from '@patchbay/connectors';
import { startSandbox } from '@patchbay/sandbox';

// A token spelled like an error code was taken out of the answer before that was judged: a write
// that may have happened then passed for one that surely had not.
for (const [token, expected] of [
  ['fatal_error', 'write_outcome_unknown'],
  ['channel_not_found', 'record_not_found'],
] as const)
  test(`a token spelled ${token} does not change what that code means`, async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    sandbox.faults.add({ kind: 'slackError', error: token, method: 'chat.postMessage' });
    const slack = createConnector('chat-workspace', {
      credentials: { api_token: token },
      baseUrl: sandbox.urls.slack,
      upstreamLimits: 'reactive',
    });
    const posting = slack.messages.create({ channel: 'C1', text: 'hello' });
    await assert.rejects(posting, (error) => {
      assert.ok(isConnectorError(error, expected), String(error));
      assert.ok(!`${error.message}${JSON.stringify(error.details)}`.includes(token));
      return true;
    });
    assert.equal(sandbox.requests().length, 1);
  });
