import assert from 'node:assert/strict';
import { it } from 'node:test';

import { ByteCache } from './byte-cache.ts';

it('what was used least recently leaves first when the bytes run out', () => {
  const cache = new ByteCache(20);
  const built: string[] = [];
  const read = (key: string) =>
    cache.getOrBuild(key, () => {
      built.push(key);
      return Buffer.alloc(8);
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) read(key);
  assert.deepEqual(built, ['a', 'b', 'c', 'b']);
  cache.clear();
  read('a');
  assert.deepEqual(built, ['a', 'b', 'c', 'b', 'a']);
});
