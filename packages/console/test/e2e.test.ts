import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import { buildIfStale, builtFolder } from '../../connect/test/support/build.ts';
import { collectComplaints, launchBrowser } from '../../connect/test/support/browser.ts';
import { startRealService, type RealService } from '../../connect/test/support/real-service.ts';
import type { Browser, Page } from 'playwright-core';

/** Nothing is between the browser and the service here: the routes of signing in are its own. */
describe('the console of a service, from its first link on', { skip: NO_BROWSER }, () => {
  let real: RealService;
  let browser: Browser;
  before(async () => {
    const consolePageFolder = builtFolder('console');
    await buildIfStale(consolePageFolder, 'console');
    real = await startRealService({ consolePageFolder });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await real.close();
  });

  const open = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(30_000);
    return { page: await context.newPage(), complaints: collectComplaints(context) };
  };

  test('a connector is made, copied, searched, written to, found again, paused and deleted', async () => {
    const { page, complaints } = await open();
    await page.goto(real.makeConsoleLink());
    await page.getByText('No connectors yet.').waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the secret has left the address');
    await page.getByRole('link', { name: 'Make the first connector' }).click();
    await page.getByRole('button', { name: 'Slack' }).click();
    await page.getByLabel('External user').fill('alice');
    await page.getByLabel('API token').fill('demo');
    await page.getByLabel('Start date').fill('2025-12-01T00:00:00Z');
    await page.getByLabel('Lookback window').fill('7');
    await page.getByLabel('Join channels').selectOption('No');
    await page.getByRole('button', { name: 'Check and create' }).click();
    await page.waitForURL(/\/connectors\/[0-9a-f-]{36}$/);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.getByText(/^Last sync .*: succeeded\.$/).waitFor();

    const { result } = await real.call('POST', `/api/v1/connectors/sources/${id}/execute`, {
      entity: 'channels',
      action: 'list',
      params: { limit: 1 },
    });
    const [channel] = result as readonly { readonly id: string }[];
    assert.ok(channel !== undefined);
    await page.goto(`${real.url}/console/explore?connector=${id}&entity=messages&action=create`);
    await page.getByRole('textbox', { name: 'channel' }).fill(channel.id);
    await page.getByRole('textbox', { name: 'text' }).fill('The heron has landed');
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByRole('tab', { name: 'Record' }).waitFor();

    await page.goto(`${real.url}/console/connectors/${id}`);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await untilFound(page, `${real.url}/console/search?connector=${id}&entity=channel_messages`);

    await page.goto(`${real.url}/console/connectors/${id}`);
    await page.getByRole('button', { name: 'Pause copying' }).click();
    await page.getByText('Copying is paused.').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete this connector' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Slack');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Delete/ })
      .click();
    await page.getByText('No connectors yet.').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a link is good once; the key of the operator and an application sign in, too', async () => {
    const link = real.makeConsoleLink();
    const first = await open();
    await first.page.goto(link);
    await first.page.getByText('as operator').waitFor();
    const second = await open();
    await second.page.goto(link);
    await second.page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
    await second.page.getByLabel("Operator's key").fill(real.operatorKey);
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    await second.page.getByText('as operator').waitFor();
  });

  test('a restart of the service in the middle ends no session', async () => {
    const { page } = await open();
    await page.goto(real.makeConsoleLink());
    await page.getByText('as operator').waitFor();
    const { pathname } = new URL(page.url());
    await real.restart(() => Promise.resolve());
    await page.goto(real.url + pathname);
    await page.getByText('as operator').waitFor();
  });
});

/** Searches until the copy has the message. */
async function untilFound(page: Page, address: string): Promise<void> {
  for (;;) {
    await page.goto(address);
    await page
      .getByLabel('The same search as JSON')
      .fill('{"query": {"filter": {"keyword": {"text": "heron"}}}}');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const heading = page.getByRole('heading', { name: / shown$/ });
    await heading.waitFor();
    if ((await heading.innerText()) === '1 shown') return;
    await page.waitForTimeout(500);
  }
}
