/**
 * Gives all packages another version: in their manifests, where they depend on each other, in the lock
 * file, and in the sources that report it. `npm run set-version -- 0.3.0`
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';

const FORM = /^\d+\.\d+\.\d+(?:-[0-9a-z.]+)?$/;

const MANIFESTS = ['package.json', 'packages/*/package.json', 'bench/package.json'];

/** Where a version stands as a text; `packages/cli/test/manifests.test.ts` says if one is forgotten. */
const SOURCES = [
  'packages/cli/src/program.ts',
  'packages/cli/test/commands.test.ts',
  'packages/server/src/service/basis.ts',
  'packages/tools/src/mcp/server.ts',
];

const [version = ''] = process.argv.slice(2);
if (!FORM.test(version))
  throw new Error(`A version is like 1.2.3, got ${JSON.stringify(version)}.`);

for (const path of globSync(MANIFESTS))
  replaceIn(path, /("version"|"@patchbay\/\w+"): "\d[^"]*"/g, `$1: "${version}"`);
for (const path of SOURCES)
  replaceIn(path, /'\d+\.\d+\.\d+(?:-[0-9a-z.]+)?(?=['\\])/g, `'${version}`);
writeLock();

function replaceIn(path: string, pattern: RegExp, text: string): void {
  const before = readFileSync(path, 'utf8');
  if (before.search(pattern) === -1) throw new Error(`${path} has no version.`);
  writeFileSync(path, before.replaceAll(pattern, text));
}

/** A package of the lock file, as far as it is ours to change. */
interface Locked {
  version?: string;
  readonly [dependencies: string]: unknown;
}

/** By its structure, since others have the same versions as we do. */
function writeLock(): void {
  const path = 'package-lock.json';
  // npm wrote it.
  const lock = JSON.parse(readFileSync(path, 'utf8')) as {
    version: string;
    readonly packages: Readonly<Record<string, Locked>>;
  };
  lock.version = version;
  for (const [place, locked] of Object.entries(lock.packages)) {
    if (place.startsWith('node_modules/')) continue;
    if (locked.version !== undefined) locked.version = version;
    for (const kind of ['dependencies', 'devDependencies']) {
      const dependencies = (locked[kind] ?? {}) as Record<string, string>;
      for (const name of Object.keys(dependencies))
        if (name.startsWith('@patchbay/')) dependencies[name] = version;
    }
  }
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
}
