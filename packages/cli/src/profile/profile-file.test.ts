import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { writeProfile } from './profile-file.ts';

test('no profile is left on a file system without modes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-profile-'));
  const found = fs.statSync;
  const mocked = mock.method(fs, 'statSync', (path: fs.PathLike) =>
    Object.assign(found(path), { mode: 0o100777 }),
  );
  syncBuiltinESMExports();
  try {
    const profile = {
      baseUrl: 'https://patchbay.example.com',
      clientId: 'mine',
      clientSecret: 'a secret of mine',
      externalUserId: 'alice',
    };
    assert.throws(
      () => writeProfile('work', profile, { XDG_CONFIG_HOME: folder }),
      /work\.json cannot be kept from others, since its file system has no modes: let XDG_CONFIG_HOME name a folder elsewhere\.$/,
    );
    assert.deepEqual(await readdir(join(folder, 'patchbay')), []);
  } finally {
    mocked.mock.restore();
    syncBuiltinESMExports();
    await rm(folder, { recursive: true });
  }
});
