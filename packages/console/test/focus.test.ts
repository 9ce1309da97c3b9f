import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Locator, Page } from 'playwright-core';
import { openConsole, type OpenConsole } from './support/open-console.ts';

describe('where the focus is', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let id: string;
  before(async () => {
    opened = await openConsole();
    id = await opened.createConnector();
    await opened.untilCopied(id);
  });
  afterEach(() => {
    opened.front.delayMs = 0;
  });
  after(() => opened[Symbol.asyncDispose]());

  /** Presses a button with the keyboard while answers are slow: it keeps the focus, busy and afterwards. */
  const press = async (page: Page, button: Locator) => {
    await button.waitFor();
    opened.front.delayMs = 400;
    await button.focus();
    await page.keyboard.press('Enter');
    await button.and(page.locator('[aria-disabled=true]')).waitFor();
    await assertFocused(button);
    opened.front.delayMs = 0;
    await button.and(page.locator(':not([aria-disabled])')).waitFor();
    await assertFocused(button);
  };

  test('a button keeps it while what it asks for is under way', async () => {
    const page = await opened.signedIn(`/connectors/${id}?tab=settings`);
    await press(page, page.getByRole('button', { name: 'Check credentials' }));
    await press(page, page.getByRole('button', { name: 'Sync now' }));
    await press(page, page.getByRole('button', { name: /^(Pause|Resume) copying$/ }));
    await press(page, page.getByRole('button', { name: /^(Pause|Resume) copying$/ }));
    await page.goto(`${opened.front.url}/console/explore?connector=${id}`);
    await press(page, page.getByRole('button', { name: 'Run' }));
  });

  test('a button that cannot be pressed is not, nor by the Enter key in a field', async () => {
    const page = await opened.signedIn(`/connectors/${id}?tab=settings`);
    const save = page.getByRole('button', { name: 'Save' });
    await save.waitFor();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.url());
    });
    await page.getByLabel('Name').press('Enter');
    await save.focus();
    await page.keyboard.press('Enter');
    await save.click({ force: true });
    await page.getByLabel('Name').fill('Team chat 2');
    await page.getByLabel('Name').press('Enter');
    await page.getByText('Saved.').waitFor();
    assert.equal(sent.length, 1);
    await page.getByLabel('Name').fill('Team chat');
    await save.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    await assertFocused(save);
  });

  test('a page that somebody comes to has it at its heading, whichever way they came', async () => {
    const page = await opened.signedIn();
    const heading = (name: string) => page.getByRole('heading', { level: 1, name });
    await heading('Connectors').waitFor();
    assert.equal(await page.evaluate('document.activeElement === document.body'), true);
    await page.getByRole('link', { name: 'Team chat' }).first().press('Enter');
    await assertFocused(heading('Team chat'));
    await page.getByRole('link', { name: 'Applications' }).press('Enter');
    await assertFocused(heading('Applications'));
    await page.goBack();
    await assertFocused(heading('Team chat'));
    await page.keyboard.press('2');
    await assertFocused(heading('Explorer'));
    await page.getByRole('link', { name: 'Overview' }).click();
    await assertFocused(heading('Connectors'));
    await page.getByRole('link', { name: 'New connector' }).first().press('Enter');
    await assertFocused(heading('New connector'));
    await page.getByRole('button', { name: 'Slack' }).press('Enter');
    await assertFocused(heading('New connector: Slack'));
    await page.getByRole('button', { name: 'Another kind' }).press('Enter');
    await assertFocused(heading('New connector'));
  });

  test('a part of a page leaves it at the link that was followed', async () => {
    const page = await opened.signedIn(`/connectors/${id}`);
    const records = page.getByRole('link', { name: 'Records' });
    await records.press('Enter');
    await page.getByRole('grid').waitFor();
    await assertFocused(records);
  });

  test('signing in leads to the heading, and signing out to the field', async () => {
    const page = await opened.newPage();
    await page.goto(`${opened.front.url}/console`);
    const key = page.getByLabel("Operator's key");
    await assertFocused(key);
    await key.fill(opened.real.operatorKey);
    await key.press('Enter');
    await assertFocused(page.getByRole('heading', { level: 1, name: 'Connectors' }));
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await assertFocused(key);
  });

  test('a dialog gives it back to what opened it, or to what is left around that', async () => {
    const page = await opened.signedIn('/applications');
    const start = page.getByRole('button', { name: 'New application' });
    for (const leave of ['Escape', 'Cancel']) {
      await start.press('Enter');
      await assertFocused(page.getByRole('dialog').getByLabel('Name'));
      if (leave === 'Escape') await page.keyboard.press('Escape');
      else await page.getByRole('button', { name: leave }).press('Enter');
      await assertFocused(start);
    }
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('link', { name: 'Secrets and tokens' }).click();
    const another = page.getByRole('button', { name: 'New secret' });
    await another.press('Enter');
    await page.getByRole('button', { name: 'Make it' }).press('Enter');
    await assertFocused(page.getByRole('dialog').getByRole('heading', { name: 'New secret' }));
    await page.getByRole('button', { name: 'I have stored it' }).press('Enter');
    await assertFocused(another);
    await page
      .getByRole('button', { name: /^Delete the secret/ })
      .last()
      .press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('The last one stays').waitFor();
    await assertFocused(page.getByRole('heading', { name: 'Client secrets' }));
  });

  test('what is taken off a list leaves it at the heading of the list', async () => {
    const page = await opened.signedIn('/applications');
    await page.getByRole('row').nth(1).getByRole('link').click();
    const origins = page.getByRole('region', { name: 'Origins' });
    await origins.getByRole('textbox').fill('https://app.example.com');
    await origins.getByRole('textbox').press('Enter');
    await origins.getByRole('button', { name: 'Remove https://app.example.com' }).press('Enter');
    await origins.getByText(/^None:/).waitFor();
    await assertFocused(origins.getByRole('heading', { name: 'Origins' }));
  });

  test('a condition that is removed leaves it in its group, and a write that is sent at its button', async () => {
    const page = await opened.signedIn(`/search?connector=${id}&entity=users`);
    await page.getByRole('button', { name: 'Add condition' }).press('Enter');
    await page.getByRole('button', { name: /^Remove the condition/ }).press('Enter');
    await assertFocused(page.getByLabel('How many must hold'));
    await page.goto(
      `${opened.front.url}/console/explore?connector=${id}&entity=messages&action=create`,
    );
    await page.getByRole('textbox', { name: 'channel' }).fill('C0001');
    await page.getByRole('textbox', { name: 'text' }).fill('Hello');
    const review = page.getByRole('button', { name: 'Review and send' });
    await review.press('Enter');
    const send = page.getByRole('dialog').getByRole('button', { name: 'Send' });
    await assertFocused(send);
    await send.press('Enter');
    // There is no such channel.
    await page.getByRole('alert').waitFor();
    await assertFocused(review);
  });

  test('an optional field keeps it while it is typed into, and nothing is sent', async () => {
    const page = await opened.signedIn(`/explore?connector=${id}&entity=messages&action=create`);
    const calls = callsOf(page);
    await page.getByRole('textbox', { name: 'channel' }).fill('C0001');
    await page.getByRole('textbox', { name: 'text' }).fill('Hello');
    await page.getByText('Optional fields').click();
    const field = page.getByRole('textbox', { name: 'thread_ts' });
    await field.click();
    await page.keyboard.type('a b c', { delay: 40 });
    assert.equal(await field.inputValue(), 'a b c');
    for (const _ of 'a b c') await page.keyboard.press('Backspace');
    await page.keyboard.type('d');
    assert.equal(await field.inputValue(), 'd');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.deepEqual(calls, []);
  });

  test('what is taken off a form leaves it at a field, where no key sends anything', async () => {
    const page = await opened.signedIn(`/explore?connector=${id}&entity=channels&action=list`);
    const calls = callsOf(page);
    await page.getByText('Optional fields').click();
    const field = page.getByRole('textbox', { name: 'types' });
    await field.focus();
    await field.evaluate((element: { remove(): void }) => element.remove());
    await page.locator('form[aria-label=Call] :focus').waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('1');
    assert.equal(await page.locator('form[aria-label=Call] [type=submit]:focus').count(), 0);
    assert.deepEqual(calls, []);
  });

  test('a key that is held down asks once whether a write is to be sent, and sends none', async () => {
    const page = await opened.signedIn(`/explore?connector=${id}&entity=messages&action=create`);
    const calls = callsOf(page);
    await page.getByRole('textbox', { name: 'channel' }).fill('C0001');
    await page.getByRole('textbox', { name: 'text' }).fill('Hello');
    await page.getByRole('button', { name: 'Review and send' }).focus();
    for (let repeat = 0; repeat < 20; repeat++) {
      await page.keyboard.down('Enter');
      await page.waitForTimeout(33);
    }
    await page.keyboard.up('Enter');
    const send = page.getByRole('dialog').getByRole('button', { name: 'Send' });
    await assertFocused(send);
    assert.deepEqual(calls, []);
    await send.press('Enter');
    await page.getByRole('alert').waitFor();
    assert.equal(calls.length, 1);
  });

  test('a form that fails leads to its own first fault, not to one of another form', async () => {
    const page = await opened.signedIn(`/connectors/${id}?tab=settings`);
    const name = page.getByLabel('Name');
    await name.fill('\u202eab');
    await name.press('Enter');
    await page.locator('[aria-invalid=true]').first().waitFor();
    const token = page.locator('form input[type=password]').first();
    await token.fill('wrong token');
    await page.route('**/v1/integrations/connectors/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await token.press('Enter');
    await page.getByRole('alert').last().waitFor();
    await page.waitForTimeout(300);
    await assertFocused(token);
  });

  test('a connector that is deleted leaves it at the heading of the list of connectors', async () => {
    const gone = await opened.createConnector('Soon gone');
    const page = await opened.signedIn(`/connectors/${gone}?tab=settings`);
    await page.getByRole('button', { name: 'Delete this connector' }).press('Enter');
    await page.getByLabel(/^Type its name/).fill('Soon gone');
    await page.keyboard.press('Enter');
    await assertFocused(page.getByRole('heading', { level: 1, name: 'Connectors' }));
    assert.deepEqual(opened.complaints(), []);
  });
});

/** Bodies of what a page has executed, from now on. */
function callsOf(page: Page): readonly (string | null)[] {
  const calls: (string | null)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/execute')) calls.push(request.postData());
  });
  return calls;
}

/** Waits until an element has the focus, which may come with what is loaded. */
async function assertFocused(element: Locator): Promise<void> {
  await element.waitFor();
  await element.and(element.page().locator(':focus')).waitFor({ timeout: 5_000 });
}
