import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { collectComplaints, launchBrowser } from './support/browser.ts';
import { buildIfStale } from './support/build.ts';
import { startRealService, type RealService } from './support/real-service.ts';

const SESSIONS = '/v1/connect-sessions';

/** What a person enters before going to the vendor of a kind, by label. */
const KINDS = {
  'chat-workspace': { name: 'Slack', enters: {} },
  'customer-messaging': { name: 'Intercom', enters: {} },
  'support-ticketing': { name: 'Zendesk Support', enters: { Subdomain: 'acme' } },
  'support-chat': { name: 'Zendesk Chat', enters: { Subdomain: 'acme' } },
} as const;

/** The service gets the request and answers, and the page hears nothing of it. */
async function loseAnswer(route: Route): Promise<void> {
  const request = route.request();
  const answer = await fetch(request.url(), {
    method: request.method(),
    headers: await request.allHeaders(),
    body: request.postData(),
  });
  assert.equal(answer.status, 200);
  await route.abort();
}

describe('the connect page before the service', { skip: NO_BROWSER }, () => {
  let real: RealService;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    await buildIfStale();
    real = await startRealService();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await real.close();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 480, height: 720 } });
    context.setDefaultTimeout(30_000);
    complaints = collectComplaints(context);
    page = await context.newPage();
  });
  afterEach(async () => {
    assert.deepEqual(complaints, []);
    await context.close();
  });

  const makeSession = async (body: Readonly<Record<string, unknown>>) => {
    const made = await real.call('POST', SESSIONS, {
      external_user_id: 'alice',
      user_label: 'Alice',
      ...body,
    });
    return { id: String(made['id']), link: String(made['connect_url']) };
  };
  const confirm = (id: string) =>
    real.call('POST', `${SESSIONS}/${id}/confirm`, { external_user_id: 'alice' });
  const heading = (name: string | RegExp) =>
    page.getByRole('heading', { level: 1, name }).waitFor();
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();

  test('a link whose first answer is lost opens again, also once the page is loaded anew', async () => {
    for (const again of [() => click('Try again'), () => page.reload()]) {
      const { link } = await makeSession({ connector_types: ['chat-workspace'] });
      await page.route('**/connect/sessions/open', loseAnswer, { times: 1 });
      await page.goto(link);
      await heading('The connection is lost');
      await again();
      await heading('Default application asks to connect your Slack for Alice');
    }
  });

  for (const [kind, { name, enters }] of Object.entries(KINDS))
    test(`a person consents to ${name}, and comes back to be confirmed`, async () => {
      const { id, link } = await makeSession({
        connector_types: [kind],
        return_url: real.application,
      });
      await page.goto(link);
      await heading(`Default application asks to connect your ${name} for Alice`);
      for (const [label, value] of Object.entries(enters)) await page.getByLabel(label).fill(value);
      await click(`Continue to ${name}`);
      await click('Allow');
      await heading('The application');
      const { searchParams } = new URL(page.url());
      assert.equal(searchParams.get('session_id'), id);
      assert.equal(searchParams.get('status'), 'unconfirmed');
      const { connector_id: connectorId } = await confirm(id);
      assert.equal(searchParams.get('connector_id'), connectorId);
      await page.goto(`${real.url}/connect?session=${id}`);
      await heading(`${name} is connected`);
      await page.getByRole('table').waitFor();
    });

  test('a person declines, and allows it the second time', async () => {
    const { link } = await makeSession({
      connector_types: ['chat-workspace', 'customer-messaging'],
      confirm: false,
    });
    await page.goto(link);
    await page.getByRole('button', { name: 'Slack' }).click();
    await click('Continue to Slack');
    await click('Deny');
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Slack' }).click();
    await click('Continue to Slack');
    await click('Allow');
    await heading('Slack is connected');
  });

  test('a person enters a token, which is tried before anything is stored', async () => {
    const { id, link } = await makeSession({ connector_types: ['support-ticketing'] });
    await page.goto(link);
    await page.getByText('Connect another way').click();
    await page.getByRole('radio', { name: 'Token', exact: true }).check();
    await page.getByLabel('Subdomain').fill('Not a subdomain');
    await page.getByLabel('Email').fill('ada@acme.example');
    await page.getByLabel('API token', { exact: true }).fill('a-token');
    await click('Check and connect');
    await page.getByText(/^Subdomain must be /).waitFor();
    await page.getByLabel('Subdomain').fill('acme');
    await click('Check and connect');
    await heading('Almost done');
    await confirm(id);
    await heading('Zendesk Support is connected');
  });

  test('a connector whose grant was withdrawn is connected again, and stays the one it was', async () => {
    const consent = async (session: Readonly<Record<string, unknown>>) => {
      const made = await makeSession({ confirm: false, ...session });
      await page.goto(made.link);
      await click('Continue to Intercom');
      await click('Allow');
      await heading('Intercom is connected');
      return real.call('GET', `${SESSIONS}/${made.id}`);
    };
    const { connector_id: connectorId } = await consent({
      connector_types: ['customer-messaging'],
    });
    const path = `/v1/integrations/connectors/${String(connectorId)}`;
    real.revokeGrants();
    await real.call('POST', `${path}/check`);
    assert.equal((await real.call('GET', path))['status'], 'reauth_required');
    const again = await consent({ connector_id: connectorId });
    assert.equal(again['connector_id'], connectorId);
    await real.call('POST', `${path}/check`);
    assert.equal((await real.call('GET', path))['status'], 'active');
  });

  test('a pop-up tells the page that opened it, and nobody else', async () => {
    const { origin } = new URL(real.application);
    const { id, link } = await makeSession({ connector_types: ['chat-workspace'], origin });
    await page.goto(real.application);
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`
        window.addEventListener('message', ({ data, origin }) => {
          document.title = JSON.stringify({ ...data, from: origin });
        });
        window.open(${JSON.stringify(link)}, '', 'width=480,height=720');
        0;
      `),
    ]);
    await popup.getByRole('button', { name: 'Continue to Slack', exact: true }).click();
    await popup.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForFunction(`document.title.includes('unconfirmed')`);
    const told = JSON.parse(await page.title()) as Readonly<Record<string, unknown>>;
    assert.deepEqual(
      [told['type'], told['session_id'], told['status'], told['from']],
      ['patchbay:connect', id, 'unconfirmed', real.url],
    );
    const { connector_id: connectorId } = await real.call('GET', `${SESSIONS}/${id}`);
    assert.equal(told['connector_id'], connectorId);
  });

  test('a link that somebody else has opened is of no use to anybody else', async () => {
    const { link } = await makeSession({ connector_types: ['chat-workspace'] });
    await page.goto(link);
    await heading(/asks to connect your Slack/);
    const stranger = await browser.newContext();
    const theirs = await stranger.newPage();
    await theirs.goto(link);
    await theirs.getByText('This link was opened in another browser').waitFor();
    await stranger.close();
  });
});
