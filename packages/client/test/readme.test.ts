import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startHosted } from './support/start-hosted.ts';

const EXAMPLE = join(import.meta.dirname, 'support/readme-example.ts');

test('the first example of the README is the one that is run here', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  const block = /```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  const [, example] = (await readFile(EXAMPLE, 'utf8')).split(/(?<=^\/\* oxlint.*\n)/);
  assert.equal(block, example);
});

test('it runs as it stands, with the environment variables that it names', async () => {
  await using hosted = await startHosted('all');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=patchbay-source', EXAMPLE],
    {
      env: {
        ...process.env,
        PATCHBAY_BASE_URL: hosted.service.url,
        PATCHBAY_CLIENT_ID: hosted.credentials.clientId,
        PATCHBAY_CLIENT_SECRET: hosted.credentials.clientSecret,
        PATCHBAY_EXTERNAL_USER_ID: 'reader-of-the-readme',
      },
    },
  );
  assert.match(stdout, /^\w+ Underbough$/m);
  const posted = hosted.sandbox.requests().filter(({ method }) => method === 'chat.postMessage');
  assert.equal(posted.length, 1);
});
