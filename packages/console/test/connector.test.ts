import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../../connect/test/support/browser.ts';
import { holdChange } from './support/hold-change.ts';
import { refusal } from './support/refusal.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

describe('the page of a connector', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let id: string;
  before(async () => {
    opened = await openConsole();
    id = await opened.createConnector();
  });
  afterEach(() => opened.front.instead.clear());
  after(() => opened[Symbol.asyncDispose]());

  const openPage = (query = '', ofId = id) => {
    opened.front.instead.set(`GET /v1/integrations/connectors/${ofId}/sync/runs`, runsAnswer());
    return opened.signedIn(`/connectors/${ofId}${query}`);
  };
  test('shows the copy of each entity as it is made, and why there were syncs', async () => {
    const page = await openPage();
    await untilCopied(page);
    const users = page.getByRole('row', { name: /^users/ });
    await users.getByText('Idle').waitFor();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('asked for').waitFor();
    await history.getByText('users: The upstream asked us to wait.').waitFor();
    await assertAccessible(page, 'syncs');
  });

  test('tells a sync as it goes on, and goes on with it after a restart of the service', async (t) => {
    const endSlowness = opened.real.slowUpstreams(1_000);
    t.after(endSlowness);
    const slowId = await opened.createConnector('Slow chat');
    const page = await openPage('', slowId);
    await page.getByText(/^Syncing for .* \(first copy\)\.$/).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await opened.real.restart(async () => {
      await page.getByText(/^What is shown may have changed/).waitFor();
    });
    await page.getByText('Live', { exact: true }).waitFor();
    assert.equal(await page.getByText(/^What is shown may have changed/).count(), 0);
    endSlowness();
    await untilCopied(page);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText(/\(asked for\)/).waitFor();
  });

  test('asks from time to time where no events come', async (t) => {
    const endSlowness = opened.real.slowUpstreams(500);
    t.after(endSlowness);
    const slowId = await opened.createConnector('Chat without events');
    opened.front.instead.set(`GET /v1/integrations/connectors/${slowId}/sync/events`, {
      status: 503,
      body: { code: 'not_ready', detail: 'It starts.', status: 503 },
    });
    const page = await openPage('', slowId);
    await page.getByText(/^Syncing for/).waitFor();
    await page
      .getByText(/^all: \d+ records/)
      .first()
      .waitFor();
    endSlowness();
    await untilCopied(page);
    assert.equal(await page.getByText('Live', { exact: true }).count(), 0);
  });

  test('pauses and resumes, disables and enables', async () => {
    const page = await openPage();
    await page.getByRole('button', { name: 'Pause copying' }).click();
    await page.getByText('Copying is paused.').waitFor();
    await stateOf(page, 'Paused');
    assert.equal(await page.getByRole('button', { name: 'Sync now' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Disable' }).click();
    await stateOf(page, 'Disabled');
    await assertAccessible(page, 'disabled');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Resume copying' }).click();
    await stateOf(page, 'Active');
  });

  test('browses the copy: columns in the address, keys, and the whole record beside it', async () => {
    const page = await openPage('?tab=records&entity=users');
    const grid = page.getByRole('grid', { name: 'users' });
    await grid.getByRole('columnheader', { name: 'name', exact: true }).waitFor();
    await page.getByText('Columns (').click();
    await page.getByRole('checkbox', { name: /^color / }).uncheck();
    await page.waitForURL(/columns=/);
    await page.reload();
    await grid.waitFor();
    assert.equal(await grid.getByRole('columnheader', { name: 'color' }).count(), 0);
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const chosen = grid.getByRole('row', { selected: true });
    const key = await chosen.getByRole('gridcell').first().innerText();
    const detail = page.getByRole('complementary', { name: 'Record' });
    await detail.getByRole('heading', { name: key }).waitFor();
    await detail.getByText(`"id": "${key}"`).waitFor();
    await assertAccessible(page, 'records');
    await page.keyboard.press('Escape');
    await detail.getByText('Choose a record').waitFor();
  });

  test('tells of each record when it was read, beside it in so many words', async () => {
    const page = await openPage('?tab=records&entity=users');
    const row = page.getByRole('grid', { name: 'users' }).getByRole('row').nth(1);
    await row.getByText(/^(just now|\d+ (s|min|h) ago)$/).waitFor();
    await row.click();
    const record = page.getByRole('complementary', { name: 'Record' });
    await record.getByText(/^Read \d+ \w+ \d{4}/).waitFor();
    assert.ok((await record.locator('time').first().getAttribute('datetime'))?.endsWith('Z'));
  });

  test('keeps what is entered while settings are saved', async () => {
    const savedId = await opened.createConnector('Saved slowly');
    const page = await openPage('?tab=settings', savedId);
    const held = await holdChange(page);
    await page.getByRole('textbox', { name: 'Name' }).fill('Saved at last');
    await page.getByRole('button', { name: 'Save' }).click();
    await held.begun;
    const window = page.getByRole('textbox', { name: 'Lookback window' });
    await window.fill('9');
    held.release();
    await page.getByRole('heading', { name: 'Saved at last' }).waitFor();
    assert.equal(await window.inputValue(), '9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { replication_config: saved } = await opened.real.call(
      'GET',
      `/v1/integrations/connectors/${savedId}`,
    );
    assert.equal((saved as { readonly lookback_window: number }).lookback_window, 9);
  });

  test('changes settings, and shows what is wrong with one at its field', async () => {
    const page = await openPage('?tab=settings');
    const days = page.getByLabel('Lookback window');
    await days.fill('1000000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^must be an integer from .* got 1000000$/).waitFor();
    await page.getByText('Nothing was saved').waitFor();
    await days.fill('9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { replication_config: saved } = await opened.real.call(
      'GET',
      `/v1/integrations/connectors/${id}`,
    );
    assert.equal((saved as Record<string, unknown>)['lookback_window'], 9);
    await assertAccessible(page, 'settings');
  });

  test('checks credentials, refuses wrong ones, and takes others', async () => {
    const page = await openPage('?tab=settings');
    await page.getByRole('button', { name: 'Check credentials' }).click();
    await page.getByText('The credentials work.').waitFor();
    await page.getByLabel('Method').selectOption('token');
    await page.getByLabel('API token').fill('an invalid token');
    await page.getByRole('button', { name: 'Use these credentials' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('API token').fill('demo');
    await page.getByRole('button', { name: 'Use these credentials' }).click();
    await page.getByText('The new credentials are in use.').waitFor();
    assert.equal(await page.getByLabel('API token').inputValue(), '');
  });

  test('lets credentials of another account take over only when asked to', async () => {
    const page = await openPage('?tab=settings');
    const sent: unknown[] = [];
    // The sandbox has one account of this vendor, so the refusal is played.
    await page.route(`**/connectors/${id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      const body = route.request().postDataJSON() as Record<string, unknown>;
      sent.push(body);
      if (body['replace_account'] === true) return route.continue();
      const options = { status: 409, code: 'account_mismatch' };
      const refused = refusal('The credentials are of another account.', options);
      return route.fulfill({
        status: refused.status,
        contentType: 'application/problem+json',
        body: JSON.stringify({ ...refused.body, details: { present: null, given: null } }),
      });
    });
    await page.getByLabel('Method').selectOption('token');
    await page.getByLabel('API token').fill('demo');
    await page.getByRole('button', { name: 'Use these credentials' }).click();
    await page.getByRole('button', { name: 'Replace the account' }).click();
    await page.getByText('The new credentials are in use.').waitFor();
    const credentials = { api_token: 'demo' };
    assert.deepEqual(sent, [{ credentials }, { credentials, replace_account: true }]);
  });

  test('takes consent at the vendor, and says how it went', async () => {
    const page = await openPage('?tab=settings');
    const ask = async (answer: 'Allow' | 'Deny') => {
      await page.getByLabel('Method').selectOption('oauth');
      await page.getByRole('button', { name: 'Consent at the vendor' }).click();
      await page.getByRole('link', { name: 'Continue to Slack' }).click();
      await page.getByRole('button', { name: answer }).first().click();
    };
    await ask('Deny');
    await page.getByRole('alert').getByText('Consent was refused at the vendor').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await ask('Allow');
    await page.getByText('You are back from the vendor.').waitFor();
    await page.getByText(/^OAuth.*, of Sandbox Workspace/).waitFor();
    assert.equal(new URL(page.url()).pathname, `/console/connectors/${id}`);
  });

  test('says what somebody has to do', async () => {
    const path = `/v1/integrations/connectors/${id}`;
    const connector = await opened.real.call('GET', path);
    opened.front.instead.set(`GET ${path}`, {
      status: 200,
      body: {
        ...connector,
        status: 'reauth_required',
        warnings: [
          {
            code: 'credentials_ending',
            message: 'The vendor ends these credentials.',
            ends_at: '2027-04-01T00:00:00.000Z',
          },
        ],
      },
    });
    const page = await openPage();
    await page
      .getByRole('status')
      .getByText(/^credentials_ending, on 1 Apr 2027/)
      .waitFor();
    await page.getByRole('link', { name: 'Give it new credentials' }).click();
    await page.getByRole('heading', { name: 'Re-authorise' }).waitFor();
  });

  test('warns of what the upstream sends and nobody knows, until that is over', async (t) => {
    const endNews = opened.real.sendUnknownFields();
    t.after(endNews);
    const driftId = await opened.createConnector('Chat with news');
    const page = await openPage('', driftId);
    const warning = page.getByRole('status').filter({ hasText: /^Slack sends fields that/ });
    await warning.getByText('They are not copied.').waitFor();
    await warning.getByText(/^of channels: .*sandbox_unknown_text/).waitFor();
    await untilCopied(page);
    await assertAccessible(page, 'drift');
    endNews();
    // Other settings: everything is read anew.
    const path = `/v1/integrations/connectors/${driftId}`;
    await opened.real.call('PATCH', path, { replication_config: { lookback_window: 8 } });
    await warning.waitFor({ state: 'detached' });
  });

  test('warns of values that are of another type than expected, of each entity', async () => {
    const path = `/v1/integrations/connectors/${id}/sync`;
    const status = await opened.real.call('GET', path);
    const drift = { unknown_fields: [], lost_values: 1_234, lost_fields: ['tz', 'updated'] };
    opened.front.instead.set(`GET ${path}`, {
      status: 200,
      body: { ...status, entities: withDrift(status['entities'], drift) },
    });
    const page = await openPage();
    const warning = page.getByRole('status').filter({ hasText: /of another type/ });
    await warning.getByText('of users: 1,234 in tz, updated').waitFor();
    assert.equal(await page.getByText(/sends fields that/).count(), 0);
  });

  test('says when it cannot be read, and reads it when asked again', async () => {
    opened.front.instead.set(`GET /v1/integrations/connectors/${id}`, refusal('Not allowed.'));
    const page = await openPage();
    await page.getByRole('alert').getByText('Not allowed.').waitFor();
    await assertAccessible(page, 'a failure');
    opened.front.instead.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await stateOf(page, 'Active');
  });

  test('shows names that would spoof others as they are, and of long ones the beginning', async () => {
    const at = `/v1/integrations/connectors/${id}`;
    const connector = await opened.real.call('GET', at);
    const status = await opened.real.call('GET', `${at}/sync`);
    const user = `\u202eecila${'W'.repeat(4_000)}`;
    const changed = {
      ...connector,
      external_user_id: user,
      account: { id: 'T1', name: '\u202edetsurt', principal: 'U1' },
    };
    const drift = { unknown_fields: ['\u202edoom'], lost_values: 0, lost_fields: [] };
    opened.front.instead.set(`GET ${at}`, { status: 200, body: changed });
    opened.front.instead.set(`GET ${at}/sync`, {
      status: 200,
      body: { ...status, entities: withDrift(status['entities'], drift) },
    });
    opened.front.instead.set('GET /v1/integrations/connectors', {
      status: 200,
      body: { data: [changed], next: null },
    });
    const page = await openPage();
    const main = page.getByRole('main');
    await main.getByText(String.raw`\u202edoom`).waitFor();
    await main.getByText(String.raw`\u202edetsurt`).waitFor();
    const shown = main.getByTitle(/^\\u202eecilaW+$/);
    const { width = 0, height = 0 } = (await shown.boundingBox()) ?? {};
    assert.ok(width <= 300 && height <= 30, `${width} x ${height} px`);
    assert.doesNotMatch(await main.innerText(), /\u202e/);
    await page.goto(`${opened.front.url}/console`);
    await main
      .getByRole('table')
      .getByTitle(/^\\u202eecilaW+$/)
      .waitFor();
    await main.getByText(String.raw`\u202edetsurt`).waitFor();
    assert.doesNotMatch(await main.innerText(), /\u202e/);
    const overflowOf = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).overflow`);
    // What is stacked upon a letter is drawn over nothing else.
    for (const selector of ['h1', '.main-cell']) assert.equal(await overflowOf(selector), 'clip');
  });

  test('deletes once the name has been typed', async () => {
    const page = await openPage('?tab=settings');
    await page.getByRole('button', { name: 'Delete this connector' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Delete' });
    await dialog.getByLabel('Type its name').fill('Team');
    assert.equal(await confirm.isDisabled(), true);
    await assertAccessible(page, 'deletion');
    await dialog.getByLabel('Type its name').fill('Team chat');
    await confirm.click();
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    await page.goto(`${opened.front.url}/console/connectors/${id}`);
    await page.getByText('There is no such connector').waitFor();
  });

  test('complains of nothing on the way', () => {
    assert.deepEqual(opened.complaints(), []);
    assert.deepEqual(opened.front.withCookie, []);
  });
});

/** Waits until the page says that the connector is in a state. */
function stateOf(page: Page, state: string): Promise<void> {
  return page.getByRole('heading', { level: 1 }).getByText(state).waitFor();
}

/** Waits until the page says that the last sync has ended well. */
function untilCopied(page: Page): Promise<void> {
  return page.getByText(/^Last sync .*: succeeded\.$/).waitFor();
}

/** The entities of a status, with the drift of users. */
function withDrift(entities: unknown, drift: object): readonly unknown[] {
  assert.ok(Array.isArray(entities));
  return entities.map((each: { readonly entity: string }) =>
    each.entity === 'users' ? { ...each, drift } : each,
  );
}

/** What the history says: a sync that failed. */
function runsAnswer() {
  const run = {
    run_id: '01a2028e-7450-7d10-bfed-1559943be1d7',
    cause: 'demand',
    state: 'failed',
    requested_at: '2026-11-22T09:20:20.049Z',
    started_at: '2026-11-22T09:20:20.080Z',
    finished_at: '2026-11-22T09:20:21.616Z',
    entities: ['users'],
    records_read: 212,
    records_written: 12,
    records_deleted: 0,
    error: {
      code: 'upstream_rate_limited',
      message: 'The upstream asked us to wait.',
      entity: 'users',
    },
  };
  return { status: 200, body: { data: [run], next: null } };
}
