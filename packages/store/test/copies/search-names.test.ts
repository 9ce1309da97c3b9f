import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../src/copies/search/', import.meta.url));
const DECLARED = /^(?:export )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

test('a name means one thing in the whole folder of the search', () => {
  const files = globSync('**/*.ts', { cwd: FOLDER }).filter((file) => !file.includes('.test.'));
  const declared = files.flatMap((file) =>
    [...readFileSync(FOLDER + file, 'utf8').matchAll(DECLARED)].map(([, name]) => ({ name, file })),
  );
  assert.ok(declared.length > 100);
  const several = [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`);
  assert.deepEqual(several, []);
});
