import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Call } from '../../service/execute.ts';
import { snippetsOf } from './snippets.ts';

const run = promisify(execFile);
const NASTY = `it's "$HOME" \\ \`id\` $(id)\n€`;
const CALL: Call = {
  connectorId: '01a2028e-7446-79d8-bd2c-204277a15b34',
  entity: 'messages',
  action: 'create',
  params: { channel: 'C1', text: NASTY },
};
const PLACE = {
  baseUrl: 'http://127.0.0.1:8080',
  kind: 'chat-workspace',
  externalUserId: `o'brien`,
  writes: true,
};

/** What a shell makes of the words of a command, which itself is replaced; first what it reads, where it does. */
async function wordsOf(command: string, text: string, reads = ''): Promise<readonly string[]> {
  const script = `${command}() { ${reads} for each in "$@"; do printf '%s\\0' "$each"; done; }
uuidgen() { echo key; }
${text}`;
  const { stdout } = await run('/bin/sh', ['-c', script], {
    env: { PATH: process.env['PATH'], PATCHBAY_TOKEN: 'given' },
    timeout: 20_000,
  });
  return stdout.split('\0').slice(0, -1);
}

function textOf(name: string): string {
  const found = snippetsOf(CALL, PLACE).find((each) => each.name === name);
  assert.ok(found);
  return found.text;
}

describe('a call made elsewhere', () => {
  test('curl sends the same body, whatever is in it, and a key with a write', async () => {
    const words = await wordsOf('curl', textOf('curl'));
    assert.ok(words.includes('Authorization: Bearer given'));
    assert.ok(words.includes('Idempotency-Key: key'));
    assert.deepEqual(JSON.parse(words[words.indexOf('-d') + 1] ?? ''), {
      entity: 'messages',
      action: 'create',
      params: CALL.params,
    });
    const [read] = snippetsOf(CALL, { ...PLACE, writes: false });
    assert.doesNotMatch(read?.text ?? '', /Idempotency-Key/);
  });

  test('the command line is given the params on standard input', async () => {
    const words = await wordsOf('patchbay', textOf('CLI'), `cat; printf '\\0';`);
    assert.deepEqual(JSON.parse(words[0] ?? ''), CALL.params);
    assert.deepEqual(words.slice(1, 4), ['execute', 'messages', 'create']);
    assert.equal(words[words.indexOf('--external-user') + 1], `o'brien`);
    assert.deepEqual(words.slice(-2), ['--params', '-']);
  });

  test('TypeScript has the params as they are, and no argument where there are none', () => {
    const text = textOf('TypeScript');
    const argument = /messages\.create\(([^]*)\);\n$/.exec(text)?.[1] ?? '';
    assert.deepEqual(JSON.parse(argument), CALL.params);
    const [, bare] = snippetsOf({ ...CALL, params: {} }, PLACE);
    assert.match(bare?.text ?? '', /messages\.create\(\);\n$/);
  });
});
