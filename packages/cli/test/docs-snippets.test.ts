import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Names that the snippets take as given. */
const GIVEN = `declare global {
  const token: string;
  function use(value: unknown): void;
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

/** The snippets by a file name that tells where they are from. */
async function findSnippets(): Promise<ReadonlyMap<string, string>> {
  const snippets = new Map<string, string>();
  for (const pattern of ['*.md', 'docs/**/*.md', 'packages/*/README.md'])
    for await (const path of glob(pattern, { cwd: ROOT })) {
      const text = await readFile(join(ROOT, path), 'utf8');
      [...text.matchAll(/^```ts\n(.*?)^```$/gms)].forEach((match, index) =>
        snippets.set(
          `${path.replaceAll('/', '-')}-${index + 1}.ts`,
          `${match[1] ?? ''}\nexport {};\n`,
        ),
      );
    }
  return snippets;
}
