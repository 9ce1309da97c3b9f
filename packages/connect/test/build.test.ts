import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildIfStale } from './support/build.ts';

const MOST_BYTES = 80_000;

describe('the build of the page', () => {
  let folder: string;
  let built: string;
  const build = () => buildIfStale(built);

  before(async () => {
    // On the file system of the checkout, where a build is moved to its place; others use that place.
    folder = await mkdtemp(
      new URL('../../../node_modules/.cache-connect-', import.meta.url).pathname,
    );
    built = join(folder, 'dist');
    await build();
  });
  after(() => rm(folder, { recursive: true }));

  test('is at most 80 kB, compressed', async () => {
    const names = (await readdir(join(built, 'assets'))).map((name) => join('assets', name));
    const sizes = await Promise.all(
      ['index.html', ...names].map(
        async (name) => gzipSync(await readFile(join(built, name))).length,
      ),
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
  });

  test('has neither scripts nor styles nor data in the document', async () => {
    const document = await readFile(join(built, 'index.html'), 'utf8');
    for (const [script] of document.matchAll(/<script[^]*?<\/script>/g))
      assert.match(script, /^<script [^>]*src="\/connect\/assets\/[\w-]+\.js"[^>]*><\/script>$/);
    assert.doesNotMatch(document, /<style|style=|data:|https?:/);
  });

  test('is made again only where its sources are others', async () => {
    assert.equal(await build(), '');
    const page = join(built, 'index.html');
    await utimes(page, 1, 1);
    assert.equal(await build(), '', 'of the same sources, whatever the time says');
    await writeFile(join(built, '.built-from'), 'something else');
    assert.match(await build(), /^Building the connect page … done in \d+\.\d s\n$/);
    assert.equal(await build(), '');
  });

  test('by two processes at once leaves a whole page', async () => {
    await rm(built, { recursive: true });
    await Promise.all([build(), build()]);
    assert.equal(await build(), '');
    assert.match(await readFile(join(built, 'index.html'), 'utf8'), /<!doctype html>/);
  });
});
