import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../../connect/test/support/browser.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

describe('the keyboard', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  before(async () => {
    opened = await openConsole();
    await opened.createConnector();
  });
  after(() => opened[Symbol.asyncDispose]());

  test('has keys that lead everywhere, and a list of them', async () => {
    const page = await opened.signedIn();
    await page.getByLabel('Search connectors').waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Next page of the navigation').waitFor();
    await assertAccessible(page, 'keys');
    await page.keyboard.press(']');
    assert.equal(pathOf(page), '/console', 'a dialog keeps the keys');
    await page.keyboard.press('Escape');
    // Not hidden alone, but gone.
    await page.locator('dialog').waitFor({ state: 'detached' });
    await pressTo(page, ']', /\/console\/explore$/);
    await page.keyboard.press('[');
    await page.waitForURL(/\/console$/);
    await page.keyboard.press('3');
    await page.waitForURL(/\/console\/search$/);
    await page.keyboard.press('1');
    await page.getByLabel('Search connectors').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('team/3');
    assert.equal(await page.getByLabel('Search connectors').inputValue(), 'team/3');
    assert.equal(pathOf(page), '/console', 'what is typed into a field is text');
  });

  test('leaves the keys alone where somebody has switched them off', async () => {
    const page = await opened.signedIn();
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByLabel('Use these keys in this browser').uncheck();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press(']');
    await page.keyboard.press('?');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(pathOf(page), '/console');
  });

  test('goes through a page in the order in which it reads', async () => {
    const page = await opened.signedIn();
    await page.getByRole('link', { name: 'Team chat' }).waitFor();
    const order = ['Skip to the page', 'Patchbay', 'Overview', 'Explorer', 'Search'];
    for (const name of order) {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), name);
    }
    await page.getByRole('button', { name: 'Skip to the page' }).focus();
    await page.keyboard.press('Enter');
    const inside = ['Connect link', 'New connector'];
    for (const name of inside) {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), name);
    }
  });
});

function pathOf(page: Page): string {
  return new URL(page.url()).pathname;
}

/** Where the machine is busy, a key that comes right after a dialog may be nobody's: a person presses it again. */
async function pressTo(page: Page, key: string, url: RegExp): Promise<void> {
  for (let attempt = 1; attempt < 3; attempt++) {
    await page.keyboard.press(key);
    const isThere = await page.waitForURL(url, { timeout: 3_000 }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  await page.keyboard.press(key);
  await page.waitForURL(url);
}
