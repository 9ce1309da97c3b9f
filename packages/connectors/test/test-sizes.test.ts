import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { shortenedSuites, sizeOf, TEST_SIZES, type SizedSuite } from './support/test-sizes.ts';

const ROOT = new URL('../../../', import.meta.url);
const SEARCHES = TEST_SIZES['random searches'];
const FILES = new Set([SEARCHES.file]);

test('a random suite is short by default, whole where asked, and as large as its variable says', () => {
  const sizes = [{}, { TEST_SIZE: 'long' }, { SEARCH_SETS: '7', TEST_SIZE: 'long' }].map(
    (environment) => sizeOf('random searches', environment),
  );
  assert.deepEqual(sizes, [SEARCHES.short, SEARCHES.long, 7]);
});

test('what is shorter than it can be is told, of the files of the run', () => {
  const told = `shortened random searches: 7 of ${SEARCHES.long} sets of records (npm run test:long makes all)`;
  assert.deepEqual(shortenedSuites(FILES, { SEARCH_SETS: '7' }), [told]);
  assert.deepEqual(shortenedSuites(new Set(), { SEARCH_SETS: '7' }), []);
  assert.deepEqual(shortenedSuites(FILES, { TEST_SIZE: 'long' }), []);
});

test('every suite is where the table says, and takes its size from there', async () => {
  const suites: readonly (readonly [string, SizedSuite])[] = Object.entries(TEST_SIZES);
  for (const [name, { file, short, long }] of suites) {
    const source = await readFile(new URL(file, ROOT), 'utf8');
    assert.ok(source.includes(`sizeOf('${name}')`), `${file} does not ask for ${name}`);
    assert.ok(short < long, name);
  }
});
