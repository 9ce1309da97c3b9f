import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import { openConsole, type OpenConsole } from './support/open-console.ts';

/** A tab in which nothing is done asks every ten seconds. */
const ASKED_FOR = { timeout: 30_000 };

describe('two tabs of one browser', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let path: string;
  before(async () => {
    opened = await openConsole();
    path = `/connectors/${await opened.createConnector()}`;
  });
  after(() => opened[Symbol.asyncDispose]());

  test('what is done in one shows in the other, and who signs out in one has signed out in both', async () => {
    const one = await opened.signedIn(path);
    const other = await one.context().newPage();
    await other.goto(`${opened.front.url}/console${path}`);
    for (const page of [one, other]) await page.getByRole('heading', { name: 'History' }).waitFor();
    await one.getByRole('button', { name: 'Pause copying' }).click();
    for (const page of [one, other]) await page.getByText('Copying is paused.').waitFor(ASKED_FOR);
    await one.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText('You signed out in another tab.').waitFor();
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
    assert.deepEqual(opened.complaints(), []);
  });

  test('an hour without anybody there ends the session in both, and a sign of somebody in one keeps both', async () => {
    const one = await opened.signedIn();
    const other = await one.context().newPage();
    // Of both: they are of one context.
    await one.clock.install();
    for (const page of [one, other]) {
      await page.goto(`${opened.front.url}/console`);
      await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    }
    const pass = (time: string) => one.clock.fastForward(time);
    await pass('59:00');
    await one.keyboard.press('Shift');
    await pass('59:00');
    await other.getByRole('heading', { name: 'Connectors' }).waitFor();
    await pass('02:00');
    for (const page of [one, other])
      await page.getByText(/nothing was done here for an hour/).waitFor();
    await one.reload();
    await one.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
  });

  test('what was asked before a sign-out in the other, and is answered after it, does not say that it ended', async () => {
    const one = await opened.signedIn();
    const other = await one.context().newPage();
    const signedOut = Promise.withResolvers<void>();
    await other.route('**/console/token', async (route) => {
      await signedOut.promise;
      await route.continue();
    });
    const asked = other.waitForRequest('**/console/token');
    await other.goto(`${opened.front.url}/console`);
    await asked;
    await one.getByRole('button', { name: 'Sign out' }).click();
    const why = other.getByText('You signed out in another tab.');
    await why.waitFor();
    const answered = other.waitForResponse('**/console/token');
    signedOut.resolve();
    const answer = await answered;
    assert.equal(answer.status(), 401);
    await answer.finished();
    // What the page makes of it is drawn by then.
    await other.waitForTimeout(300);
    assert.ok(await why.isVisible());
  });

  test('a sign-in in one leaves the other where it is', async () => {
    const one = await opened.signedIn();
    const other = await one.context().newPage();
    await other.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    await other.getByRole('heading', { name: 'Connectors' }).waitFor();
    await one.reload();
    await one.getByRole('heading', { name: 'Connectors' }).waitFor();
  });
});
