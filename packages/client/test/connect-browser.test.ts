import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import { startConnectServers } from './support/connect-servers.ts';
import { POPUPS, showPage } from './support/run-chromium.ts';

const IMPORT = `const { openConnect } = await import('/connect.js');`;
const CONNECTED = { status: 'unconfirmed', sessionId: 's', connectorId: 'c', error: null };
const CLOSED = { status: 'closed', sessionId: null, connectorId: null, error: null };

const rows: readonly (readonly [what: string, script: string, result: unknown])[] = [
  ['a pop-up tells what came of it', `openConnect(CONNECT + '#tell')`, CONNECTED],
  [
    'also where it closes at once, at an address that came late',
    `openConnect(new Promise((resolve) => setTimeout(resolve, 500, CONNECT + '#tell-and-close')))`,
    CONNECTED,
  ],
  ['a pop-up that the person closes', `openConnect(CONNECT + '#close')`, CLOSED],
  [
    'a page that speaks for the pop-up is not heard',
    `(async () => {
      const result = openConnect(CONNECT + '#close');
      const lie = { type: 'patchbay:connect', session_id: 'x', status: 'succeeded' };
      window.postMessage(lie, '*');
      return result;
    })()`,
    CLOSED,
  ],
  [
    'a vendor cuts the tie to the pop-up: the session is polled',
    `openConnect(CONNECT + '#consent', { poll })`,
    { ...CONNECTED, status: 'succeeded', connectorId: null },
  ],
];
for (const [what, script, result] of rows)
  test(`in a browser, ${what}`, { skip: NO_BROWSER }, async () => {
    await using servers = await startConnectServers(`${IMPORT}\nawait report(await ${script});`);
    assert.deepEqual(await showPage(servers.url, servers.report, [POPUPS]), result);
  });

test(
  'in a browser, a pop-up without a click is blocked, and that is an error',
  { skip: NO_BROWSER },
  async () => {
    const script = `${IMPORT}\nawait report(await openConnect(CONNECT + '#tell'));`;
    await using servers = await startConnectServers(script);
    const report = (await showPage(servers.url, servers.report)) as { readonly code?: string };
    assert.equal(report.code, 'popup_blocked');
  },
);
