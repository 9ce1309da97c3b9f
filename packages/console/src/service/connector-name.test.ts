import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readValue } from '../parts/values/read-value.ts';
import { CONNECTOR_NAME } from './connector-name.ts';

test('a name is a line that people can read, as the service judges it', () => {
  for (const name of ['Team chat', 'Équipe de Zoë', 'فريق \u200fالدعم', '👩\u200d💻', 'x'])
    assert.deepEqual(readValue(CONNECTOR_NAME, name), { is: 'value', value: name });
  for (const name of [
    'a\u202eb',
    'a\u0007b',
    'a\nb',
    '\u200b\u200b',
    '\u2060\u3164',
    'x'.repeat(256),
  ])
    assert.equal(readValue(CONNECTOR_NAME, name).is, 'fault', JSON.stringify(name));
});
