import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page } from 'playwright-core';
import { openConsole, type OpenConsole } from './support/open-console.ts';

const LIST = '/v1/integrations/connectors';
/** Of a page whose parts stay where they are (https://web.dev/articles/cls). */
const STEADY = 0.1;

describe('the console on a slow network', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  before(async () => {
    opened = await openConsole();
    await opened.createConnector();
  });
  afterEach(() => {
    opened.front.delayMs = 0;
  });
  after(() => opened[Symbol.asyncDispose]());

  test('has a place for everything before it comes, and nothing moves', async (t) => {
    const page = await opened.newPage();
    // What needs attention comes last, and stands first.
    await page.route(/status=reauth_required/, async (route) => {
      const { data } = await opened.real.call('GET', LIST);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.fulfill({ json: { data, next: null } });
    });
    await page.addInitScript(WATCH_SHIFTS);
    opened.front.delayMs = 250;
    await page.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    await page.getByRole('status', { name: 'Loading the connectors' }).waitFor();
    await page.getByText('Credentials refused').waitFor();
    await page.locator('.chart-space').locator('canvas, p').nth(3).waitFor();
    const table = page.getByRole('table');
    assert.equal(await table.getByRole('link', { name: 'Team chat' }).count(), 1);
    const shift = await shiftOf(page);
    t.diagnostic(`layout shift ${shift.toFixed(3)}`);
    assert.ok(shift < STEADY, `${shift}`);
  });

  test('loads the first page while it asks who is signed in, and another one before its link is followed', async () => {
    const page = await opened.signedIn();
    let asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const whenAsked = (part: string) => asked.findIndex((path) => path.includes(part));
    await page.reload();
    await page.getByRole('table').waitFor();
    assert.notEqual(whenAsked('/overview-page'), -1);
    assert.ok(whenAsked('/overview-page') < whenAsked('/v1/applications'));

    const link = page.getByRole('link', { name: 'Explorer' });
    const loaded = page.waitForResponse(/\/explorer-page[^/]*\.js$/);
    await link.hover();
    await loaded;
    // With what it needs, of which the browser learns from it.
    await page.waitForTimeout(500);
    asked = [];
    await link.click();
    await page.getByRole('combobox', { name: 'Connector' }).waitFor();
    assert.deepEqual(
      asked.filter((path) => path.includes('/assets/')),
      [],
    );
  });

  test('makes one connector, however often somebody presses the button', async () => {
    const page = await opened.signedIn('/new?kind=chat-workspace');
    await page.getByLabel('External user').fill('dave');
    await page.getByLabel('API token').fill('demo');
    await page.getByLabel('Lookback window').fill('7');
    await page.getByLabel('Join channels').selectOption('No');
    opened.front.delayMs = 400;
    await page.getByRole('button', { name: 'Check and create' }).dblclick();
    await page.waitForURL(/\/connectors\/[0-9a-f-]{36}$/);
    const { data } = await opened.real.call('GET', `${LIST}?external_user_id=dave`);
    assert.equal((data as readonly unknown[]).length, 1);
  });
});

/** As text: the tests are compiled for Node.js, which has no document. */
const WATCH_SHIFTS = `
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.layoutShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

async function shiftOf(page: Page): Promise<number> {
  return Number(await page.evaluate('window.layoutShift'));
}
