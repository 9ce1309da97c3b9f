import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runToEnd } from './support/run.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const REPORTER = fileURLToPath(new URL('./test-report.ts', import.meta.url));

/** What a person sees of a run of these tests, and its exit code. */
async function report(
  tests: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-report-'));
  try {
    await writeFile(
      join(folder, 'some.test.mjs'),
      `import { describe, test } from 'node:test';\n${tests}`,
    );
    const env = { ...process.env, ...variables };
    // It would make the run a part of this one.
    delete env['NODE_TEST_CONTEXT'];
    if (!('TEST_FILES_LEFT_OUT' in variables)) delete env['TEST_FILES_LEFT_OUT'];
    const args = ['--conditions=patchbay-source', '--test', `--test-reporter=${REPORTER}`];
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder, env }, (error, out) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out }),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('what was skipped is told after the sums, by reason, suites and tests apart', async () => {
  const { code, out } = await report(`
    const skip = 'no browser here';
    describe('a page', { skip }, () => {});
    describe('another page', { skip }, () => {});
    test('a picture', { skip }, () => {});
    test('no server', (t) => t.skip('no server here'));
    test('whatever', { skip: true }, () => {});
    test('fine', () => {});
  `);
  assert.equal(code, 0, out);
  assert.match(out, /^ℹ pass 1$/m);
  assert.equal(
    out.slice(out.indexOf('\nNot all')),
    `
Not all was tested:
- skipped 2 suites and 1 test: no browser here
- skipped 1 test: no server here
- skipped 1 test: no reason given
`,
  );
});

test('where nothing was skipped it says so; a failure stays one', async () => {
  const { code, out } = await report(`test('wrong', () => { throw new Error('as it is'); });`);
  assert.equal(code, 1, out);
  assert.match(out, /as it is/);
  assert.match(out, /^ℹ fail 1$/m);
  assert.ok(out.endsWith('\nNothing was skipped or shortened.\n'), out);
});

test('files that were left out are told of', async () => {
  const { out } = await report(`test('fine', () => {});`, { TEST_FILES_LEFT_OUT: '3' });
  assert.ok(
    out.endsWith(
      '\nNot all was tested:\n- left out 3 files that take long, those of .ci/long-tests (npm run test:long runs all)\n',
    ),
    out,
  );
});

for (const list of ['long-tests', 'alone'])
  test(`what .ci/${list} names is there`, async () => {
    const files = (await readFile(`${ROOT}.ci/${list}`, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(
      files.filter((file) => !existsSync(ROOT + file)),
      [],
    );
    assert.deepEqual(files, files.toSorted());
  });

test('every test file is run by npm run test:long, or is a step of its own in CI', async () => {
  const script = await readFile(`${ROOT}.ci/test`, 'utf8');
  const [, patterns = ''] = /^ *files=\((.*)\)$/m.exec(script) ?? [];
  const list = `shopt -s globstar nullglob; printf '%s\\n' ${patterns}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', list], { cwd: ROOT });
  const run = stdout.trimEnd().split('\n');
  const steps = await readFile(`${ROOT}.ci/run`, 'utf8');
  const lost: string[] = [];
  for await (const file of glob(['**/*.test.ts', '.ci/**/*.test.ts'], {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist'],
  }))
    if (!run.includes(file) && !new RegExp(`^ *(step .*)?node .*--test ${file}$`, 'm').test(steps))
      lost.push(file);
  assert.deepEqual(lost, []);
  assert.ok(run.includes('packages/server/test/keys.test.ts'), stdout);
});

test('a list that names a file which is not there fails', async () => {
  for (const gone of ['packages/server/test/gone.test.ts', 'packages/gone/*.test.ts']) {
    const place = { cwd: ROOT, env: process.env };
    const { code, err } = await runToEnd('.ci/test', ['.ci/test-report.test.ts', gone], place);
    assert.deepEqual([code, err], [2, `There is no test file ${gone}.\n`]);
  }
});
