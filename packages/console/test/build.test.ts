import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { builtFolder, buildIfStale } from '../../connect/test/support/build.ts';

const BUILT = builtFolder('console');
const MOST_BYTES = 200_000;

describe('the build of the console', () => {
  before(() => buildIfStale(BUILT, 'console'));

  test('loads at most 200 kB, compressed, for its first page', async (t) => {
    const page = await readFile(join(BUILT, 'index.html'), 'utf8');
    const named = [...page.matchAll(/(?:src|href)="\/console\/assets\/([^"]+)"/g)];
    const names = await readdir(join(BUILT, 'assets'));
    // The overview comes with its charts, which load last.
    const first = names.filter((name) => /^(?:overview-page|chart)-/.test(name));
    assert.equal(first.length, 2, names.join(', '));
    const loaded = new Set<string>();
    for (const name of [...named.map(([, asset = '']) => asset), ...first])
      await follow(name, loaded);
    const files = ['index.html', ...[...loaded].map((name) => join('assets', name))];
    const sizes = await Promise.all(
      files.map(async (name) => gzipSync(await readFile(join(BUILT, name))).length),
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${bytes} bytes`);
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes: ${files.join(', ')}`);
  });

  test('has neither scripts nor data in the document', async () => {
    const page = await readFile(join(BUILT, 'index.html'), 'utf8');
    for (const [script] of page.matchAll(/<script[^]*?<\/script>/g))
      assert.match(script, /^<script [^>]*src="\/console\/assets\/[\w-]+\.js"[^>]*><\/script>$/);
    assert.doesNotMatch(page, /<style|style=|data:|https?:/);
  });
});

test('its sources import the client, and nothing else of ours', async () => {
  const folder = join(import.meta.dirname, '../src');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const ours = new Set<string>();
  for (const name of names)
    for (const [, specifier = ''] of (await readFile(join(folder, name), 'utf8')).matchAll(
      /(?:from|import\()\s*'(@patchbay\/[^']*)'/g,
    ))
      ours.add(specifier);
  assert.deepEqual([...ours], ['@patchbay/client']);
});

/** A file, and those that it imports at once; what it imports later is no part of it. */
async function follow(name: string, loaded: Set<string>): Promise<void> {
  if (loaded.has(name)) return;
  loaded.add(name);
  if (!name.endsWith('.js')) return;
  const source = await readFile(join(BUILT, 'assets', name), 'utf8');
  for (const [, imported = ''] of source.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
    await follow(imported, loaded);
}
