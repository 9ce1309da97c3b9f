import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SERVER } from '@patchbay/store/testing';
import { blocksIn } from './support/document-blocks.ts';
import { CLI_SCRIPT, runShell, temporaryFolder } from './support/run-cli.ts';

const DOCUMENT = new URL('../../../docs/operations.md', import.meta.url);

/** The one that begins with a server's database. */
const WITH_SERVER = 'Starting with a server database and two roles';

/** Headings whose commands go on where those of the one before ended. */
const WAYS = [
  [WITH_SERVER],
  ['Backup and restore', 'Keys and tokens', 'Moving to PostgreSQL'],
  ['Metrics'],
  ['Upgrading'],
];

describe('the commands of docs/operations.md', { skip: SERVER.skip }, async () => {
  const sections = (await readFile(DOCUMENT, 'utf8')).split(/^## /m);
  const commandsOf = (heading: string) =>
    blocksIn(sections.find((section) => section.startsWith(`${heading}\n`)) ?? '')
      .filter(({ language }) => language === 'sh')
      .map(({ code }) => code);

  for (const headings of WAYS)
    test(`run as they are: ${headings.join(', ')}`, async () => {
      await using folder = await temporaryFolder();
      await using place = await serverDatabase();
      const cwd = join(folder.path, 'service');
      await mkdir(cwd);
      await writeFile(join(folder.path, 'patchbay'), CLI_SCRIPT, { mode: 0o755 });
      const blocks = headings.flatMap(commandsOf);
      assert.ok(blocks.length >= 1, 'the section has commands');
      const lines = [
        'set -eo pipefail',
        // What is left running by a command that failed.
        "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT",
        `PATH='${folder.path}':$PATH; cd '${cwd}'`,
        ...blocks,
      ];
      const { code, out, err } = await runShell(lines.join('\n'), {
        XDG_CONFIG_HOME: join(folder.path, 'config'),
        PATCHBAY_LOG_LEVEL: 'warn',
        [headings[0] === WITH_SERVER ? 'DATABASE_URL' : 'TARGET_URL']: place.url,
      });
      assert.equal(code, 0, out + err);
    });
});

async function serverDatabase(): Promise<AsyncDisposable & { readonly url: string }> {
  const place = await SERVER.make();
  return {
    url: place.options.databaseUrl ?? '',
    [Symbol.asyncDispose]: () => place.remove(),
  };
}
