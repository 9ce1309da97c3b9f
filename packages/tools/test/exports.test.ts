import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import * as tools from '@patchbay/tools';

test('the package promises these names and no others', () => {
  assert.deepEqual(Object.keys(tools).toSorted(), [
    'Toolbox',
    'answerMcp',
    'handleMcp',
    'hostedHost',
    'libraryHost',
    'makeMcpServer',
    'serveStdio',
  ]);
});

test('without the SDKs of agent frameworks and the client, all but two adapters can be imported', async () => {
  const names = ['', '/openai', '/anthropic', '/ai-sdk', '/langchain'];
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (/^(ai|openai|@langchain|@anthropic-ai|@patchbay[/]client)([/]|$)/.test(specifier))
          throw new Error('not installed');
        return next(specifier, context);
      },
    });
    for (const name of ${JSON.stringify(names)})
      await import('@patchbay/tools' + name).catch((error) => console.log(name, error.message));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=patchbay-source', '--input-type=module', '--eval', program],
    { cwd: import.meta.dirname },
  );
  // Of the other SDKs, and of the client, only types are needed.
  assert.equal(stdout, '/ai-sdk not installed\n/langchain not installed\n');
});
