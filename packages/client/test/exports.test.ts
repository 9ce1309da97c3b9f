import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import * as client from '../src/index.ts';

const SOURCES = join(import.meta.dirname, '../src');
const CONNECTORS = join(import.meta.dirname, '../../connectors/src');

test('the package promises these names and no others', () => {
  assert.deepEqual(Object.keys(client).toSorted(), [
    'ConnectorError',
    'ERRORS',
    'Patchbay',
    'isConnectorError',
    'newIdempotencyKey',
    'placesFoundBy',
    'readAllowedOrigin',
    'readAllowedReturnUrl',
  ]);
});

test('it imports nothing but the definitions and the wire, and no part of them anything of Node', async () => {
  const names = (await readdir(SOURCES)).filter((name) => !/\.test(-d)?\.ts$/.test(name));
  const loaded = new Set<string>();
  const outside = new Set<string>();
  for (const name of names) await follow(join(SOURCES, name), loaded, outside);
  const parts = {
    '@patchbay/connectors/definitions': 'definitions.ts',
    '@patchbay/connectors/wire': 'wire/index.ts',
  };
  assert.deepEqual([...outside].toSorted(), Object.keys(parts));
  for (const [name, file] of Object.entries(parts)) {
    await follow(join(CONNECTORS, file), loaded, outside);
    outside.delete(name);
  }
  assert.ok(loaded.size > 30, 'imports were followed');
  for (const specifier of outside) assert.match(specifier, /^typebox(\/|$)/);
});

test('it touches none of the globals that browsers lack', async () => {
  const names = (await readdir(SOURCES)).filter((name) => !/\.test(-d)?\.ts$/.test(name));
  for (const name of names)
    assert.doesNotMatch(
      await readFile(join(SOURCES, name), 'utf8'),
      /\b(?:process|Buffer|global|require|setImmediate|__dirname)\b[.(]|^\s*(?:await )?using /m,
      name,
    );
});

/** Follows the imports of a module that are left when types are gone. */
async function follow(file: string, loaded: Set<string>, outside: Set<string>): Promise<void> {
  if (loaded.has(file)) return;
  loaded.add(file);
  const source = await readFile(file, 'utf8');
  for (const [, names = '', specifier = ''] of source.matchAll(
    /^(?:import|export)\s(?!type\b)([^'";]*?)from\s+'([^']+)'/gm,
  )) {
    if (names !== '' && /^\{(?:\s*type [^,}]+,?)*\s*\}\s*$/.test(names)) continue;
    if (specifier.startsWith('.')) await follow(join(dirname(file), specifier), loaded, outside);
    else outside.add(specifier);
  }
  for (const [, specifier = ''] of source.matchAll(/\bimport\('([^']+)'\)/g))
    await follow(join(dirname(file), specifier), loaded, outside);
  assert.doesNotMatch(source, /^import '|\bimport\((?!'\.)/m, file);
}
