import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { describeKind } from '@patchbay/connectors';
import { allKinds, renderReferencePage } from '@patchbay/connectors/engine';

const folder = new URL('../../../docs/reference/', import.meta.url);

for (const kind of allKinds())
  test(`docs/reference/${kind.kind}.md is current; else: npm run docs`, async () => {
    const page = await readFile(new URL(`${kind.kind}.md`, folder), 'utf8');
    assert.equal(page, renderReferencePage(describeKind(kind)));
  });

test('docs/reference has a page for every kind and no other', async () => {
  const pages = allKinds().map(({ kind }) => `${kind}.md`);
  assert.deepEqual((await readdir(folder)).toSorted(), pages.toSorted());
});
