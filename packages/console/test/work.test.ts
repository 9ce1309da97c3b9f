import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import { framesText } from './support/frames.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

describe('the first minute', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  before(async () => {
    opened = await openConsole();
  });
  after(() => opened[Symbol.asyncDispose]());

  test('one click leads from nothing to a search that has found something', async () => {
    const page = await opened.signedIn();
    await page.getByRole('button', { name: 'Try it with Slack of the sandbox' }).dblclick();
    await page.getByText('The connector is made.').waitFor();
    await page.waitForURL(/\/search\?connector=[0-9a-f-]{36}&entity=\w+&run=1$/);
    await page.getByRole('heading', { name: /match| shown/ }).waitFor();
    assert.ok((await page.getByRole('row').count()) > 1);
    const { data } = await opened.real.call('GET', '/v1/integrations/connectors');
    assert.equal((data as readonly unknown[]).length, 1, 'it was made once');
    assert.deepEqual(opened.complaints(), []);
  });
});

describe('a first copy', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  before(async () => {
    opened = await openConsole();
  });
  after(() => opened[Symbol.asyncDispose]());

  const id = '01a2028e-7446-79d8-bd2c-204277a15b34';
  const answer = (body: object) =>
    opened.front.instead.set(`GET /v1/integrations/connectors/${id}/sync`, { status: 200, body });
  const run = {
    run_id: id,
    cause: 'creation',
    state: 'queued',
    requested_at: '2026-11-23T09:00:00Z',
    started_at: null,
    finished_at: null,
  };

  test('that nobody begins says what there has to be', async () => {
    answer({ current: run, last: null, entities: [] });
    const page = await opened.signedIn(`?trial=${id}`);
    await page.getByText('The connector is made.').waitFor();
    await page.getByText('No process has begun to copy it.').waitFor();
  });

  test('that failed says why', async () => {
    const message = 'The upstream refused the credentials.';
    const entity = {
      entity: 'users',
      state: 'failed',
      complete: false,
      entity_count: 0,
      mode: null,
      records: null,
      pages: null,
      as_of: null,
      checkpoint: null,
      error: { code: 'upstream_auth', message },
      updated_at: null,
      drift: null,
    };
    const times = { started_at: run.requested_at, finished_at: run.requested_at };
    answer({ current: null, last: { ...run, ...times, state: 'failed' }, entities: [entity] });
    const page = await opened.signedIn(`?trial=${id}`);
    await page.getByRole('alert').getByText('The first copy failed.').waitFor();
    await page.getByText(message).waitFor();
    assert.deepEqual(opened.complaints(), []);
  });
});

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
    await page.getByLabel('API token').fill('demo');
    await page.getByLabel('Lookback window').fill('seven');
    await page.getByLabel('Join channels').selectOption('No');
    await page.getByText('must be an integer from 0 to 365', { exact: true }).waitFor();
    await page.getByLabel('Lookback window').fill('7');
    await page.getByRole('button', { name: 'Check and create' }).click();
    await page.getByRole('heading', { name: 'Slack' }).waitFor();
    const users = page.getByRole('row', { name: /^users/ });
    await users.getByText('10', { exact: true }).waitFor();
  });

  test('the service says at their fields what forms could not know', async () => {
    const page = await opened.signedIn('/new?kind=chat-workspace');
    await page.getByLabel('External user').fill('bob');
    await page.getByLabel('API token').fill('demo');
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

  test('a filter that found nothing says so of itself alone, not of the list that is read after it', async () => {
    await opened.createConnector('Chat of the seals');
    const page = await opened.signedIn('/?q=nothing-like-it');
    await page.getByText('No connector is like that.').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/\/connectors\?limit=200$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/connectors\?limit=200$/);
    const filter = page.getByLabel('Search connectors');
    await filter.fill('');
    await asked;
    assert.equal(await page.getByText(/^No connector/).count(), 0);
    held.resolve();
    await page.getByRole('table').waitFor();
    // It was never away.
    await page.locator('[aria-label="Search connectors"]:focus').waitFor();
  });

  test('the filter has what the address says, also where a link or a button of the browser changed that', async () => {
    const page = await opened.signedIn('/');
    const filter = page.getByLabel('Search connectors');
    await filter.fill('whales');
    await page.waitForURL(/q=whales/);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.getByRole('group', { name: 'Charts' }).waitFor();
    assert.equal(await filter.inputValue(), '');
    await page.goBack();
    await page.waitForFunction(FILTER_IS_WHALES);
    assert.match(page.url(), /q=whales/);
  });

  test('the overview shows what happened lately, over the time that is chosen', async () => {
    const page = await opened.signedIn();
    await page.getByText(/^[\d,]+ calls?, [\d,]+ errors?$/).waitFor();
    await page.locator('.chart-space').locator('canvas, p').nth(3).waitFor();
    const week = page.waitForResponse(/step=7200/);
    await page.getByLabel('Time').selectOption('Last 7 days');
    await week;
    assert.equal(new URL(page.url()).search, '?range=week');
    const chart = page.getByRole('figure').filter({ hasText: 'Records copied' });
    await chart.locator('.u-over').hover();
    await page.getByText(/^\w{3},? \d+, \d\d:\d\d: Records [\d,]+$/).waitFor();
  });

  test('of 10,000 connectors only those in sight are drawn', async (t) => {
    const [one] = (await opened.real.call('GET', '/v1/integrations/connectors?limit=1'))[
      'data'
    ] as readonly object[];
    const page = await opened.signedIn();
    let isRefused = false;
    await page.route('**/v1/integrations/connectors?*', (route) => {
      if (isRefused)
        return route.fulfill({ status: 500, json: { code: 'internal', detail: 'Broken.' } });
      const { searchParams } = new URL(route.request().url());
      return route.fulfill({ json: pageOf(one, searchParams) });
    });
    await page.reload();
    const table = page.getByRole('table');
    await table
      .getByRole('link', { name: 'Connector 0', exact: true })
      .waitFor({ timeout: 60_000 });
    assert.ok((await page.getByRole('row').count()) < 100);
    t.diagnostic(`frames while it scrolls: ${await framesText(page)}`);
    assert.ok((await page.getByRole('row').count()) < 100);
    // A page that cannot be read is asked for again by a person, not on and on.
    isRefused = true;
    const end = 'scrollTo(0, document.body.scrollHeight)';
    const more = page.getByRole('button', { name: 'More connectors' });
    while (!(await more.isVisible())) await page.evaluate(end);
    isRefused = false;
    await more.click();
    await more.waitFor({ state: 'detached' });
    const last = table.getByRole('link', { name: 'Connector 9999' });
    while (!(await last.isVisible())) await page.evaluate(end);
    assert.ok((await page.getByRole('row').count()) < 100);
    await page.context().close();
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

const MANY = 10_000;

/** A page of a list of connectors whose cursor is the place of its first one. */
function pageOf(one: object | undefined, query: URLSearchParams): object {
  // Nothing needs attention, which would be listed above.
  if (query.has('status')) return { data: [], next: null };
  const from = Number(query.get('cursor') ?? 0);
  const limit = Number(query.get('limit'));
  const data = Array.from({ length: Math.min(limit, MANY - from) }, (_, index) => ({
    ...one,
    id: `01a2028e-7446-79d8-bd2c-${String(from + index).padStart(12, '0')}`,
    name: `Connector ${from + index}`,
    last_error: null,
  }));
  return { data, next: from + limit < MANY ? String(from + limit) : null };
}

/** As text: the tests are compiled for Node.js, which has no document. */
const FILTER_IS_WHALES = `document.querySelector('[aria-label="Search connectors"]')?.value === 'whales'`;
