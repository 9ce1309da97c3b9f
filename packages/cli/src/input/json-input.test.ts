import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readJsonInput } from './json-input.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-json-'));
after(() => rm(folder, { recursive: true }));

async function fileOf(bytes: string | Uint8Array): Promise<string> {
  const path = join(folder, 'input.json');
  await writeFile(path, bytes);
  return path;
}

describe('a JSON file', () => {
  test('may begin with a byte order mark, and end its lines as Windows does', async () => {
    const path = await fileOf('\uFEFF{"api_token":\r\n"ü"}\r\n');
    assert.deepEqual(await readJsonInput(path), { api_token: 'ü' });
  });

  for (const [encoding, bytes] of [
    ['UTF-16', Buffer.from('\uFEFF{"api_token":"planted"}', 'utf16le')],
    ['Latin-1', Buffer.from('{"api_token":"plantéd"}', 'latin1')],
  ] as const)
    test(`is not read as another text than it is: ${encoding}`, async () => {
      const path = await fileOf(bytes);
      await assert.rejects(readJsonInput(path), {
        name: 'CommandError',
        message: `${path} is not UTF-8: save it in that encoding.`,
      });
    });

  test('that is empty is said to be', async () => {
    const path = await fileOf('\n');
    await assert.rejects(readJsonInput(path), {
      message: `${path} is empty, where a JSON object is wanted.`,
    });
  });
});
