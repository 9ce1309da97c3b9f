import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { actionNamesOf, allKinds } from '@patchbay/connectors/definitions';
import { callCli } from './support/call-cli.ts';
import { CLI_SCRIPT, runShell, temporaryFolder } from './support/run-cli.ts';

/** The words that may come next, after `patchbay` and those given. */
async function wordsAfter(...words: readonly string[]): Promise<readonly string[]> {
  const { code, out } = await callCli(['__complete', '--', ...words]);
  assert.equal(code, 0);
  return out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
}

describe('completion', () => {
  for (const [typed, wanted] of [
    [['sta'], ['start', 'status']],
    [['who'], ['whoami']],
    [['execute', '--fo'], ['--force']],
    [['execute', '--output', ''], [':file']],
    [['connector', 're'], ['resume']],
    [['app', 'secrets', 'l'], ['list']],
    [
      ['app', 'update', '--no-'],
      ['--no-origins', '--no-return-urls'],
    ],
    [['app', 'show', ''], []],
    [['execute', '--js'], ['--json']],
    [['search', '--fa'], ['--facets']],
    [['search', '--allow'], ['--allow-partial']],
    [['execute', '--kind', 'sl'], ['slack']],
    [['execute', '--kind', 'slack', 'thr'], ['threads']],
    [
      ['execute', '--kind', 'slack', 'messages', ''],
      ['create', 'update'],
    ],
    [
      ['execute', '--kind', 'slack', 'users', ''],
      ['list', 'get', 'search'],
    ],
    [['describe', '--kind', 'slack', 'users', 'se'], ['search']],
    [['execute', 'users', 'list', 'no-more', ''], []],
    [
      ['token', '--access', ''],
      ['read', 'write'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['connector', 'create', 'zendesk-s'], ['zendesk-support']],
    [['execute', '--params', ''], [':file']],
    [['connector', 'update', '--credentials', ''], [':file']],
    [['connector', 'update', '--credentials', '--kind', 'zendesk-s'], ['zendesk-support']],
    [['execute', '--param', ''], []],
    [['restore', ''], [':file']],
    [['nonsense', 'x'], []],
  ] as const)
    test(`of ${typed.join(' ')}… is ${wanted.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await wordsAfter(...typed), wanted);
    });

  test('knows every kind, entity and action of the definitions', async () => {
    for (const kind of allKinds()) {
      const entities = Object.values(kind.entities);
      assert.deepEqual(
        (await wordsAfter('execute', '--kind', kind.kind, '')).toSorted(),
        entities.map(({ name }) => name).toSorted(),
      );
      for (const entity of entities)
        assert.deepEqual(
          await wordsAfter('execute', '--kind', kind.kind, entity.name, ''),
          actionNamesOf(entity),
        );
    }
  });

  test('in bash completes words and files', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'patchbay'), CLI_SCRIPT, { mode: 0o755 });
    await writeFile(join(folder.path, 'params.json'), '{}');
    const { out, err } = await runShell(`
      PATH='${folder.path}':$PATH; cd '${folder.path}'
      eval "$(patchbay completion bash)"
      complete_line() {
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _patchbay
        echo "\${COMPREPLY[*]}"
      }
      complete_line patchbay execute --kind slack mess
      complete_line patchbay execute users list --params par
      complete_line patchbay connector pau
    `);
    assert.deepEqual([out, err], ['messages\nparams.json\npause\n', '']);
  });

  test('scripts for all shells ask the command itself', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      assert.match((await callCli(['completion', shell])).out, /__complete -- /);
    assert.equal((await callCli(['completion', 'csh'])).code, 2);
  });
});
