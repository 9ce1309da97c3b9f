import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible } from '../../connect/test/support/browser.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

type Json = Readonly<Record<string, unknown>>;

describe('the search builder', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let connector: string;
  before(async () => {
    opened = await openConsole();
    connector = await opened.createConnector();
    await untilCopied();
  });
  after(() => opened[Symbol.asyncDispose]());

  const searchPage = () => opened.signedIn(`/search?connector=${connector}&entity=users`);

  test('conditions find what they say, and facets narrow it down', async () => {
    const page = await searchPage();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await choosePath(page, 'real_name');
    await page.getByLabel('Operator').selectOption('fuzzy');
    await page.getByLabel('Value').fill('undrebough');
    const facets = page.getByRole('combobox', { name: 'Facets' });
    await facets.fill('is_bot');
    await facets.press('Enter');
    await facets.press('Escape');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('heading', { name: /^\d+ match/ }).waitFor();
    const names = await columnOf(page, 'real_name');
    assert.ok(names.length > 0);
    for (const name of names) assert.match(name, /Underbough/);
    const marked = await page.locator('tbody mark').allInnerTexts();
    assert.deepEqual([...new Set(marked)], ['Underbough'], 'the word that the query nearly is');
    assert.equal(marked.length, names.length);
    await page.getByText(/The copy is of .* old \(idle\)\./).waitFor();
    assert.deepEqual(await jsonOf(page), {
      query: { filter: { fuzzy: { real_name: 'undrebough' } } },
      facets: ['is_bot'],
      count: true,
      limit: 100,
    });
    await assertAccessible(page, 'a search');
    await page.getByRole('button', { name: /^false/ }).click();
    await page.getByRole('group', { name: 'Condition on is_bot' }).waitFor();
    const { query } = await jsonOf(page);
    assert.deepEqual(query, {
      filter: { and: [{ fuzzy: { real_name: 'undrebough' } }, { eq: { is_bot: false } }] },
    });
  });

  test('the JSON changes the form, and the form the JSON', async () => {
    const page = await searchPage();
    const json = page.getByLabel('The same search as JSON');
    const filter = {
      or: [{ gt: { tz_offset: 5 } }, { not: { or: [{ eq: { deleted: true } }] } }],
    };
    await json.fill(JSON.stringify({ query: { filter, sort: [{ updated: 'desc' }] } }));
    await page.getByRole('group', { name: 'Condition on tz_offset' }).waitFor();
    assert.equal(await page.getByLabel('Order').inputValue(), 'desc');
    await json.press('End');
    await json.pressSequentially(' x');
    await page.getByText('This is no JSON yet.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Search', exact: true }).isDisabled());
    await page.getByRole('button', { name: 'Remove the condition on tz_offset' }).click();
    assert.deepEqual(await jsonOf(page), {
      query: { filter: { or: [{ not: { eq: { deleted: true } } }] }, sort: [{ updated: 'desc' }] },
    });
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('region', { name: 'Hits of the search' }).waitFor();
    await assertAccessible(page, 'nested groups');
  });

  test('operators fit the field, and paths below it are suggested', async () => {
    const page = await searchPage();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await choosePath(page, 'is_bot');
    const operators = await page.getByLabel('Operator').locator('option').allInnerTexts();
    assert.deepEqual(operators, ['is', 'is not', 'is null or absent', 'is there']);
    await fieldOf(page).fill('profile.');
    await page.getByRole('option', { name: 'profile.email' }).waitFor();
  });

  test('elements of an array are asked for by a filter of their own, and null by an operator', async () => {
    const page = await searchPage();
    const array = 'profile.status_emoji_display_info';
    await page.getByRole('button', { name: 'Add condition' }).click();
    await choosePath(page, array);
    await page.getByLabel('Operator').selectOption('has an element where');
    const inside = page.getByRole('group', { name: 'Condition on a field' });
    await inside.getByRole('combobox', { name: 'Field' }).fill('unicode');
    const named = page.getByRole('group', { name: 'Condition on unicode' });
    await named.getByLabel('Operator').selectOption('is there');
    assert.deepEqual((await jsonOf(page))['query'], {
      filter: { any: { [array]: { neq: { unicode: null } } } },
    });
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('region', { name: 'Hits of the search' }).waitFor();
  });

  test('pages follow one another, and every hit is there once', async () => {
    const page = await searchPage();
    await page.getByLabel('Hits a page').fill('3');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('tab', { name: '3 hits' }).waitFor();
    await page.getByRole('button', { name: 'More hits' }).click();
    await page.getByRole('tab', { name: '6 hits' }).waitFor();
    const ids = await columnOf(page, 'id');
    assert.equal(new Set(ids).size, 6);
    await page.getByRole('heading', { name: /^\d+ matches/ }).waitFor();
  });

  test('what the service refuses is told with its place', async () => {
    const page = await searchPage();
    const json = page.getByLabel('The same search as JSON');
    await json.fill('{"query": {"filter": {"gt": {"is_bot": 1, "nme": 2}}}}');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('alert').getByText('invalid_query').waitFor();
    const bot = page.getByRole('group', { name: 'Condition on is_bot' });
    const name = page.getByRole('group', { name: 'Condition on nme' });
    await bot.getByText('does not work with "is_bot", of type boolean').waitFor();
    await name.getByText('is no searchable field').waitFor();
    assert.equal(await fieldIn(name).getAttribute('aria-invalid'), 'true');
    assert.equal(await page.getByRole('alert').getByRole('listitem').count(), 0);
    await assertAccessible(page, 'faults at their conditions');
    await bot.getByLabel('Operator').selectOption('is');
    await bot.getByText('does not work with').waitFor({ state: 'detached' });
    assert.equal(await fieldIn(name).getAttribute('aria-invalid'), 'true', 'it is as it was');
    await page.getByLabel('Hits a page').fill('0');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('must be an integer from 1 to 10000, got 0', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Hits a page').getAttribute('aria-invalid'), 'true');
    assert.deepEqual(opened.complaints(), []);
  });

  async function untilCopied(): Promise<void> {
    const path = `/v1/integrations/connectors/${connector}/sync`;
    for (let round = 0; round < 200; round++) {
      const { last } = await opened.real.call('GET', path);
      if (last !== null) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail('the connector was not copied');
  }
});

function fieldIn(condition: Locator) {
  return condition.getByRole('combobox', { name: 'Field' });
}

function fieldOf(page: Page) {
  return page.getByRole('combobox', { name: 'Field', exact: true });
}

async function choosePath(page: Page, path: string): Promise<void> {
  await fieldOf(page).fill(path);
  await page.getByRole('option', { name: path, exact: true }).click();
}

async function columnOf(page: Page, name: string): Promise<readonly string[]> {
  const names = await page.locator('thead th').allInnerTexts();
  const rows = page.locator('tbody tr');
  return rows.locator(`td:nth-child(${names.indexOf(name) + 1})`).allInnerTexts();
}

async function jsonOf(page: Page): Promise<Json> {
  return JSON.parse(await page.getByLabel('The same search as JSON').inputValue()) as Json;
}
