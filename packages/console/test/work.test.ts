import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../../connect/test/support/browser.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

describe('working in the console', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  before(async () => {
    opened = await openConsole();
  });
  after(() => opened[Symbol.asyncDispose]());

  test('from nothing to a connector that is copied, by clicks', async () => {
    const page = await opened.signedIn();
    await page.getByText('No connectors yet.').waitFor();
    await page.getByRole('link', { name: 'Make the first connector' }).click();
    await page.getByRole('button', { name: 'Slack' }).click();
    await page.getByRole('button', { name: 'Check and create' }).click();
    assert.equal(await page.getByText('is required').count(), 4, 'every fault at its field');
    await page.getByLabel('External user').fill('alice');
    await page.getByLabel('Api token').fill('demo');
    await page.getByLabel('Lookback window').fill('seven');
    await page.getByLabel('Join channels').selectOption('No');
    await page.getByText('must be an integer from 0 to 365').waitFor();
    await page.getByLabel('Lookback window').fill('7');
    await page.getByRole('button', { name: 'Check and create' }).click();
    await page.getByRole('heading', { name: 'Slack' }).waitFor();
    await page.getByText('because of its creation').first().waitFor();
    await page.getByText('Last sync: Succeeded').waitFor();
    await row(page, 'users').getByText('10', { exact: true }).waitFor();
  });

  test('the service says at their fields what forms could not know', async () => {
    const page = await opened.signedIn('/new?kind=chat-workspace');
    await page.getByLabel('External user').fill('bob');
    await page.getByLabel('Api token').fill('demo');
    await page.getByLabel('Start date').fill('2025-02-30T00:00:00Z');
    await page.getByLabel('Lookback window').fill('7');
    await page.getByLabel('Join channels').selectOption('No');
    await page.getByRole('button', { name: 'Check and create' }).click();
    const field = page.getByLabel('Start date');
    await page.getByText('must be a real UTC date').last().waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await field.fill('2025-02-28T00:00:00Z');
    assert.notEqual(await field.getAttribute('aria-invalid'), 'true', 'it has been changed since');
    assert.equal(new URL(page.url()).pathname, '/console/new', 'nothing was made');
  });

  test('the overview finds connectors, and keeps what was asked in the address', async () => {
    await opened.createConnector('Chat of the whales');
    const page = await opened.signedIn();
    await page.getByRole('link', { name: 'Chat of the whales' }).waitFor();
    await page.getByLabel('Search connectors').fill('whales');
    await page.getByRole('link', { name: 'Slack', exact: true }).waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).search, '?q=whales');
    await page.reload();
    await page.getByRole('link', { name: 'Chat of the whales' }).waitFor();
    assert.equal(await page.getByLabel('Search connectors').inputValue(), 'whales');
    await page.getByLabel('State').selectOption('Paused');
    await page.getByText('No connector is like that.').waitFor();
    await page.getByLabel('State').selectOption('Every state');
    await page.getByRole('link', { name: 'Chat of the whales' }).click();
    await page.getByRole('heading', { name: 'Chat of the whales' }).waitFor();
    await page.goBack();
    assert.equal(await page.getByLabel('Search connectors').inputValue(), 'whales');
  });

  test('the overview shows what happened lately, over the time that is chosen', async () => {
    const page = await opened.signedIn();
    await page.getByText(/^[\d,]+ calls?, [\d,]+ errors?$/).waitFor();
    await page.locator('canvas').nth(3).waitFor();
    await page.getByLabel('Time').selectOption('Last 7 days');
    assert.equal(new URL(page.url()).search, '?range=week');
    await page.locator('.u-over').first().hover();
    await page.getByText(/^\d\d:\d\d: Calls \d+, Errors \d+$/).waitFor();
  });

  test('a connector is paused, checked, changed and deleted', async () => {
    const id = await opened.createConnector('Chat of the otters');
    await opened.untilCopied(id);
    const page = await opened.signedIn(`/connectors/${id}`);
    await page.getByRole('button', { name: 'Pause copying' }).click();
    await page.getByText('Paused').first().waitFor();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Resume copying' }).click();
    await page.getByRole('button', { name: 'Pause copying' }).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled').first().waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Check the credentials' }).click();
    await page.getByText('The credentials work').waitFor();
    await page.getByLabel('Name').fill('Chat of the sea otters');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Chat of the sea otters' }).waitFor();
    const remove = page.getByRole('button', { name: 'Delete the connector' });
    await page.getByLabel('to delete it').fill('Chat of the otters');
    assert.equal(await remove.isDisabled(), true);
    await page.getByLabel('to delete it').fill('Chat of the sea otters');
    await remove.click();
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    await page.getByRole('link', { name: 'Chat of the whales' }).waitFor();
    assert.equal(await page.getByText('Chat of the sea otters').count(), 0);
  });

  test('records of a copy are browsed, with columns that are chosen, and whole', async () => {
    const id = await opened.createConnector('Chat of the seals');
    await opened.untilCopied(id);
    const page = await opened.signedIn(`/connectors/${id}/records`);
    const table = page.getByRole('region', { name: 'Records of users' });
    await table.getByRole('columnheader', { name: 'real_name' }).waitFor();
    await page.getByText('Columns (6 of').click();
    await page.getByLabel('is_bot', { exact: true }).check();
    await table.getByRole('columnheader', { name: 'is_bot' }).waitFor();
    await page.getByRole('button', { name: 'Show record 2 whole' }).click();
    await page.getByText('"is_email_confirmed"').waitFor();
    await page.getByLabel('Entity').selectOption('channels');
    await page.getByRole('region', { name: 'Records of channels' }).waitFor();
  });

  test('calls are explored: pages, faults at fields, a write that asks first', async () => {
    const id = await opened.createConnector('Chat of the crabs');
    const page = await opened.signedIn(`/explore/${id}`);
    await page.getByLabel('Limit').fill('0');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('must be an integer from 1 to 1000').waitFor();
    await page.getByLabel('Limit').fill('4');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('4 records').waitFor();
    await page.getByText(/^\d+ ms in the service and upstream, \d+ ms on the way/).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForFunction(
      'document.querySelector(\'[name="params.cursor"]\').value.length > 0',
    );
    await page.getByText('The same call elsewhere').click();
    await page.getByText(`/api/v1/connectors/sources/${id}/execute`).waitFor();
    await page.getByLabel('Entity').selectOption('channels');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Show record 1 whole' }).waitFor();
    const { result } = await opened.real.call('POST', `/api/v1/connectors/sources/${id}/execute`, {
      entity: 'channels',
      action: 'list',
    });
    const [channel] = result as readonly { readonly id: string }[];
    await page.getByLabel('Entity').selectOption('messages');
    await page.getByLabel('Channel').fill(channel?.id ?? '');
    await page.getByLabel('Text').fill('Hello from the console');
    await page.getByRole('button', { name: 'Look at what is sent' }).click();
    const dialog = page.getByRole('dialog', { name: 'This writes to the upstream' });
    await dialog.getByText('"text": "Hello from the console"').waitFor();
    await dialog.getByRole('button', { name: 'Do not send' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await page.getByRole('heading', { name: 'Result' }).count(), 0);
    await page.getByRole('button', { name: 'Look at what is sent' }).click();
    await dialog.getByRole('button', { name: 'Send it' }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await page
      .getByRole('region', { name: 'Answer' })
      .getByText('"Hello from the console"')
      .waitFor();
  });

  test('of thousands of connectors only those in sight are drawn', async () => {
    const [one] = (await opened.real.call('GET', '/v1/integrations/connectors?limit=1'))[
      'data'
    ] as readonly object[];
    const data = Array.from({ length: 5_000 }, (_, index) => ({
      ...one,
      id: `01a2028e-7446-79d8-bd2c-${String(index).padStart(12, '0')}`,
      name: `Connector ${index}`,
      last_error: null,
    }));
    const list = 'GET /v1/integrations/connectors';
    opened.front.instead.set(list, { status: 200, body: { data, next: null } });
    const page = await opened.signedIn();
    const table = page.getByRole('table');
    await table.getByRole('link', { name: 'Connector 0', exact: true }).waitFor();
    assert.ok((await page.getByRole('row').count()) < 100);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await table.getByRole('link', { name: 'Connector 4999' }).waitFor();
    opened.front.instead.delete(list);
  });

  test('a link for somebody else is made, and says what comes of it', async () => {
    const page = await opened.signedIn('/connect-link');
    await page.getByLabel('External user').fill('carol');
    await page.getByLabel('Slack').check();
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    assert.match(link, /\/connect#.{20,}$/);
    await page.getByText('Open', { exact: true }).waitFor();
  });

  test('a session that ends in the middle leads to the sign-in, and trouble says so', async () => {
    const page = await opened.signedIn();
    const list = 'GET /v1/integrations/connectors';
    opened.front.instead.set(list, {
      status: 500,
      body: { code: 'internal', detail: 'Something broke.' },
    });
    await page.reload();
    await page.getByRole('alert').waitFor();
    opened.front.instead.delete(list);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Chat of the whales' }).waitFor();
    opened.front.endSessions();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
  });

  test('no page complained of anything', () => {
    assert.deepEqual(opened.complaints(), []);
    assert.deepEqual(opened.front.withCookie, []);
  });
});

function row(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
}
