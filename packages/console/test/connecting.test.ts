import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import { buildIfStale } from '../../connect/test/support/build.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';
import type { Page } from 'playwright-core';

describe('connecting an account in the console', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  before(async () => {
    await buildIfStale();
    opened = await openConsole();
  });
  after(() => opened[Symbol.asyncDispose]());

  test('by consent at the vendor, which may be refused first', async () => {
    await listOwnReturnUrl(opened);
    const page = await opened.signedIn('/new?kind=chat-workspace');
    await page.getByLabel('Method').selectOption('oauth');
    await page.getByRole('button', { name: 'Ask for consent instead' }).click();
    await page.getByText('is required').first().waitFor();
    await page.waitForFunction(
      `document.activeElement === document.querySelector('[aria-invalid="true"]')`,
    );
    const ask = async (answer: 'Allow' | 'Deny') => {
      await page.getByLabel('Method').selectOption('oauth');
      await page.getByLabel('External user').fill('erin');
      await page.getByLabel('Lookback window').fill('7');
      await page.getByLabel('Join channels').selectOption('No');
      await page.getByRole('button', { name: 'Ask for consent instead' }).click();
      await page.getByRole('link', { name: 'Continue to Slack' }).click();
      await page.getByRole('button', { name: answer }).first().click();
    };
    await ask('Deny');
    await page.getByRole('alert').getByText('Nothing was connected').waitFor();
    await page.goto(`${opened.front.url}/console/new?kind=chat-workspace`);
    await ask('Allow');
    await page.getByText('Connected', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/console/new');
    await page.getByRole('link', { name: 'Go to the connector' }).click();
    await page.getByText(/Sandbox Workspace, of erin/).waitFor();
  });

  test('and an address that anybody can write says nothing of it but our own words', async () => {
    const page = await opened.signedIn('/new?error_description=Call+555+0100+at+once');
    await page.getByRole('button', { name: 'Slack' }).waitFor();
    assert.equal(await page.getByText('555').count(), 0);
    for (const error of ['Call+555+0100', 'constructor', '__proto__']) {
      await page.goto(`${opened.front.url}/console/new?error=${error}&error_description=555`);
      await page
        .getByRole('alert')
        .getByText('Nothing was connected: the consent did not work. Try again.', { exact: true })
        .waitFor();
    }
    for (const id of ['nothing', '01a2028e-7446-79d8-bd2c-204277a15b34']) {
      await page.goto(`${opened.front.url}/console/new?connector_id=${id}`);
      await page.getByRole('button', { name: 'Slack' }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.getByText('Connected', { exact: true }).count(), 0, id);
    }
  });

  test('by consent behind a TLS proxy: the return URL that has to be listed is named, and offered', async () => {
    const page = await behindProxy(opened);
    const own = `${PROXY}/console/consented`;
    await page.goto(`${PROXY}/console/new?kind=customer-messaging`);
    await page.getByLabel('External user').fill('dora');
    await page.getByRole('button', { name: 'Ask for consent instead' }).click();
    const refused = page.getByRole('alert');
    await refused.getByText(own).waitFor();
    await refused.getByRole('link', { name: 'the settings of the application' }).click();
    const urls = page.getByRole('region', { name: 'Return URLs' });
    await urls.getByText(own).waitFor();
    await urls.getByRole('button', { name: 'Add it' }).click();
    await urls.getByRole('button', { name: `Remove ${own}` }).waitFor();
    await page.goto(`${PROXY}/console/new?kind=customer-messaging`);
    await page.getByLabel('External user').fill('dora');
    await page.getByRole('button', { name: 'Ask for consent instead' }).click();
    await page.getByRole('link', { name: 'Continue to Intercom' }).waitFor();
  });

  test('by a link: a person connects theirs, and whoever made the link confirms who it was', async () => {
    const page = await opened.signedIn('/connect-link');
    await page.getByLabel('External user').fill('carol');
    await page.getByLabel('Slack').check();
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    const person = await opened.newPage();
    await person.goto(link);
    await person.getByRole('button', { name: 'Continue to Slack' }).click();
    await person.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('button', { name: 'Confirm that it was carol' }).click();
    await page.getByRole('link', { name: 'Go to the connector' }).click();
    await page.getByText(/Sandbox Workspace, of carol/).waitFor();
    assert.deepEqual(opened.complaints(), []);
  });
});

const PROXY = 'https://patchbay.example.com';

/** The operator's console as a browser has it that reaches the service through a proxy with a name of its own. */
async function behindProxy(opened: OpenConsole): Promise<Page> {
  const { real, front } = opened;
  const page = await opened.newPage();
  await page.context().route(`${PROXY}/**`, async (route) => {
    const request = route.request();
    const url = request.url().replace(PROXY, front.url);
    // Playwright leaves out what the browser says by itself.
    const headers = { ...(await request.allHeaders()), 'sec-fetch-site': 'same-origin' };
    await route.fulfill({ response: await route.fetch({ url, headers, maxRedirects: 0 }) });
  });
  await page.goto(`${PROXY}/console`);
  await page.getByLabel("Operator's key").fill(real.operatorKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
  return page;
}

/** As an operator would who was told so by the settings of the application: no other URL may be led back to. */
async function listOwnReturnUrl({ real, front }: OpenConsole): Promise<void> {
  const authorization = `Bearer ${real.operatorKey}`;
  const at = `${real.url}/v1/applications`;
  const list = await fetch(at, { headers: { authorization } });
  const { data } = (await list.json()) as { readonly data: readonly { readonly id: string }[] };
  const changed = await fetch(`${at}/${data[0]?.id ?? ''}`, {
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ allowed_return_urls: [`${front.url}/console/consented`] }),
  });
  assert.equal(changed.status, 200);
}
