import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page, Route } from 'playwright-core';
import { framesText } from './support/frames.ts';
import { refusal } from './support/refusal.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

const RECORDS = 100_000;
/** More rows than that are not in sight on any screen of the tests. */
const MOST_ROWS = 80;
const SCROLLER = "document.querySelector('.records-scroller')";

describe('a copy with 100,000 records', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let path: string;
  before(async () => {
    opened = await openConsole();
    path = `/connectors/${await opened.createConnector()}?tab=records&entity=users`;
  });
  after(() => opened[Symbol.asyncDispose]());

  test('is browsed to its end and back, of which only what is in sight is drawn', async (t) => {
    const page = await opened.newPage();
    await page.route('**/execute', answerSearch);
    await page.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    await page.getByRole('navigation').waitFor();
    await page.goto(`${opened.front.url}/console${path}`);
    const grid = page.getByRole('grid', { name: 'users' });
    await grid.focus();
    await page.keyboard.press('End');
    await page.getByRole('row', { selected: true }).waitFor();
    const begunAt = performance.now();
    await readToTheEnd(page);
    t.diagnostic(`read to the end in ${Math.round(performance.now() - begunAt)} ms`);
    await page.keyboard.press('End');
    const chosen = grid.getByRole('row', { selected: true });
    await chosen.getByText(keyOf(RECORDS - 1)).waitFor();
    await page.getByRole('heading', { name: keyOf(RECORDS - 1) }).waitFor();
    assert.ok((await grid.getByRole('row').count()) < MOST_ROWS);
    await page.keyboard.press('Home');
    await chosen.getByText(keyOf(0)).waitFor();
    assert.equal(await grid.getAttribute('aria-rowcount'), String(RECORDS + 1));
    t.diagnostic(`frames while it scrolls: ${await framesText(page, SCROLLER)}`);
    assert.deepEqual(opened.complaints(), []);
  });

  test('says why it goes no further, and goes on when asked', async () => {
    const page = await opened.signedIn();
    const refused = {
      ...refusal('Not allowed any more.'),
      contentType: 'application/problem+json',
    };
    let isRefused = true;
    await page.route('**/execute', async (route) => {
      if (isRefused && cursorOf(route) > 0)
        await route.fulfill({ ...refused, body: JSON.stringify(refused.body) });
      else await answerSearch(route);
    });
    await page.goto(`${opened.front.url}/console${path}`);
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByRole('alert').getByText('Not allowed any more.').waitFor();
    isRefused = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByRole('row', { selected: true }).getByText(keyOf(499)).waitFor();
  });
});

/** Scrolls down until there is nothing more to read. */
async function readToTheEnd(page: Page): Promise<void> {
  // As text: the tests are compiled for Node.js, which has no document.
  await page.evaluate(`(async () => {
    const scroller = document.querySelector('.records-scroller');
    const grid = document.querySelector('[role=grid]');
    while (grid.getAttribute('aria-rowcount') === '-1') {
      scroller.scrollTo(0, scroller.scrollHeight);
      await new Promise(requestAnimationFrame);
    }
  })()`);
}

function keyOf(index: number): string {
  return `U${String(index).padStart(6, '0')}`;
}

/** Where a page begins; 0 for the first. */
function cursorOf(route: Route): number {
  const { params } = route.request().postDataJSON() as { readonly params: { cursor?: string } };
  return Number(params.cursor ?? 0);
}

/** A page of invented users, as the service has it: loading so many into a real copy takes minutes. */
async function answerSearch(route: Route): Promise<void> {
  const { params } = route.request().postDataJSON() as { readonly params: { limit: number } };
  const from = cursorOf(route);
  const to = Math.min(RECORDS, from + params.limit);
  const hits = Array.from({ length: to - from }, (_, place) => ({
    id: keyOf(from + place),
    score: 1,
    data: { id: keyOf(from + place), name: `Name ${from + place}`, profile: { title: 'Tester' } },
  }));
  const result = {
    hits,
    next_cursor: to < RECORDS ? String(to) : null,
    took_ms: 1,
    sync: { state: 'idle', as_of: '2026-11-22T09:20:20.092Z', complete: true, lag_seconds: 41 },
  };
  const metadata = {
    connector_instance_id: '01a2028e-7446-79d8-bd2c-204277a15b34',
    execution_time_ms: 1,
    request_id: '01a2028e-7740-7c16-a91c-28c5254bf8f8',
  };
  await route.fulfill({
    json: { status: 'success', result, connector_metadata: {}, execution_metadata: metadata },
  });
}
