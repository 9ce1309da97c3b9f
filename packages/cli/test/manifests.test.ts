import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OLDEST_NODE } from '../src/runtime.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

type Conditions = Readonly<Record<string, unknown>>;

/** A `package.json`, as far as it is looked at here. */
interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly exports: Readonly<Record<string, string | Conditions>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

const root = readManifest('.');
const packages = readdirSync(join(ROOT, 'packages')).map((folder) => ({
  folder: `packages/${folder}`,
  manifest: readManifest(`packages/${folder}`),
}));

test('the lock file says of every package what its bytes are', () => {
  // Proof: npm wrote it.
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { link?: true; integrity?: string }>>;
  };
  const open = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true);
  assert.deepEqual(open, []);
});

describe('the manifests of what is published', () => {
  for (const { folder, manifest } of packages) {
    test(`${manifest.name} says what a registry shows of it`, () => {
      const { name, description, keywords, license, type, homepage, bugs, repository } = manifest;
      assert.equal(name, folder.replace('packages', '@patchbay'));
      assert.match(String(description), /^[A-Z].+\.$/);
      assert.ok(Array.isArray(keywords) && keywords.includes('patchbay'));
      assert.deepEqual([license, type], ['Apache-2.0', 'module']);
      const { url, ...place } = repository as Readonly<Record<string, string>>;
      assert.deepEqual(place, { type: 'git', directory: folder });
      const site = /^git\+(https:.+)\.git$/.exec(url ?? '')?.[1];
      assert.equal(homepage, `${site}/tree/main/${folder}#readme`);
      assert.equal(bugs, `${site}/issues`);
    });

    test(`${manifest.name} says how it is published, and on what it runs`, () => {
      const { engines, files, publishConfig, sideEffects } = manifest;
      assert.deepEqual(publishConfig, { access: 'public', provenance: true });
      assert.deepEqual(engines, { node: `>=${OLDEST_NODE}` });
      assert.equal(manifest['private'], undefined);
      assert.ok(Array.isArray(files) && files[0] === 'dist');
      assert.ok(sideEffects === false || Array.isArray(sideEffects));
    });

    test(`${manifest.name} leads to its types before anything else`, () => {
      for (const target of Object.values(manifest.exports)) {
        // A file, or what only tests of the repository import.
        if (typeof target === 'string' || typeof target['default'] !== 'string') continue;
        const source = target['patchbay-source'];
        const types = target['default'].replace(/\.js$/, '.d.ts');
        assert.deepEqual(Object.entries(target), [
          // In the repository, and there alone, the sources: nothing is built.
          ['types', { 'patchbay-source': source, default: types }],
          ['patchbay-source', source],
          ['default', target['default']],
        ]);
      }
    });
  }

  test('all have the same version, of each other too, and in the lock file', () => {
    const version = root.version ?? '';
    assert.match(version, /^\d+\.\d+\.\d+/);
    const bench = { folder: 'bench', manifest: readManifest('bench') };
    const lock = readJson('package-lock.json') as {
      readonly version: string;
      readonly packages: Readonly<Record<string, Manifest>>;
    };
    assert.equal(lock.version, version);
    for (const { folder, manifest } of [...packages, bench]) {
      const locked = lock.packages[folder];
      if (folder !== 'bench') assert.equal(manifest.version, version, folder);
      assert.equal(locked?.version, manifest.version, folder);
      for (const kind of ['dependencies', 'devDependencies'] as const) {
        for (const [name, wanted] of Object.entries(manifest[kind] ?? {}))
          assert.equal(wanted, name.startsWith('@patchbay/') ? version : wanted, folder);
        assert.deepEqual(locked?.[kind], manifest[kind], folder);
      }
    }
  });

  test('the version that is reported is that of the packages', () => {
    for (const path of [
      'packages/cli/src/program.ts',
      'packages/server/src/service/basis.ts',
      'packages/tools/src/mcp/server.ts',
    ])
      assert.ok(read(path).includes(`'${root.version}'`), path);
  });

  test('all versions of others are exact', () => {
    for (const { folder, manifest } of packages)
      for (const [name, wanted] of Object.entries(manifest.dependencies ?? {}))
        assert.match(wanted, /^\d+\.\d+\.\d+(?:-[0-9a-z.]+)?$/, `${folder}: ${name}`);
  });
});

test('the image has the Node.js that npm ci brings', () => {
  const versions = new Set(
    Object.entries(root.optionalDependencies ?? {}).flatMap(([name, version]) =>
      name.startsWith('node-') ? [version] : [],
    ),
  );
  const bases = [...read('Dockerfile').matchAll(/^FROM node:([\d.]+)-slim\b/gm)];
  assert.ok(bases.length > 0);
  assert.deepEqual(new Set(bases.map(([, version]) => version)), versions);
});

function readManifest(folder: string): Manifest {
  return readJson(join(folder, 'package.json')) as Manifest;
}

function readJson(path: string): unknown {
  return JSON.parse(read(path)) as unknown;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
