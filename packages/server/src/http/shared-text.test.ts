import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { SharedText } from './shared-text.ts';

test('what could not be compressed once is tried again by whoever asks next', async () => {
  const text = 'a text that is worth it '.repeat(100);
  let attempts = 0;
  const shared = new SharedText(text, {
    br: () => Promise.reject(new Error('no memory')),
    gzip: (bytes) => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error('no memory')) : promisify(gzip)(bytes);
    },
  });
  await assert.rejects(shared.encodedFor('gzip'), { message: 'no memory' });
  const { bytes, encoding } = await shared.encodedFor('gzip');
  assert.equal(encoding, 'gzip');
  assert.equal(gunzipSync(bytes).toString(), text);
  assert.equal((await shared.encodedFor('gzip')).bytes, bytes);
  assert.equal(attempts, 2);
});
