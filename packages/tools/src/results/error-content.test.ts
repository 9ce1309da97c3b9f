import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectorError } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import { errorContent } from './error-content.ts';

const HOW = { howToFindOut: 'List the newest messages of the channel.' };

function adviceOn(error: ConnectorError, args: JsonObject): string {
  const { advice } = errorContent(error, { tool: 'execute', arguments: args }, undefined)[
    'error'
  ] as { readonly advice: string };
  return advice;
}

test('a write of unknown outcome is repeated with its key where that settles it, and only there', () => {
  const unsettled = new ConnectorError('write_outcome_unknown', { ...HOW, idempotencyKey: 'made' });
  // The connection to the service broke, so that the service may know: also with a key that the client made.
  for (const args of [{}, { idempotency_key: 'made' }])
    assert.match(adviceOn(unsettled, args), /^Repeat the call .* with idempotency_key "made"/);
  // The service itself does not know, and keeps that answer for the key.
  const settled = new ConnectorError('write_outcome_unknown', HOW);
  assert.match(adviceOn(settled, { idempotency_key: 'given' }), /with a new idempotency_key\.$/);
  assert.match(adviceOn(settled, {}), /^Do not simply repeat .* whether it happened\.$/);
});
