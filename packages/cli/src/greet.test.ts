import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from './greet.ts';
import type { Terminal } from './terminal.ts';

const LINK = 'http://127.0.0.1:8080/console#a-secret';
const mintScopedToken = () => Promise.reject(new Error('nobody asks for a token'));

/** What a start says, and how many links it has made. */
async function greeting(
  isInteractive: boolean,
  link: string | undefined,
): Promise<{ readonly said: string; readonly made: number }> {
  let said = '';
  let made = 0;
  const say = (text: string) => void (said += text);
  const terminal: Terminal = {
    out: say,
    err: say,
    isInteractive,
    canAsk: false,
    canRedraw: false,
    canRedrawErr: false,
    width: () => 80,
    errWidth: () => 80,
    height: () => 24,
    bold: (text) => text,
  };
  const makeConsoleLink = () => {
    made++;
    return link;
  };
  await greet(
    {
      service: { url: 'http://127.0.0.1:8080', mintScopedToken, makeConsoleLink },
      // So that no login is left.
      application: { applicationId: 'a', organizationId: 'o', clientId: 'c', isRevoked: true },
      configuration: { dataFolder: '/nowhere/at/all', operatorKey: undefined },
      isSandbox: false,
    },
    { terminal, environment: {} },
  );
  return { said, made };
}

test('on a terminal, a start prints one link to the console', async () => {
  const { said, made } = await greeting(true, LINK);
  assert.equal(made, 1);
  assert.equal(said.split(LINK).length, 2, said);
});

test('output that is kept has no link, and none is made for it', async () => {
  const { said, made } = await greeting(false, LINK);
  assert.deepEqual([made, said.includes('/console')], [0, false]);
});

test('where there is no link, nothing is said of one', async () => {
  assert.ok(!(await greeting(true, undefined)).said.includes('console'));
});
