import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readClientFile } from './client-file.ts';
import { readProfile } from './profile/profile-file.ts';
import { CommandError } from './terminal.ts';

function refused(error: unknown): boolean {
  return error instanceof CommandError && /is no regular file/.test(error.message);
}

test('a file of the command that is a named pipe is refused, and not waited for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
  try {
    const client = join(folder, 'data.client.json');
    execFileSync('mkfifo', [client]);
    assert.throws(() => readClientFile(client), refused);
    const environment = { XDG_CONFIG_HOME: folder };
    execFileSync('mkdir', [join(folder, 'patchbay')]);
    execFileSync('mkfifo', [join(folder, 'patchbay', 'default.json')]);
    assert.throws(() => readProfile('default', environment), refused);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
