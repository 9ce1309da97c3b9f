import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { blocksIn } from './support/document-blocks.ts';
import { CLI_SCRIPT, runShell, temporaryFolder } from './support/run-cli.ts';
import { startCliService, type CliService } from './support/start-service.ts';

const DOCUMENT = new URL('../../../docs/cli.md', import.meta.url);

/** Gives a member of each JSON value that it reads, as `jq -r .a[0].b` does: not every machine has jq. */
const JQ = `#!${process.execPath}
const path = process.argv.at(-1).split(/[.[\\]]+/).filter((name) => name !== '');
const lines = require('node:fs').readFileSync(0, 'utf8').trimEnd().split('\\n');
for (const line of lines) console.log(path.reduce((value, name) => value[name], JSON.parse(line)));
`;

describe('the commands of docs/cli.md', async () => {
  let cli: CliService;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    cli = await startCliService('all');
    folder = await temporaryFolder();
    for (const [name, text] of Object.entries({ patchbay: CLI_SCRIPT, jq: JQ }))
      await writeFile(join(folder.path, name), text, { mode: 0o755 });
  });
  after(async () => {
    await cli[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const document = await readFile(DOCUMENT, 'utf8');
  const blocks = blocksIn(document).filter(({ language }) => language === 'sh');
  const home = () => ({ XDG_CONFIG_HOME: join(folder.path, 'config') });

  for (const [index, { code: block }] of blocks.entries())
    test(`run as they are: ${block.split('\n')[0]}`, async () => {
      // The first one logs in, with all that would be asked for in its environment; it is enough
      // for the others.
      const settings = index === 0 ? { ...cli.settings(), ...home() } : home();
      const path = `PATH='${folder.path}':$PATH; cd '${folder.path}'`;
      const { code, out, err } = await runShell(`set -eo pipefail; ${path}\n${block}`, settings);
      assert.equal(code, 0, out + err);
    });
});
