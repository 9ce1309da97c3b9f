import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { installedCommand } from './command-name.ts';

describe('an installed command is typed in any folder as', () => {
  for (const [how, script, typed] of [
    ['installed for all projects', '/usr/local/bin/patchbay', 'patchbay'],
    ['run by npx', '/srv/shop/node_modules/.bin/patchbay', '/srv/shop/node_modules/.bin/patchbay'],
    ['not on the path', '/opt/tools/patchbay', '/opt/tools/patchbay'],
    ['run as a file', '/opt/my app/dist/main.js', "node '/opt/my app/dist/main.js'"],
    ['run in no known way', undefined, 'patchbay'],
  ] as const)
    test(`${typed}, where it is ${how}`, () => {
      // npx puts the folder of the project's commands first.
      const path = '/srv/shop/node_modules/.bin:/usr/local/bin:/usr/bin';
      assert.equal(installedCommand({ script, path }), typed);
    });
});
