import assert from 'node:assert/strict';
import {
  chmod,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { pipedTerminal } from '../../test/support/piped-terminal.ts';
import { chooseTarget, writeDownload } from './download.ts';

describe('a download into a file', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patchbay-download-'));
    path = join(folder, 'photo');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** @param meanwhile What happens while it comes. */
  const download = async (force: boolean, meanwhile?: () => Promise<void>) => {
    const { terminal } = pipedTerminal();
    const target = await chooseTarget(path, { force, terminal });
    const bytes = (async function* () {
      yield Buffer.from('new');
      await meanwhile?.();
      yield Buffer.from(' photo');
    })();
    const file = { isPartial: false, contentType: null, contentRange: null, sizeBytes: null };
    await writeDownload({ ...file, bytes }, target, terminal);
  };

  test('leaves a file that appears while it comes, unless it may replace one', async () => {
    const appears = () => writeFile(path, 'mine');
    await assert.rejects(download(false, appears), { name: 'CommandError', message: /--force/ });
    assert.equal(await readFile(path, 'utf8'), 'mine');
    assert.deepEqual(await readdir(folder), ['photo']);
    await rm(path);
    await download(true, () => writeFile(path, 'mine', { mode: 0o600 }));
    assert.deepEqual([await readFile(path, 'utf8'), await modeOf(path)], ['new photo', 0o600]);
  });

  test('keeps the mode of the file that it replaces', async () => {
    for (const mode of [0o600, 0o644, 0o666]) {
      await writeFile(path, 'mine');
      await chmod(path, mode);
      await download(true);
      assert.deepEqual([await readFile(path, 'utf8'), await modeOf(path)], ['new photo', mode]);
    }
  });

  test('makes a new file as any program does', async () => {
    await download(false);
    await writeFile(join(folder, 'any'), '');
    assert.equal(await modeOf(path), await modeOf(join(folder, 'any')));
  });

  test('goes where a link leads, and the link stays', async () => {
    const real = join(folder, 'real');
    await writeFile(real, 'mine');
    await chmod(real, 0o600);
    await symlink('real', path);
    await download(true);
    assert.equal(await readlink(path), 'real');
    assert.deepEqual([await readFile(real, 'utf8'), await modeOf(real)], ['new photo', 0o600]);
  });

  test('takes the place of no link that leads to nothing', async () => {
    await symlink('nowhere', path);
    for (const force of [false, true])
      await assert.rejects(download(force), {
        message: `${path} is a link that leads to nothing.`,
      });
    assert.deepEqual(await readdir(folder), ['photo']);
    assert.equal(await readlink(path), 'nowhere');
  });
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
