import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { makeTypeScriptProject, TSC } from './support/typescript-project.ts';

/** What a package of a monorepo may export, whose types the compiler has to write down. */
const PROGRAM = `
import { createConnector } from '@patchbay/connectors';
const credentials = { access_token: 'x' };
export const slack = createConnector('slack', { credentials: { api_token: 'x' } });
export const chat = createConnector('zendesk-chat', { credentials });
export const intercom = createConnector('intercom', { credentials });
export const support = createConnector('zendesk-support', { credentials });
export const page = await slack.users.list();
export const ticket = await support.tickets.get({ ticket_id: 1 });
export const company = await intercom.companies.get({ id: 'x' });
`;

test('the types of what a program exports are named by what the package exports', async () => {
  await using project = await makeTypeScriptProject(['connectors']);
  await writeFile(join(project.folder, 'program.ts'), PROGRAM);
  const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
  await promisify(execFile)(process.execPath, [TSC, '-p', project.folder, ...flags]);
  const declared = await readFile(join(project.folder, 'program.d.ts'), 'utf8');
  const imported = Array.from(declared.matchAll(/import\("([^"]*)"\)/g), ([, from]) => from);
  assert.deepEqual([...new Set(imported)], ['@patchbay/connectors']);
});
