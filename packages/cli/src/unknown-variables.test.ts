import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { KIND_VARIABLES, knownVariables, VARIABLES } from './known-variables.ts';
import { unknownVariables } from './unknown-variables.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('a variable that is no setting', () => {
  for (const [name, meant] of [
    ['PATCHBAY_LOGLEVEL', 'PATCHBAY_LOG_LEVEL'],
    ['PATCHBAY_DATE', 'PATCHBAY_DATA'],
    ['PATCHBAY_PORT', 'PORT'],
    ['PATCHBAY_DATABASE_URL', 'DATABASE_URL'],
    ['PATCHBAY_UPSTREAM_URI_CHAT_WORKSPACE', 'PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE'],
    ['PATCHBAY_OAUTH_CHAT_WORKSPACE_CLIENTID', 'PATCHBAY_OAUTH_CHAT_WORKSPACE_CLIENT_ID'],
  ] as const)
    test(`${name} is told with ${meant}`, () => {
      const told = unknownVariables({ [name]: 'a secret' });
      assert.deepEqual(told, [`${name} is no setting; did you mean ${meant}?`]);
    });

  test('is told without another one, where none is near', () => {
    assert.deepEqual(unknownVariables({ PATCHBAY_FOO: '1' }), [
      'PATCHBAY_FOO is no setting; docs/configuration.md lists what there is.',
    ]);
  });

  test('is told with all others at once, in alphabetical order', () => {
    const told = unknownVariables({ PATCHBAY_ZZZ: '1', PATCHBAY_AAA: '1', PATCHBAY_DATA: 'x' });
    assert.deepEqual(
      told.map((each) => each.split(' ')[0]),
      ['PATCHBAY_AAA', 'PATCHBAY_ZZZ'],
    );
  });

  test('is passed over where it is empty, of a kind, or of an orchestrator', () => {
    const told = unknownVariables({
      OTHERS_FOO: '1',
      PATCHBAY_FOO: '',
      // The service refuses it.
      PATCHBAY_UPSTREAM_URL_SLUCK: 'http://127.0.0.1:9',
      PATCHBAY_PORT: 'tcp://10.0.0.1:8080',
      PATCHBAY_SERVICE_HOST: '10.0.0.1',
      PATCHBAY_API_SERVICE_PORT_HTTP: '8080',
      PATCHBAY_API_PORT_8080_TCP_ADDR: '10.0.0.1',
    });
    assert.deepEqual(told, []);
  });
});

describe('the list of variables', () => {
  test('has every one that a source names, and no other', async () => {
    const named = new Set<string>();
    for await (const path of glob('packages/*/src/**/*.ts', { cwd: ROOT })) {
      if (/\.test\.ts$|known-variables\.ts$/.test(path)) continue;
      const source = await readFile(join(ROOT, path), 'utf8');
      for (const [, name = ''] of source.matchAll(/['"`](PATCHBAY_[A-Z0-9_]+)['"`]/g))
        named.add(name);
    }
    const prefixes: readonly string[] = KIND_VARIABLES.map(({ before }) => before);
    const ours = [...named].filter((name) => !prefixes.includes(name) && name !== 'PATCHBAY_');
    const known = VARIABLES.filter((name) => name.startsWith('PATCHBAY_'));
    assert.deepEqual(ours.filter((name) => !knownVariables().includes(name)).toSorted(), []);
    assert.deepEqual(
      known.filter((name) => !named.has(name)),
      [],
    );
  });

  test('is what the tables of docs/configuration.md and of docs/cli.md explain', async () => {
    const explained = [
      ...(await explainedIn('docs/configuration.md')),
      ...(await explainedIn('docs/cli.md')),
    ];
    const known = knownVariables();
    assert.deepEqual(explained.filter((name) => !isKnown(name, known)).toSorted(), []);
    assert.deepEqual(
      VARIABLES.filter((name) => !explained.includes(name)),
      [],
    );
    for (const { before, after } of KIND_VARIABLES)
      assert.ok(
        explained.some((name) => name.startsWith(before) && name.endsWith(after)),
        `${before}<KIND>${after}`,
      );
  });
});

/** The variables of the first columns of a document's tables, `…_SECRET` written out. */
async function explainedIn(path: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, path), 'utf8');
  return [...text.matchAll(/^\| (`[^|]*`) +\|/gm)].flatMap(([, cell = '']) => {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const [first = ''] = names;
    const stem = first.replace(/_(?:CLIENT_ID|SCOPES|KEY)$/, '');
    return names
      .map((name) => name.replace('…', name === '…_KEY_FILE' ? first.replace(/_KEY$/, '') : stem))
      .filter((name) => /^(?:PATCHBAY_|DATABASE_URL$|HOST$|PORT$)/.test(name));
  });
}

function isKnown(name: string, known: readonly string[]): boolean {
  return known.some((each) => name === each || matchesKind(name, each));
}

function matchesKind(name: string, known: string): boolean {
  const [before = '', after] = name.split('<KIND>');
  return after !== undefined && known.startsWith(before) && known.endsWith(after);
}
