import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page, Route } from 'playwright-core';
import { assertAccessible } from '../../connect/test/support/browser.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

describe('signing in', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  before(async () => {
    opened = await openConsole();
  });
  after(() => opened[Symbol.asyncDispose]());

  test('a link signs in once, and its secret leaves the address at once', async () => {
    const page = await opened.newPage();
    const link = `${opened.front.url}/console#${opened.front.newLinkSecret()}`;
    await page.goto(link);
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    assert.equal(page.url(), `${opened.front.url}/console`);
    const other = await opened.newPage();
    await other.goto(link);
    await other.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
    await other.getByRole('status').getByText(/link/i).waitFor();
    assert.equal(other.url(), `${opened.front.url}/console`);
    await assertAccessible(other, 'a refused link');
  });

  test('the operator signs in with the key, and out again', async () => {
    const page = await opened.newPage();
    await page.goto(`${opened.front.url}/console`);
    await page.getByLabel("Operator's key").fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('unauthenticated').waitFor();
    await page.getByLabel("Operator's key").fill(opened.real.operatorKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('as operator').waitFor();
    await page.reload();
    await page.getByText('as operator').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
  });

  test('whoever could not be signed out goes on', async () => {
    const page = await opened.signedIn();
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    await page.route('**/console/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').waitFor();
    // What the page shows is read again from time to time, with another token.
    await page.waitForResponse(
      (answer) => answer.url().includes('/v1/integrations/connectors?') && answer.ok(),
    );
    await page.unroute('**/console/session');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
  });

  const REVOCATION = '**/v1/tokens/revoke';
  const HANGING = 'the service never says that the token has ended';
  const REFUSED = 'the application is at its limit';
  for (const [circumstance, answer] of [
    [HANGING, () => undefined],
    [REFUSED, (route: Route) => route.fulfill({ status: 429, headers: { 'retry-after': '60' } })],
  ] as const)
    test(`whoever signs out is out at once where ${circumstance}`, async () => {
      const page = await opened.signedIn();
      await page.getByText('as operator').waitFor();
      let asked = 0;
      const bothAsked = Promise.withResolvers<void>();
      await page.route(REVOCATION, (route) => {
        asked += 1;
        if (asked === 2) bothAsked.resolve();
        return answer(route);
      });
      const held = Promise.withResolvers<void>();
      await page.route('**/console/session', async (route) => {
        await held.promise;
        await route.continue();
      });
      const ended = page.waitForRequest(
        (request) => request.method() === 'DELETE' && request.url().endsWith('/console/session'),
        { timeout: 2_000 },
      );
      const button = page.getByRole('button', { name: 'Sign out' });
      await button.click();
      await ended;
      assert.equal(await button.isDisabled(), true);
      held.resolve();
      await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor({ timeout: 5_000 });
      assert.equal(await page.getByText('as operator').count(), 0);
      assert.equal(await page.getByRole('navigation').count(), 0);
      // Of the operator, and of the application that is worked in.
      await bothAsked.promise;
    });

  test('a link that was used before ends no session, and neither does a place on the page', async () => {
    const page = await opened.signedIn('/new?kind=chat-workspace');
    const user = page.getByLabel('External user');
    await user.fill('alice of the form');
    const refused = page.waitForResponse((answer) => answer.status() === 401);
    await page.evaluate("location.hash = 'some-long-named-section-of-the-page'");
    await refused;
    await page.waitForFunction("location.hash === ''");
    // What the page makes of it is drawn by then.
    await page.waitForTimeout(300);
    assert.equal(await user.inputValue(), 'alice of the form');
    assert.ok(await user.isVisible());
    const used = opened.front.newLinkSecret();
    const other = await opened.newPage();
    await other.goto(`${opened.front.url}/console#${used}`);
    await other.getByText('as operator').waitFor();
    await page.goto('about:blank');
    await page.goto(`${opened.front.url}/console#${used}`);
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
  });

  test('a link that does not work is told to whoever is signed out, also where the page is open', async () => {
    const page = await opened.newPage();
    await page.goto(`${opened.front.url}/console`);
    await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
    await page.evaluate("location.hash = 'some-link-that-was-used-long-ago'");
    await page.getByRole('status').getByText(/link/i).waitFor();
  });

  test('a browser that keeps no cookie is told so, by key and by link', async () => {
    const page = await opened.newPage();
    await page.route('**/console/session', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const answer = await route.fetch();
      const { 'set-cookie': _, ...headers } = answer.headers();
      await page.context().clearCookies();
      await route.fulfill({ response: answer, headers });
    });
    await page.goto(`${opened.front.url}/console`);
    await page.getByLabel("Operator's key").fill(opened.real.operatorKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByRole('alert')
      .getByText(/^Your browser did not keep our cookie/)
      .waitFor();
    await page.goto('about:blank');
    await page.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    await page
      .getByRole('status')
      .getByText(/^Your browser did not keep our cookie/)
      .waitFor();
  });

  test('an application signs in with its client id and secret', async () => {
    const page = await opened.newPage();
    await page.goto(`${opened.front.url}/console`);
    await page.getByText('Application', { exact: true }).click();
    await page.getByLabel('Client id').fill(opened.real.credentials.client_id);
    await page.getByLabel('Client secret').fill(opened.real.credentials.client_secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    assert.equal(await page.getByText('as operator').count(), 0);
  });

  test('the end of a session is told before it comes, and at its end one signs in again', async () => {
    opened.front.sessionEndsAt = new Date(Date.now() + 12_000);
    const page = await opened.signedIn();
    await page.getByText(/^Your session ends at \d\d:\d\d$/).waitFor();
    opened.front.endSessions();
    await page.getByText('Your session has ended').waitFor();
    opened.front.sessionEndsAt = undefined;
    opened.front.instead.clear();
  });

  test('what was entered is there for the same who sign in again, and for nobody else', async () => {
    const page = await opened.signedIn('/new?kind=chat-workspace');
    const user = page.getByLabel('External user');
    await user.fill('alice of the form');
    await page.getByLabel('API token').fill('demo');
    const endWhileSending = async () => {
      opened.front.endSessions();
      await page.route(
        '**/oauth/initiate',
        (route) =>
          route.continue({
            headers: { ...route.request().headers(), authorization: 'Bearer a.b.c' },
          }),
        { times: 1 },
      );
      await page.getByLabel('Method').selectOption('oauth');
      await page.getByRole('button', { name: 'Ask for consent instead' }).click();
      await page.getByText('Your session has ended').waitFor();
      assert.equal(await page.getByText('alice of the form').count(), 0);
      assert.ok(await user.isHidden());
      opened.front.instead.clear();
    };
    await page.getByLabel('Lookback window').fill('7');
    await page.getByLabel('Join channels').selectOption('No');
    await endWhileSending();
    await page.getByLabel("Operator's key").fill(opened.real.operatorKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('as operator').waitFor();
    assert.equal(await user.inputValue(), 'alice of the form');
    assert.equal(await page.getByLabel('Lookback window').inputValue(), '7');
    const stored = await page.evaluate(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])',
    );
    assert.ok(!String(stored).includes('alice of the form'));
    await endWhileSending();
    await page.getByText('Application', { exact: true }).click();
    await page.locator('[name=client_id]').fill(opened.real.credentials.client_id);
    await page.locator('[name=client_secret]').fill(opened.real.credentials.client_secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await user.waitFor();
    assert.equal(await user.inputValue(), '');
  });

  /** The session is found to be over, as other tabs find out, too. */
  const endSession = async (page: Page) => {
    opened.front.endSessions();
    await page.evaluate("new BroadcastChannel('patchbay.console.session').postMessage('begun')");
    await page.getByText('Your session has ended').waitFor();
    opened.front.instead.clear();
  };
  const signInAgain = async (page: Page) => {
    await page.getByLabel("Operator's key").fill(opened.real.operatorKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('as operator').waitFor();
  };

  test('a dialog, and what is told in it once, are there afterwards, and the title of the page is', async () => {
    const id = await opened.createConnector();
    const page = await opened.signedIn('/applications');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New application' }).click();
    await dialog.getByLabel('Name').fill('Half typed');
    await endSession(page);
    await signInAgain(page);
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Half typed');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('link', { name: 'Secrets and tokens' }).click();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'Make it' }).click();
    const secret = dialog.getByRole('textbox', { name: 'Client secret' });
    await secret.waitFor();
    const told = await secret.inputValue();
    await endSession(page);
    assert.ok(await secret.isHidden());
    await signInAgain(page);
    assert.equal(await secret.inputValue(), told);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.goto(`${opened.front.url}/console/connectors/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Team chat' }).waitFor();
    await endSession(page);
    await signInAgain(page);
    await page.waitForFunction("document.title === 'Team chat · Patchbay'");
  });

  test('what was entered goes after an hour, whoever moves there meanwhile', async () => {
    const page = await opened.newPage();
    await page.clock.install();
    await page.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    await page.getByRole('navigation').waitFor();
    await page.goto(`${opened.front.url}/console/new?kind=chat-workspace`);
    const user = page.getByLabel('External user');
    await user.fill('alice of the form');
    await endSession(page);
    await page.clock.fastForward('59:00');
    assert.equal(await user.count(), 1);
    await page.keyboard.press('Shift');
    await page.clock.fastForward('02:00');
    await user.waitFor({ state: 'detached' });
  });

  test('pages complain of nothing, and the API is sent no cookie', async () => {
    const page = await opened.signedIn();
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    assert.deepEqual(opened.complaints(), []);
    assert.deepEqual(opened.front.withCookie, []);
  });
});
