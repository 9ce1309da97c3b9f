import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Says at the end of the process which packages of ours its modules were of. */
const WATCH = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load: (url, context, next) => {
      packages.add(/\\/packages\\/([^/]+)\\//.exec(url)?.[1]);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write(JSON.stringify([...packages])));
`;

test('a command loads the service, its database and the sandbox only where it needs them', async () => {
  const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`;
  const options = ['--conditions=patchbay-source', '--import', watch];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...options, MAIN, 'search', '--help'],
    { env: { ...process.env, NODE_COMPILE_CACHE: undefined } },
  );
  assert.match(stdout, /^Usage: patchbay search/);
  const loaded = JSON.parse(stderr) as readonly string[];
  assert.ok(loaded.includes('cli'), stderr);
  for (const each of ['server', 'store', 'sandbox', 'tools'])
    assert.ok(!loaded.includes(each), `${each} is loaded: ${stderr}`);
});
