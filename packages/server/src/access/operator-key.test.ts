import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@patchbay/connectors/engine';
import { loadOperatorKey, operatorKeyPath } from './load-operator-key.ts';
import { newOperatorKey, OperatorKey, parseOperatorKey } from './operator-key.ts';

test('a key never has the form of a token, and only the key itself is right', () => {
  const key = newOperatorKey();
  assert.equal(parseOperatorKey(`${key}\n`), key);
  const operator = new OperatorKey(key, systemClock);
  assert.deepEqual(operator.verify(key, 'here').access, { type: 'operator', isKey: true });
  for (const wrong of [newOperatorKey(), `${key}x`, key.slice(0, -1), key.toUpperCase()]) {
    assert.ok(operator.isLike(wrong));
    assert.throws(() => operator.verify(wrong, 'here'), { code: 'unauthenticated' });
  }
  for (const other of ['abc', `${key}.${key}.${key}`, `${key.slice(1)}!`, 'x'.repeat(1_025)])
    assert.ok(!operator.isLike(other));
  assert.throws(() => new OperatorKey('short', systemClock), RangeError);
});

test('a key file is made once, for the owner alone, and read from then on', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-'));
  context.after(() => rm(folder, { recursive: true }));
  const path = operatorKeyPath(join(folder, 'data'));
  const source = { from: 'file', path, mayCreate: true } as const;
  await assert.rejects(loadOperatorKey({ ...source, mayCreate: false }), {
    code: 'operator_key_unusable',
    message: /is missing/,
  });
  const keys = await Promise.all([loadOperatorKey(source), loadOperatorKey(source)]);
  assert.equal(keys[0], keys[1]);
  assert.equal(await readFile(path, 'utf8'), `${keys[0]}\n`);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await chmod(path, 0o644);
  await assert.rejects(loadOperatorKey(source), /chmod 600/);
  const problems: string[] = [];
  const named = { ...source, isNamedByOperator: true };
  assert.equal(await loadOperatorKey(named, (problem) => problems.push(problem)), keys[0]);
  assert.equal(problems.length, 1);
  await chmod(path, 0o600);
  await writeFile(path, 'too short\n');
  await assert.rejects(loadOperatorKey(source), {
    message: /holds no operator's key(?!.*too short)/,
  });
});
