import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EXIT_CODES } from '../src/output/exit-codes.ts';
import { OLDEST_NODE, refusalOf } from '../src/runtime.ts';
import { commandEnvironment, temporaryFolder, type Finished } from './support/run-cli.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const CHECK = fileURLToPath(new URL('../../../scripts/check-node.cjs', import.meta.url));

test('an older Node.js, Bun and Deno are refused in one sentence with the remedy, before anything else', async () => {
  for (const [versions, says] of [
    [{ node: '20.20.2' }, /^patchbay: This is Node\.js 20\.20\.2, and 22\.19 .+Node\.js 24.+\n$/],
    [
      { node: '24.3.0', bun: '1.4.5' },
      /^patchbay: This is Bun 1\.4\.5, .+ install Node\.js 24.+\n$/,
    ],
    [
      { node: '26.3.0', deno: '2.9.6' },
      /^patchbay: This is Deno 2\.9\.6, .+ install Node\.js 24.+\n$/,
    ],
  ] as const) {
    const { code, out, err } = await runOn(versions, [MAIN, 'start']);
    assert.deepEqual([code, out], [EXIT_CODES.runtime.code, '']);
    assert.match(err, says);
  }
});

test('the check of npm start, before TypeScript is read, says the same', async () => {
  const [major, minor] = OLDEST_NODE.split('.').map(Number);
  for (const node of ['20.20.2', `${major}.${Number(minor) - 1}.0`]) {
    const { code, out, err } = await runOn({ node }, [
      '--require',
      CHECK,
      '--eval',
      'console.log(1)',
    ]);
    assert.deepEqual([code, out], [EXIT_CODES.runtime.code, '']);
    assert.match(err, new RegExp(`^patchbay: This is Node\\.js ${node}, .+npm ci.+\\n$`));
  }
  const fine = await runOn({ node: OLDEST_NODE }, ['--require', CHECK, '--eval', 'console.log(1)']);
  assert.deepEqual(fine, { code: 0, out: '1\n', err: '' });
});

test('the oldest Node.js promised runs the command, and the one before it does not', () => {
  for (const node of [OLDEST_NODE, '24.0.0']) assert.equal(refusalOf({ node }), undefined);
  for (const node of ['22.18.9', '9.0.0'])
    assert.match(refusalOf({ node }) ?? '', /22\.19 or later/);
});

/** Runs Node.js with these words, on what says that it has these versions. */
async function runOn(
  versions: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<Finished> {
  await using folder = await temporaryFolder();
  const disguise = join(folder.path, 'disguise.cjs');
  await writeFile(
    disguise,
    `const value = { ...process.versions, ...${JSON.stringify(versions)} };
    Object.defineProperty(process, 'versions', { value });`,
  );
  const args = ['--require', disguise, '--conditions=patchbay-source', ...words];
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env: commandEnvironment({}) }, (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}
