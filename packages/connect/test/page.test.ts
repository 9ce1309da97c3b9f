import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { collectComplaints, launchBrowser } from './support/browser.ts';
import { buildIfStale } from './support/build.ts';
import {
  problem,
  startFakeService,
  type FakeService,
  type FakeSession,
} from './support/fake-service.ts';
import { COPYING, INTERCOM, SLACK, viewOf, ZENDESK } from './support/views.ts';

const RETURN_URL = 'https://app.acme.example/integrations?tab=2';
const INTERNAL = problem(500, 'internal', 'Something went wrong on our side.');
const CONNECTED = { status: 'succeeded', connector_id: 'connector-1' } as const;

describe('the connect page', { skip: NO_BROWSER }, () => {
  let service: FakeService;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    await buildIfStale();
    service = await startFakeService();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await service.close();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 480, height: 720 } });
    // The application's own site is none of ours.
    await context.route('https://app.acme.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>The application</h1>' }),
    );
    context.setDefaultTimeout(20_000);
    complaints = collectComplaints(context);
    page = await context.newPage();
  });
  afterEach(async () => {
    service.isAway = false;
    service.vendorPolicy = 'unsafe-none';
    assert.deepEqual(complaints, []);
    await context.close();
  });

  /** Opens the link of a new session, and waits for what it asks. */
  const open = async (changes: Partial<ConnectPageSession> = {}): Promise<FakeSession> => {
    const session = service.addSession(viewOf(changes));
    await page.goto(service.linkOf(session));
    await page.waitForURL(`${service.url}/connect?session=${session.view.id}`);
    return session;
  };
  const heading = (name: string, on = page) =>
    on.getByRole('heading', { level: 1, name }).waitFor();
  /** The focus follows what is shown: Preact runs effects once that has been painted. */
  const untilFocused = (selector: string) => page.locator(`${selector}:focus`).waitFor();
  const click = (name: string, on = page) => on.getByRole('button', { name, exact: true }).click();
  const alert = async () => (await page.getByRole('alert').innerText()).replaceAll(/\s+/g, ' ');
  const lastBody = (part: string) =>
    service.seen.findLast(({ method, url }) => method === 'POST' && url.endsWith(part))?.body;

  const fillToken = async () => {
    await page.getByRole('radio', { name: 'Token' }).check();
    await page.getByLabel('Subdomain').fill('acme');
    await page.getByLabel('Email').fill('ada@acme.example');
    await page.getByLabel('API token', { exact: true }).fill('a-token');
  };
  const told = async () => page.evaluate<readonly unknown[]>('told');
  /** What the opener was told, as soon as it is that many messages: one is under way after its page is shown. */
  const toldOnce = async (count: number) => {
    await page.waitForFunction(`told.length >= ${count}`);
    return told();
  };
  const openPopUp = async (changes: Partial<ConnectPageSession>) => {
    const session = service.addSession(viewOf({ origin: service.elsewhere, ...changes }));
    const link = encodeURIComponent(service.linkOf(session));
    await page.goto(`${service.elsewhere}/application?link=${link}`);
    const opening = page.waitForEvent('popup');
    await click('Connect');
    return { session, popUp: await opening };
  };

  describe('and its address', () => {
    test('the secret is in it until it is opened, and nowhere afterwards', async () => {
      const session = await open();
      await heading('Acme asks to connect your Slack for ada@acme.example');
      assert.equal(await page.evaluate('history.length'), 2, 'about:blank and the page');
      for (const { url, referrer } of service.seen) {
        assert.ok(!url.includes(session.secret), url);
        assert.equal(referrer, undefined);
      }
      assert.equal(await page.evaluate('document.cookie'), '');
    });

    test('a reload goes on by the cookie', async () => {
      await open();
      await page.reload();
      await heading('Acme asks to connect your Slack for ada@acme.example');
      assert.equal(await page.evaluate('location.hash'), '');
    });

    test('another browser is refused, in the words of the service', async () => {
      const session = await open();
      const stranger = await browser.newContext();
      const theirs = await stranger.newPage();
      await theirs.goto(service.linkOf(session));
      await heading('This link was opened in another browser', theirs);
      await theirs.getByText('Another browser has opened this link first.').waitFor();
      assert.equal(theirs.url(), `${service.url}/connect`);
      await stranger.close();
    });

    test('without a session in it, the page says so', async () => {
      await page.goto(`${service.url}/connect`);
      await heading('This link is not complete');
    });

    test('what is no session is none, wherever it would lead', async () => {
      for (const id of ['..', '../../console/session', '<img src=x>']) {
        const asked = service.seen.length;
        await page.goto(`${service.url}/connect?session=${encodeURIComponent(id)}`);
        await heading('This link is not complete');
        for (const { url } of service.seen.slice(asked))
          assert.match(url, /^\/connect(?:\?|\/assets\/)/);
      }
    });

    test('another link in the same tab is taken, also while the first one is being read', async () => {
      const first = await open({ status: 'unconfirmed', connector_type: 'chat-workspace' });
      await heading('Almost done');
      const other = service.addSession(viewOf({ application_name: 'Other' }));
      const held = Promise.withResolvers<void>();
      const path = `**/connect/sessions/${first.view.id}`;
      const asked = page.waitForRequest(path);
      await page.route(path, async (route) => {
        await held.promise;
        await route.continue();
      });
      await asked;
      await page.evaluate(`location.hash = '${other.secret}'`);
      held.resolve();
      await heading('Other asks to connect your Slack for ada@acme.example');
    });

    test('another link in the same tab is taken', async () => {
      await page.goto(`${service.url}/connect`);
      await heading('This link is not complete');
      const session = service.addSession(viewOf());
      await page.evaluate(`location.hash = '${session.secret}'`);
      await heading('Acme asks to connect your Slack for ada@acme.example');
    });
  });

  describe('and what is entered', () => {
    test('is asked for by kind and method, and is what goes out', async () => {
      await open({ kinds: [SLACK, ZENDESK, INTERCOM], user_label: null });
      await heading('Acme asks to connect one of your accounts');
      await page.getByRole('button', { name: 'Zendesk Support' }).click();
      await heading('Acme asks to connect your Zendesk Support');
      assert.equal(await page.getByRole('button', { name: 'Check and connect' }).count(), 0);
      await page.getByRole('radio', { name: 'Token' }).check();
      await page.getByLabel('Subdomain').fill(' acme ');
      await page.getByLabel('Email').fill('ada@acme.example');
      await page.getByLabel('API token', { exact: true }).fill('a-token');
      await click('Check and connect');
      await heading('Zendesk Support is connected');
      assert.deepEqual(lastBody('/credentials'), {
        connector_type: 'support-ticketing',
        method: 'token',
        credentials: { email: 'ada@acme.example', api_token: 'a-token' },
        config: { subdomain: 'acme' },
      });
    });

    test('what is missing is said at its field before anybody is asked', async () => {
      await open({ kinds: [ZENDESK] });
      await page.getByRole('radio', { name: 'OAuth' }).check();
      const asked = service.seen.length;
      await click('Check and connect');
      await page.getByText('Please fill in: Access token.').waitFor();
      await untilFocused('#field-config-subdomain');
      assert.equal(await page.getByLabel('Subdomain').getAttribute('aria-invalid'), 'true');
      assert.equal(service.seen.length, asked);
    });

    test('faults are shown at their fields in their own words, and the focus goes there', async () => {
      const session = await open({ kinds: [ZENDESK] });
      session.onCredentials = () =>
        problem(422, 'invalid_credentials', 'Two things are wrong.', [
          { field: 'credentials.api_token', message: 'credentials.api_token must be 40 letters' },
        ]);
      await fillToken();
      await click('Check and connect');
      await page.getByText('API token must be 40 letters').waitFor();
      await untilFocused('#field-credentials-api_token');
      const described = await page
        .getByLabel('API token', { exact: true })
        .getAttribute('aria-describedby');
      assert.match(described ?? '', /field-credentials-api_token-fault/);
      assert.equal(await page.getByRole('alert').count(), 0);
    });

    test('a refusal of the whole is read out, and what was entered stays', async () => {
      const session = await open({ kinds: [ZENDESK] });
      session.onCredentials = () =>
        problem(424, 'credentials_rejected', 'Zendesk refused the credentials.');
      await fillToken();
      await click('Check and connect');
      assert.equal(await alert(), 'That did not work Zendesk refused the credentials.');
      await untilFocused('.alert');
      assert.equal(await page.getByLabel('Subdomain').inputValue(), 'acme');
    });

    test('what went wrong is no more to be seen once another way is chosen', async () => {
      const session = await open({ kinds: [ZENDESK] });
      session.onCredentials = () => {
        const error = { code: 'credentials_rejected', message: 'Zendesk refused them.' };
        session.view = { ...session.view, error };
        return problem(424, error.code, error.message);
      };
      await fillToken();
      await click('Check and connect');
      assert.equal(await alert(), 'That did not work Zendesk refused them.');
      await page.getByRole('radio', { name: 'OAuth' }).check();
      await page.getByRole('alert').waitFor({ state: 'detached' });
    });

    test('a fault at a field that is not shown is not lost', async () => {
      const session = await open({ kinds: [ZENDESK] });
      session.onCredentials = () =>
        problem(422, 'invalid_request', 'connector_type must be another.', [
          { field: 'connector_type', message: 'connector_type must be another' },
        ]);
      await fillToken();
      await click('Check and connect');
      assert.match(await alert(), /connector_type must be another\./);
    });

    test('is hidden where it is secret, until the person wants to see it', async () => {
      await open({ kinds: [ZENDESK] });
      await fillToken();
      const field = page.getByLabel('API token', { exact: true });
      assert.equal(await field.getAttribute('type'), 'password');
      assert.equal(await field.getAttribute('autocorrect'), 'off');
      assert.equal(await page.getByLabel('Subdomain').getAttribute('autocorrect'), 'off');
      await click('Show API token');
      assert.equal(await field.getAttribute('type'), 'text');
      assert.equal(await field.inputValue(), 'a-token');
    });

    test('goes out once, however often it is sent', async () => {
      const session = await open({ kinds: [ZENDESK] });
      const answered = Promise.withResolvers<void>();
      let times = 0;
      session.onCredentials = async () => {
        times += 1;
        await answered.promise;
        session.view = { ...session.view, ...CONNECTED, connector_type: 'support-ticketing' };
        return { status: 200, body: session.view };
      };
      await fillToken();
      await click('Check and connect');
      await page
        .getByRole('button', { name: 'Checking with Zendesk Support …' })
        .click({ force: true });
      await page.keyboard.press('Enter');
      answered.resolve();
      await heading('Zendesk Support is connected');
      assert.equal(times, 1);
    });
  });

  describe('and consent', () => {
    test('is given at the vendor, and the way back is shown', async () => {
      await open({ return_url: RETURN_URL });
      await click('Continue to Slack');
      await page.getByRole('link', { name: 'Allow' }).click();
      await heading('Slack is connected');
      await page.getByRole('link', { name: 'Back to Acme' }).click();
      await heading('The application');
      const { searchParams } = new URL(page.url());
      assert.equal(searchParams.get('tab'), '2');
      assert.equal(searchParams.get('status'), 'succeeded');
      assert.equal(searchParams.get('connector_id'), 'connector-1');
      assert.equal(searchParams.get('error'), null);
    });

    test('takes with it what decides where the vendor is', async () => {
      await open({ kinds: [INTERCOM] });
      await page.getByLabel('Region').selectOption('eu');
      await click('Continue to Intercom');
      await page.getByRole('link', { name: 'Allow' }).waitFor();
      assert.deepEqual(lastBody('/consent'), {
        connector_type: 'customer-messaging',
        config: { region: 'eu' },
      });
    });

    test('that is declined can be asked for again', async () => {
      await open({ kinds: [SLACK, INTERCOM], return_url: RETURN_URL });
      await page.getByRole('button', { name: 'Slack' }).click();
      await click('Continue to Slack');
      await page.getByRole('link', { name: 'Deny' }).click();
      await heading('Acme asks to connect one of your accounts for ada@acme.example');
      assert.equal(await alert(), 'Nothing was connected Whoever was asked did not allow it.');
      await page.getByRole('button', { name: 'Slack' }).click();
      assert.equal(await page.getByRole('alert').count(), 0);
      await click('Continue to Slack');
      await page.getByRole('link', { name: 'Allow' }).click();
      await heading('Slack is connected');
    });

    test('that is declined where there is nothing to choose, is asked for in place', async () => {
      await open();
      await click('Continue to Slack');
      await page.getByRole('link', { name: 'Deny' }).click();
      assert.equal(await alert(), 'Nothing was connected Whoever was asked did not allow it.');
      await click('Continue to Slack');
      await page.getByRole('link', { name: 'Allow' }).waitFor();
    });

    test('can be left for the way back, which says so', async () => {
      const session = await open({ return_url: RETURN_URL });
      await page.getByRole('link', { name: 'Cancel and go back to Acme' }).click();
      await heading('The application');
      const { searchParams } = new URL(page.url());
      assert.equal(searchParams.get('session_id'), session.view.id);
      assert.equal(searchParams.get('error'), 'access_denied');
      assert.equal(searchParams.get('status'), 'open');
    });

    test('whoever comes back by the button of the browser can go on', async () => {
      await open();
      await click('Continue to Slack');
      await page.getByRole('link', { name: 'Allow' }).waitFor();
      await page.goBack();
      await heading('Acme asks to connect your Slack for ada@acme.example');
      await click('Continue to Slack');
      await page.getByRole('link', { name: 'Allow' }).waitFor();
    });
  });

  describe('and what comes afterwards', () => {
    test('it waits for the application to confirm', async () => {
      const session = await open({ status: 'unconfirmed', connector_type: 'chat-workspace' });
      await heading('Almost done');
      await page.getByText('Waiting for Acme to confirm …').waitFor();
      await page.getByText('Acme · ada@acme.example', { exact: true }).waitFor();
      session.view = { ...session.view, ...CONNECTED };
      await heading('Slack is connected');
      await untilFocused('h1');
    });

    test('where the application waits for the person, it goes back at once, and once', async () => {
      const session = service.addSession(
        viewOf({
          status: 'unconfirmed',
          connector_type: 'chat-workspace',
          connector_id: 'promised',
          return_url: RETURN_URL,
        }),
      );
      await page.goto(service.linkOf(session));
      await heading('The application');
      const { searchParams } = new URL(page.url());
      assert.equal(searchParams.get('status'), 'unconfirmed');
      assert.equal(searchParams.get('connector_id'), 'promised');
      await page.goBack();
      await heading('Almost done');
      session.view = { ...session.view, ...CONNECTED };
      await heading('Slack is connected');
    });

    test('it shows the first copy being made', async () => {
      const session = await open({
        ...CONNECTED,
        connector_type: 'chat-workspace',
        progress: COPYING,
      });
      await page.getByRole('row', { name: 'Channel messages copying 12,400' }).waitFor();
      session.view = {
        ...session.view,
        progress: {
          state: 'succeeded',
          entities: [{ entity: 'users', state: 'idle', records: 3 }],
        },
      };
      await page.getByText('The first copy is done.').waitFor();
      await page.getByRole('row', { name: 'Users done 3' }).waitFor();
    });

    test('it ends with its time, unless it has ended otherwise', async () => {
      const session = await open({ expires_at: new Date(Date.now() + 500).toISOString() });
      session.view = { ...session.view, status: 'expired' };
      await heading('This link has expired');
      await page.getByText('Acme · ada@acme.example', { exact: true }).waitFor();
    });

    test('a browser that may watch no longer keeps what it knows to be connected', async () => {
      const session = await open({
        ...CONNECTED,
        connector_type: 'chat-workspace',
        progress: COPYING,
      });
      await heading('Slack is connected');
      session.instead = problem(404, 'connect_session_not_found', 'There is no such session.');
      await page.waitForResponse((response) => response.status() === 404);
      await heading('Slack is connected');
    });
  });

  describe('and a network that is lost', () => {
    test('before anything is known, can be tried again', async () => {
      const session = service.addSession(viewOf());
      await page.goto(`${service.url}/connect`);
      await heading('This link is not complete');
      service.isAway = true;
      await page.evaluate(`location.hash = '${session.secret}'`);
      await heading('The connection is lost');
      service.isAway = false;
      await click('Try again');
      await heading('Acme asks to connect your Slack for ada@acme.example');
    });

    test('is not what is said where the service asks to come again', async () => {
      const session = service.addSession(viewOf());
      session.instead = problem(503, 'not_ready', 'The service is starting.');
      await page.goto(service.linkOf(session));
      await heading('Please try again in a moment');
      await page.getByText('The service is starting.').waitFor();
      session.instead = undefined;
      await click('Try again');
      await heading('Acme asks to connect your Slack for ada@acme.example');
    });

    test('is not what is said where something goes wrong in the service, nor that the link does not work', async () => {
      const session = service.addSession(viewOf({ kinds: [ZENDESK] }));
      session.instead = INTERNAL;
      await page.goto(service.linkOf(session));
      await heading('Please try again in a moment');
      session.instead = undefined;
      await click('Try again');
      await page.getByRole('radio', { name: 'OAuth' }).check();
      await page.getByLabel('Subdomain').fill('acme');
      session.instead = INTERNAL;
      await page.evaluate(`dispatchEvent(new Event('online'))`);
      await page.getByText('It is tried again by itself.').waitFor();
      assert.equal(await page.getByLabel('Subdomain').inputValue(), 'acme');
    });

    test('while it waits, is said, and it goes on by itself', async () => {
      const session = await open({ status: 'unconfirmed', connector_type: 'chat-workspace' });
      await heading('Almost done');
      service.isAway = true;
      await page.getByText('No answer came. It is tried again by itself.').waitFor();
      session.view = { ...session.view, ...CONNECTED };
      service.isAway = false;
      await heading('Slack is connected');
      assert.equal(await page.getByRole('alert').count(), 0);
    });

    test('while it sends, keeps what was entered', async () => {
      await open({ kinds: [ZENDESK] });
      await page.getByRole('radio', { name: 'OAuth' }).check();
      await page.getByLabel('Subdomain').fill('acme');
      await page.getByLabel('Access token', { exact: true }).fill('a-token');
      service.isAway = true;
      await click('Check and connect');
      await page.getByText('What you entered is still here').waitFor();
      service.isAway = false;
      await click('Check and connect');
      await heading('Zendesk Support is connected');
    });

    test('after it has sent, learns what came of it', async () => {
      const session = await open({ kinds: [ZENDESK] });
      session.onCredentials = () => {
        session.view = { ...session.view, ...CONNECTED, connector_type: 'support-ticketing' };
        return { status: 502, body: 'a proxy speaks' };
      };
      await page.getByRole('radio', { name: 'OAuth' }).check();
      await page.getByLabel('Subdomain').fill('acme');
      await page.getByLabel('Access token', { exact: true }).fill('a-token');
      await click('Check and connect');
      await heading('Zendesk Support is connected');
    });
  });

  describe('as a pop-up', () => {
    test('it tells its opener what came of it, and closes', async () => {
      const { session, popUp } = await openPopUp({});
      await click('Continue to Slack', popUp);
      await popUp.getByRole('link', { name: 'Allow' }).click();
      await heading('Slack is connected', popUp);
      const message = {
        origin: service.url,
        data: {
          type: 'patchbay:connect',
          session_id: session.view.id,
          status: 'succeeded',
          connector_id: 'connector-1',
          error: null,
        },
      };
      assert.deepEqual(await toldOnce(1), [message]);
      const closing = popUp.waitForEvent('close');
      // The window may be gone before the browser has said that the click is done: then the click
      // fails, and the window has done what it is to do. One that stays fails the line after.
      await Promise.allSettled([closing, click('Close this window', popUp)]);
      await closing;
    });

    test('it tells that the application is to confirm, and then that it did', async () => {
      const { session, popUp } = await openPopUp({
        status: 'unconfirmed',
        connector_type: 'chat-workspace',
        connector_id: 'connector-1',
        // Nobody is sent there while the page that opened it can be told.
        return_url: RETURN_URL,
      });
      await heading('Almost done', popUp);
      session.view = { ...session.view, ...CONNECTED };
      await heading('Slack is connected', popUp);
      const statuses = (await toldOnce(2)).map(
        (each) => JSON.stringify(each).match(/"status":"(\w+)"/)?.[1],
      );
      assert.deepEqual(statuses, ['unconfirmed', 'succeeded']);
    });

    test('it tells that the person declined, there or here', async () => {
      const { popUp } = await openPopUp({});
      await click('Continue to Slack', popUp);
      await popUp.getByRole('link', { name: 'Deny' }).click();
      await popUp.getByRole('alert').waitFor();
      await click('Cancel and go back to Acme', popUp);
      for (const each of await toldOnce(2)) assert.match(JSON.stringify(each), /"access_denied"/);
    });

    test('an opener of another origin than the session names learns nothing', async () => {
      const { popUp } = await openPopUp({ origin: 'https://app.acme.example' });
      await click('Continue to Slack', popUp);
      await popUp.getByRole('link', { name: 'Allow' }).click();
      await heading('Slack is connected', popUp);
      // Messages arrive in the order they were sent: nothing was sent before this one.
      await popUp.evaluate("opener.postMessage('the last', '*')");
      assert.deepEqual(await toldOnce(1), [{ origin: service.url, data: 'the last' }]);
      // Chromium says so too, which is no complaint about the page.
      assert.match(complaints.join(), /^$|postMessage/);
      (complaints as string[]).length = 0;
    });

    test('a vendor that cuts the tie to its opener breaks nothing', async () => {
      service.vendorPolicy = 'same-origin';
      const { popUp } = await openPopUp({});
      await click('Continue to Slack', popUp);
      await popUp.getByRole('link', { name: 'Allow' }).click();
      await heading('Slack is connected', popUp);
      await popUp.getByText('You can close this window now.').waitFor();
      assert.deepEqual(await told(), []);
    });
  });

  describe('and what others give it', () => {
    test('is text, never markup, and leads to web pages only', async () => {
      const markup = '<img src=x onerror="document.title=1">';
      await open({
        ...CONNECTED,
        application_name: markup,
        user_label: markup,
        connector_type: markup,
        // Whatever checks these elsewhere, nothing here runs them.
        return_url: 'javascript:document.title=1',
        branding: { name: markup, logo_url: 'javascript:1', accent: 'url(https://x.example)' },
      });
      await heading(`${markup} is connected`);
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await page.locator('a').count(), 0);
    });

    test('a place to sign in that is no web page is not gone to', async () => {
      await page.route('**/consent', (route) =>
        route.fulfill({ json: { authorize_url: 'javascript:document.title=1' } }),
      );
      await open();
      await click('Continue to Slack');
      await page.getByRole('alert').waitFor();
    });

    test('an accent is what the button has, with text that can be read on it', async () => {
      await open({ branding: { name: 'Acme Inc', logo_url: null, accent: 'ffe000' } });
      const colours = await page.evaluate(
        "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.querySelector('.primary')))",
      );
      assert.deepEqual(colours, ['rgb(255, 224, 0)', 'rgb(0, 0, 0)']);
    });

    test('a logo that cannot be shown leaves the name', async () => {
      await page.route('https://logo.acme.example/**', (route) => route.abort());
      await open({
        branding: { name: 'Acme Inc', logo_url: 'https://logo.acme.example/1', accent: null },
      });
      await page.getByText('Acme Inc').waitFor();
      await page.locator('img').waitFor({ state: 'detached' });
    });
  });

  test('everything can be done by keyboard', async () => {
    const session = await open({ kinds: [SLACK, ZENDESK], return_url: RETURN_URL });
    await heading('Acme asks to connect one of your accounts for ada@acme.example');
    const reach = async (role: 'button' | 'radio' | 'textbox' | 'link', name: string) => {
      const target = page.getByRole(role, { name, exact: role !== 'button' });
      for (let presses = 0; presses < 20; presses += 1) {
        if ((await target.and(page.locator(':focus')).count()) === 1) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`no way to ${name}`);
    };
    await reach('button', 'Zendesk Support');
    await page.keyboard.press('Enter');
    await heading('Acme asks to connect your Zendesk Support for ada@acme.example');
    await reach('radio', 'OAuth');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    assert.ok(await page.getByRole('radio', { name: 'Token' }).isChecked());
    await reach('textbox', 'Subdomain');
    await page.keyboard.type('acme');
    await reach('textbox', 'Email');
    await page.keyboard.type('ada@acme.example');
    await page.keyboard.press('Tab');
    await page.keyboard.type('a-token');
    await page.keyboard.press('Enter');
    await heading('Zendesk Support is connected');
    assert.deepEqual(lastBody('/credentials')?.['credentials'], {
      email: 'ada@acme.example',
      api_token: 'a-token',
    });
    await reach('link', 'Back to Acme');
    await page.keyboard.press('Enter');
    await heading('The application');
    assert.equal(session.view.status, 'succeeded');
  });
});
