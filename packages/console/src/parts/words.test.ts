import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelOf } from './words.ts';

test('a name of the wire is a label that a person would have written', () => {
  const labels = ['reauth_required', 'api_token', 'redirect_url', '_hidden-name'].map(labelOf);
  assert.deepEqual(labels, ['Reauth required', 'API token', 'Redirect URL', 'Hidden name']);
});
