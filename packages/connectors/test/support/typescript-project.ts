import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The compiler of the repository. */
export const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** A project outside the repository whose only dependencies are packages of it, as sources. */
export interface TypeScriptProject extends AsyncDisposable {
  readonly folder: string;
}

/** @param packages Folders below `packages/`. */
export async function makeTypeScriptProject(
  packages: readonly string[],
): Promise<TypeScriptProject> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-types-'));
  for (const name of packages) {
    const link = join(folder, 'node_modules/@patchbay', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'packages', name), link);
  }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'esnext.iterator'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    customConditions: ['patchbay-source'],
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/**
 * Checks a program, and counts what the compiler instantiated for that, which depends on nothing but the
 * program, the compiler and its options.
 *
 * @throws Error with what the compiler says, where the program does not compile.
 */
export async function countInstantiations(folder: string, program: string): Promise<number> {
  await writeFile(join(folder, 'program.ts'), program);
  // One checker: several check what they have in common more than once.
  const flags = ['--singleThreaded', '--extendedDiagnostics'];
  const child = spawn(process.execPath, [TSC, '-p', folder, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [told] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(told);
  return Number(/^Instantiations: +(\d+)/m.exec(told)?.[1]);
}
