import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkSearch, findEntity, findKind, searchSchemaOf } from '@patchbay/connectors/engine';
import { blocksIn, examplesIn } from './support/document-blocks.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Names that the snippets take as given. */
const GIVEN = `declare global {
  const token: string;
  function use(...values: unknown[]): void;
}
export {};
`;

test('every TypeScript snippet of the documents compiles', async () => {
  const snippets = await findSnippets();
  assert.ok(snippets.size >= 2, 'the documents have snippets');
  const parent = join(ROOT, 'node_modules', '.docs-snippets');
  await mkdir(parent, { recursive: true });
  // Below node_modules of the repository, so that the packages are found as a reader finds them.
  const folder = await mkdtemp(join(parent, 'run-'));
  try {
    await writeFile(join(folder, 'given.d.ts'), GIVEN);
    for (const [name, code] of snippets) await writeFile(join(folder, name), code);
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { noUnusedLocals: false, allowImportingTsExtensions: true },
      include: ['*.ts'],
      exclude: [],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    const told = await promisify(execFile)(tsc, ['--noEmit', '-p', folder]).then(
      () => '',
      (error: { readonly stdout: string }) => error.stdout,
    );
    assert.equal(told, '');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the queries of the documents are ones that the service takes', async () => {
  const [inReadme] = await blocksOf('README.md', 'json');
  check('chat-workspace', 'users', { query: JSON.parse(inReadme ?? '') as unknown });
  const [, filter] = await blocksOf('docs/search.md', 'json');
  const query = { filter: JSON.parse(filter ?? '') as unknown };
  check('customer-messaging', 'conversations', { query });
  const [post = ''] = await blocksOf('docs/search.md', 'sh');
  const { entity, params } = JSON.parse(/'([^']*)'/.exec(post)?.[1] ?? '') as Posted;
  check('chat-workspace', entity, params);
});

interface Posted {
  readonly entity: string;
  readonly params: unknown;
}

function check(kindName: string, entityName: string, params: unknown): void {
  const schema = searchSchemaOf(findEntity(findKind(kindName), entityName));
  if (schema === undefined) assert.fail(`${entityName} cannot be searched`);
  checkSearch(schema, params);
}

/** The blocks of a document in one language, in its order. */
async function blocksOf(path: string, language: string): Promise<readonly string[]> {
  const blocks = blocksIn(await readFile(join(ROOT, path), 'utf8'));
  return blocks.flatMap((block) => (block.language === language ? [block.code] : []));
}

/** The snippets by a file name that tells where they are from. */
async function findSnippets(): Promise<ReadonlyMap<string, string>> {
  const snippets = new Map<string, string>();
  for (const pattern of ['*.md', 'docs/**/*.md', 'packages/*/README.md'])
    for await (const path of glob(pattern, { cwd: ROOT })) {
      const examples = examplesIn(blocksIn(await readFile(join(ROOT, path), 'utf8')));
      for (const [index, { code }] of examples
        .filter(({ language }) => language === 'ts')
        .entries())
        snippets.set(`${path.replaceAll('/', '-')}-${index + 1}.ts`, `${code}\nexport {};\n`);
    }
  return snippets;
}
