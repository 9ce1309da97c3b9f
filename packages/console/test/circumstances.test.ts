import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page } from 'playwright-core';
import { openConsole, type OpenConsole } from './support/open-console.ts';

const HOUR_MS = 3_600_000;

describe('other circumstances than the usual ones', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let id: string;
  before(async () => {
    opened = await openConsole();
    id = await opened.createConnector('x'.repeat(200));
    await opened.untilCopied(id);
  });
  after(() => opened[Symbol.asyncDispose]());

  for (const [how, aheadMs] of [
    ['fast', HOUR_MS],
    ['slow', -HOUR_MS],
  ] as const)
    test(`a clock of the browser that is an hour ${how} makes nothing older or newer`, async () => {
      const page = await opened.newPage();
      await page.addInitScript(clockAheadBy(aheadMs));
      await page.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      assert.equal(await page.getByText(/^Your session ends/).count(), 0);
      await page.goto(`${opened.front.url}/console/connectors/${id}`);
      await page.getByRole('heading', { name: 'History' }).waitFor();
      const ages = [page.getByText(/^Last sync (\d+ s|[1-9] min) ago/)];
      ages.push(page.getByRole('row', { name: /^users/ }).getByText(/^(\d+ s|[1-9] min) ago$/));
      for (const age of ages) await age.waitFor();
      await page.goto(`${opened.front.url}/console/connectors/${id}?tab=records&entity=users`);
      const row = page.getByRole('grid', { name: 'users' }).getByRole('row').nth(1);
      await row.getByText(/^(\d+ s|[1-9] min) ago$/).waitFor();
    });

  test('charts with nothing to draw say so', async () => {
    const page = await opened.signedIn();
    await page.route('**/v1/stats?**', async (route) => {
      const answer = await route.fetch();
      const stats = (await answer.json()) as { readonly series: readonly object[] };
      const none = { calls: 0, errors: 0, latency_ms: null, upstream_wait_ms: 0, records: 0 };
      await route.fulfill({
        json: { ...stats, series: stats.series.map((each) => ({ ...each, ...none })) },
      });
    });
    await page.reload();
    await page.getByText('No calls in this time.').nth(1).waitFor();
    await page.getByText('No records in this time.').waitFor();
    await page.getByRole('table', { name: 'Connectors' }).waitFor();
    assert.equal(await page.locator('canvas').count(), 0);
  });

  test('the button of the browser that goes back leads from a form to the choice of kinds', async () => {
    const page = await opened.signedIn('/new');
    await page.getByRole('button', { name: 'Slack' }).click();
    await page.getByRole('heading', { name: 'New connector: Slack' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Slack' }).waitFor();
  });

  test('names of 200 characters without a blank leave every page as wide as the window', async () => {
    for (const width of [390, 1280]) {
      const page = await opened.signedIn('', { viewport: { width, height: 800 } });
      for (const path of ['', `/explore?connector=${id}`, `/search?connector=${id}`]) {
        await page.goto(`${opened.front.url}/console${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        assert.ok((await overflowOf(page, 'document.documentElement')) <= 0, `${path} ${width}`);
      }
      await page.goto(`${opened.front.url}/console/connectors/${id}?tab=settings`);
      await page.getByRole('button', { name: 'Delete this connector' }).click();
      assert.ok((await overflowOf(page, 'document.documentElement')) <= 0, `settings ${width}`);
      assert.ok(
        (await overflowOf(page, "document.querySelector('dialog')")) <= 0,
        `dialog ${width}`,
      );
    }
  });

  test('in a narrow window no button beside the navigation is cut, where applications can be changed', async () => {
    const page = await opened.signedIn('', { viewport: { width: 390, height: 800 } });
    const another = { id: '01a2028e-7446-79d8-bd2c-000000000000', name: 'Billing agent' };
    await page.route('**/v1/applications', async (route) => {
      const answer = await route.fetch();
      const { data, next } = (await answer.json()) as { data: readonly object[]; next: unknown };
      await route.fulfill({ json: { data: [...data, { ...data[0], ...another }], next } });
    });
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await page.getByRole('heading', { name: 'Choose an application' }).waitFor();
    await page.getByRole('button', { name: 'Default application' }).click();
    await page.getByRole('button', { name: 'Change application' }).waitFor();
    const widths =
      "[...document.querySelectorAll('.account button *')].map((each) => each.scrollWidth - each.clientWidth)";
    const cuts = await page.evaluate<readonly number[]>(widths);
    assert.deepEqual(
      cuts.filter((cut) => cut > 0),
      [],
    );
    assert.ok(cuts.length > 0);
  });

  test('where colours are forced, what is chosen is marked by a line', async () => {
    const page = await opened.signedIn(`/connectors/${id}?tab=records&entity=users`, {
      forcedColors: 'active',
    });
    const row = page.getByRole('grid', { name: 'users' }).getByRole('row').nth(1);
    await row.click();
    await page.getByRole('row', { selected: true }).waitFor();
    assert.equal(await outlineOf(page, '[aria-selected=true]'), 'solid');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    assert.equal(await outlineOf(page, '.navigation [aria-current]'), 'solid');
    assert.deepEqual(opened.complaints(), []);
  });
});

/** How much wider an element is inside than outside, in pixels. */
async function overflowOf(page: Page, element: string): Promise<number> {
  return Number(await page.evaluate(`${element}.scrollWidth - ${element}.clientWidth`));
}

async function outlineOf(page: Page, selector: string): Promise<unknown> {
  return page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`);
}

/** A script that sets a browser's clock. */
function clockAheadBy(ms: number): string {
  return `(() => {
    const Right = Date;
    globalThis.Date = class extends Right {
      constructor(...parts) {
        if (parts.length === 0) super(Right.now() + ${ms});
        else super(...parts);
      }
      static now() { return Right.now() + ${ms}; }
    };
  })()`;
}
