import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

/** It gives a command a terminal; that of util-linux takes the command behind `-c`. */
const SCRIPT = '/usr/bin/script';
const NO_TERMINAL =
  process.platform === 'linux' && existsSync(SCRIPT)
    ? false
    : `${SCRIPT} of util-linux is missing: it gives this test a terminal`;

const BUILDER = new URL('../build/static-page.ts', import.meta.url).href;

describe('a build before a terminal', { skip: NO_TERMINAL }, () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'patchbay-page-'));
    await mkdir(join(root, 'packages/connect/build'), { recursive: true });
    await mkdir(join(root, 'packages/page/build'), { recursive: true });
    await mkdir(join(root, 'packages/page/src'));
    await writeFile(join(root, 'package-lock.json'), '{}');
    await writeFile(join(root, 'packages/page/tsconfig.json'), '{}');
    await writeFile(
      join(root, 'packages/page/index.html'),
      '<!doctype html><script type="module" src="/src/main.js"></script>',
    );
    await writeFile(join(root, 'packages/page/build/main.mjs'), builder(root));
  });
  after(() => rm(root, { recursive: true }));

  const buildOf = async (source: string) => {
    await writeFile(join(root, 'packages/page/src/main.js'), source);
    const command = 'exec node build/main.mjs --if-stale';
    const { stdout } = await promisify(execFile)(SCRIPT, ['-qec', command, '/dev/null'], {
      cwd: join(root, 'packages/page'),
      env: {
        ...process.env,
        CI: '',
        PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`,
      },
    });
    return stdout;
  };

  test('says that it builds, and nothing that it erases again', async () => {
    // A mark for servers that render, as many packages have it.
    const said = await buildOf('"use client"; document.title = "A page";');
    assert.match(said, /^Building the page … done in \d+\.\d s\r\n$/);
  });

  test('warns', async () => {
    const said = await buildOf('document.title = eval("1 + 1");');
    assert.match(said, /eval/);
    // oxlint-disable-next-line no-control-regex -- how terminals are told to erase
    assert.doesNotMatch(said, /\x1b\[2K/);
  });

  test('says what is wrong', async () => {
    const said = await buildOf('import "./nowhere.js";');
    assert.match(said, /Warning: the page was not built: [^]*nowhere\.js/);
  });
});

function builder(root: string): string {
  const page = {
    name: 'the page',
    folder: join(root, 'packages/page'),
    base: '/page/',
    jsxImportSource: 'react',
  };
  return `import { runBuild } from ${JSON.stringify(BUILDER)};\nawait runBuild(${JSON.stringify(page)});\n`;
}
