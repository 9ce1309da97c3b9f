import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { unmovedFolderWarning } from './unmoved-folder.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-unmoved-'));
});
after(() => rm(folder, { recursive: true }));

test('a database that is left beside the one in use is told of', async () => {
  const dataFolder = join(folder, 'data');
  await mkdir(join(dataFolder, 'postgres'), { recursive: true });
  assert.match(unmovedFolderWarning(dataFolder) ?? '', /which is not used/);
});

test('a folder that is not there, or that this user may not look into, is none', async () => {
  assert.equal(unmovedFolderWarning(join(folder, 'nowhere')), undefined);
  // A way that ends nowhere is as closed as a folder of somebody else.
  await symlink('closed', join(folder, 'closed'));
  assert.equal(unmovedFolderWarning(join(folder, 'closed')), undefined);
});
