import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page } from 'playwright-core';
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

  test('a sign-in as somebody else in one is one in the other, too', async () => {
    const one = await opened.newPage();
    await signInAs(one, await newApplication('Second'));
    const other = await one.context().newPage();
    await other.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    // Of two applications the operator has to choose one.
    await one.getByRole('heading', { name: 'Choose an application' }).waitFor();
    assert.deepEqual(opened.complaints(), []);
  });

  test('a token of somebody else, who has signed in unnoticed, is not used', async () => {
    const one = await opened.newPage();
    const { id } = await newApplication('Mine');
    await one.addInitScript(`sessionStorage.setItem('patchbay.application', '${id}')`);
    await one.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    await one.getByText('as operator').waitFor();
    const { credentials } = await newApplication('Third');
    const at = `${opened.front.url}/console/session`;
    const signedIn = await one.context().request.post(at, { data: credentials });
    assert.equal(signedIn.status(), 200);
    // The token that the page has is refused, as one that is over.
    await one.route(
      '**/v1/integrations/connectors?**',
      (route) =>
        route.continue({
          headers: { ...route.request().headers(), authorization: 'Bearer a.b.c' },
        }),
      { times: 1 },
    );
    await one.getByRole('link', { name: 'Explorer' }).click();
    await one.getByText('Third').first().waitFor();
    assert.equal(await one.getByText('as operator').count(), 0);
  });

  const newApplication = async (name: string) => {
    const response = await fetch(`${opened.real.url}/v1/applications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${opened.real.operatorKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name }),
    });
    const made = (await response.json()) as Readonly<Record<string, string>>;
    return {
      id: made['id'] ?? '',
      credentials: {
        client_id: made['client_id'] ?? '',
        client_secret: made['client_secret'] ?? '',
      },
    };
  };
  const signInAs = async (
    page: Page,
    { credentials }: Awaited<ReturnType<typeof newApplication>>,
  ) => {
    await page.goto(`${opened.front.url}/console`);
    await page.getByText('Application', { exact: true }).click();
    await page.getByLabel('Client id').fill(credentials.client_id);
    await page.getByLabel('Client secret').fill(credentials.client_secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  };
});
