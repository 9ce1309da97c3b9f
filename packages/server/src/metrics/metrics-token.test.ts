import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bringsToken, loadMetricsToken } from './metrics-token.ts';

const TOKEN = 't'.repeat(40);

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-metrics-'));
});
after(() => rm(folder, { recursive: true }));

test('a token is in a file of its own, of which a warning says that others may read it', async () => {
  const path = join(folder, 'token');
  await writeFile(path, `${TOKEN}\n`, { mode: 0o600 });
  const warnings: string[] = [];
  const load = () => loadMetricsToken({ from: 'file', path }, (problem) => warnings.push(problem));
  assert.equal(await load(), TOKEN);
  assert.deepEqual(warnings, []);
  await chmod(path, 0o644);
  assert.equal(await load(), TOKEN);
  assert.equal(warnings.length, 1);
});

test('a file that is missing, or holds none, is refused by name, and not quoted', async () => {
  const path = join(folder, 'short');
  const load = () => loadMetricsToken({ from: 'file', path });
  await assert.rejects(load, { code: 'metrics_token_unusable', message: /short.*is missing/ });
  await writeFile(path, 'planted', { mode: 0o600 });
  await assert.rejects(load, { code: 'metrics_token_unusable', message: /^(?!.*planted).*short/ });
});

test('a header brings the token whole, or not', () => {
  assert.ok(bringsToken(`Bearer ${TOKEN}`, TOKEN));
  for (const wrong of [undefined, '', TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`])
    assert.ok(!bringsToken(wrong, TOKEN), wrong);
});
