import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countInstantiations, makeTypeScriptProject } from './support/typescript-project.ts';

/** What an editor may have to do, at most, before it can tell anything of a small program. */
const MOST = 300_000;

const PROGRAM = `
import { createConnector } from '@patchbay/connectors';
const slack = createConnector('slack', { credentials: { api_token: 'demo' } });
await slack.users.list();
`;

test(`a program of three lines is checked with ${MOST} instantiations at most`, async () => {
  await using project = await makeTypeScriptProject(['connectors']);
  const count = await countInstantiations(project.folder, PROGRAM);
  assert.ok(count > 0 && count <= MOST, `${count} instantiations`);
});

test('a program that the definitions forbid is not counted, but refused', async () => {
  await using project = await makeTypeScriptProject(['connectors']);
  const wrong = PROGRAM.replace('users.list()', 'users.list({ limt: 5 })');
  await assert.rejects(countInstantiations(project.folder, wrong), /'limt' does not exist/);
});
