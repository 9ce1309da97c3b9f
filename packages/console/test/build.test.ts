import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { builtFolder, buildIfStale } from '../../connect/test/support/build.ts';

const BUILT = builtFolder('console');
const MOST_BYTES = 250_000;

describe('the build of the console', () => {
  before(() => buildIfStale(BUILT, 'console'));

  test('loads at most 250 kB, compressed, for its first page', async () => {
    const page = await readFile(join(BUILT, 'index.html'), 'utf8');
    const named = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)];
    const first = (await readdir(join(BUILT, 'assets'))).filter((name) =>
      name.startsWith('overview-page-'),
    );
    assert.equal(first.length > 0, true, 'the first page is a file of its own');
    const files = [
      'index.html',
      ...named.map(([, path = '']) => path),
      ...first.map((name) => join('assets', name)),
    ];
    assert.ok(files.length >= 5, files.join(', '));
    const sizes = await Promise.all(
      files.map(async (name) => gzipSync(await readFile(join(BUILT, name))).length),
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes: ${files.join(', ')}`);
  });

  test('has neither scripts nor data in the document', async () => {
    const page = await readFile(join(BUILT, 'index.html'), 'utf8');
    for (const [script] of page.matchAll(/<script[^]*?<\/script>/g))
      assert.match(script, /^<script [^>]*src="\/console\/assets\/[\w-]+\.js"[^>]*><\/script>$/);
    assert.doesNotMatch(page, /<style|style=|data:|https?:/);
  });
});
