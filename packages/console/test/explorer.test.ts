import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../../connect/test/support/browser.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

type Json = Readonly<Record<string, unknown>>;

describe('the explorer', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let connector: string;
  before(async () => {
    opened = await openConsole();
    connector = await opened.createConnector();
  });
  after(() => opened[Symbol.asyncDispose]());

  const explore = (entity: string, action: string) =>
    opened.signedIn(`/explore?connector=${connector}&entity=${entity}&action=${action}`);
  const executePath = () => `/api/v1/connectors/sources/${connector}/execute`;

  test('a connector, an entity and an action are chosen, and the address keeps them', async () => {
    const page = await opened.signedIn('/explore');
    await page.getByRole('combobox', { name: 'Connector' }).click();
    await page.getByRole('option', { name: 'Team chat' }).click();
    await page.getByLabel('Entity').selectOption('channels');
    await page.getByLabel('Action').selectOption('get');
    await fieldOf(page, 'channel').waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual(Object.fromEntries(searchParams), {
      connector,
      entity: 'channels',
      action: 'get',
    });
    await assertAccessible(page, 'a form');
  });

  test('a list is a table and JSON, says how long it took, and goes on', async () => {
    const page = await explore('users', 'list');
    await page.getByText('Optional fields').click();
    await page.getByLabel('limit').fill('2');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('tab', { name: '2 records' }).waitFor();
    const times = await page.getByRole('list', { name: 'Where the time went' }).innerText();
    assert.match(
      times,
      /^on the way [\d.]+ ms\s+waiting 0 ms\s+service [\d.]+ ms\s+upstream [\d.]+ ms$/,
    );
    await assertBarSays(page, times);
    const first = await cellsOf(page);
    await page.getByRole('button', { name: 'Next page' }).click();
    const cell = page.locator('tbody td').first();
    await cell.filter({ hasNotText: first[0] ?? '' }).waitFor();
    assert.notDeepEqual(await cellsOf(page), first);
    assert.notEqual(await page.getByLabel('cursor').inputValue(), '');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByText('"status": "success"').waitFor();
    await assertAccessible(page, 'an answer');
  });

  test('faults are shown at their fields: those of the form at once, those of the service after it', async () => {
    const page = await explore('channels', 'get');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('is required: a string').waitFor();
    await fieldOf(page, 'channel').and(page.locator(':focus')).waitFor();
    await page.getByLabel('Action').selectOption('list');
    await page.getByText('Optional fields').click();
    await page.getByLabel('limit').fill('99999');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText(/must be an integer from 1 to/).waitFor();
    await fieldOf(page, 'limit').and(page.locator(':focus')).waitFor();
    await page.getByLabel('limit').fill('5');
    await fieldOf(page, 'types').fill('nonsense');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').getByText('invalid_params').waitFor();
    assert.equal(await fieldOf(page, 'types').getAttribute('aria-invalid'), 'true');
    await page.locator('[aria-invalid=true]:focus').waitFor();
    assert.equal(await fieldOf(page, 'cursor').getAttribute('aria-invalid'), null);
    await assertAccessible(page, 'a refused call');
  });

  test('a write is asked for first, with exactly what is sent, and happens once', async () => {
    const [channel] = (await call('channels', 'list', { limit: 1 })) as readonly Json[];
    const page = await explore('messages', 'create');
    const sent: { readonly key: string | undefined; readonly body: string | null }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/execute'))
        sent.push({ key: request.headers()['idempotency-key'], body: request.postData() });
    });
    await page.getByLabel('channel').fill(String(channel?.['id']));
    await page.getByLabel('text').fill('Hello\nfrom "the" console');
    await page.getByRole('button', { name: 'Review and send' }).click();
    const dialog = page.getByRole('dialog');
    const shown = await dialog.getByLabel('What is sent').innerText();
    await assertAccessible(page, 'a write before it is sent');
    assert.equal(sent.length, 0, 'nothing is sent before it is confirmed');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('tab', { name: 'Record' }).waitFor();
    assert.equal(sent.length, 1);
    assert.ok(shown.includes(`Idempotency-Key: ${sent[0]?.key}`), shown);
    const body: unknown = JSON.parse(shown.slice(shown.indexOf('{')));
    assert.deepEqual(JSON.parse(sent[0]?.body ?? ''), body);
    await page.getByRole('button', { name: 'Review and send' }).click();
    const again = await dialog.getByLabel('What is sent').innerText();
    assert.ok(!again.includes(String(sent[0]?.key)), 'another write has another key');
  });

  test('a write whose outcome nobody knows is repeated with its key', async () => {
    const page = await explore('messages', 'create');
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/execute')) keys.push(request.headers()['idempotency-key']);
    });
    opened.front.instead.set(`POST ${executePath()}`, { status: 502, body: outcomeUnknown() });
    await page.getByLabel('channel').fill('C0NOWHERE');
    await page.getByLabel('text').fill('Once');
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByText('The write may have happened').waitFor();
    opened.front.instead.clear();
    // The same form once more is the same write, too.
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('dialog').getByText(String(keys[0])).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).first().click();
    await page.getByRole('button', { name: 'Send again with the same key' }).click();
    await page.getByRole('alert').waitFor();
    assert.equal(new Set(keys).size, 1);
    assert.ok(keys.length >= 2);
  });

  test('a call that takes long is stopped', async () => {
    const page = await explore('users', 'list');
    await page.route(`**${executePath()}`, () => undefined);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Run' }).isDisabled());
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('You stopped the call.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Run' }).isEnabled());
  });

  test('an answer of 5 MB is drawn in part, and scrolls', async () => {
    const text = 'x'.repeat(200);
    const result = Array.from({ length: 20_000 }, (_, index) => ({ id: `U${index}`, name: text }));
    opened.front.instead.set(`POST ${executePath()}`, { status: 200, body: envelopeOf(result) });
    const page = await explore('users', 'list');
    await page.getByRole('button', { name: 'Run' }).click();
    const table = page.getByRole('region', { name: 'Records of the answer' });
    await table.waitFor();
    assert.ok((await table.locator('tbody tr').count()) < 60);
    await table.press('End');
    await table.getByText('U19999', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = page.getByRole('region', { name: 'The answer as JSON' });
    await json.press('End');
    await json.getByText('"upstream": "sandbox"').waitFor();
    opened.front.instead.clear();
  });

  test('a file is told about, and saved byte by byte', async () => {
    const { id } = await opened.real.call('POST', '/v1/integrations/connectors', {
      external_user_id: 'alice',
      connector_type: 'zendesk-support',
      name: 'Help desk',
      credentials: { access_token: 'of-a-test' },
    });
    // The sandbox of these tests has its files elsewhere, so the answer is made up.
    opened.front.instead.set(`POST /api/v1/connectors/sources/${String(id)}/execute`, {
      status: 200,
      body: { content_base64: 'AP8KPGI+', content_type: 'text/html', size: 6 },
    });
    const page = await opened.signedIn(
      `/explore?connector=${String(id)}&entity=attachments&action=download`,
    );
    await fieldOf(page, 'attachment_id').fill('7');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('A file of 6 bytes').waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save' }).click();
    const bytes = await buffer(await (await saving).createReadStream());
    assert.deepEqual([...bytes], [0, 255, 10, 60, 98, 62]);
    opened.front.instead.clear();
  });

  test('of many connectors the service finds those that the text is in', async () => {
    const listed = await opened.real.call('GET', '/v1/integrations/connectors');
    const page = await opened.signedIn();
    const asked: (string | null)[] = [];
    await page.route('**/v1/integrations/connectors?*', (route) => {
      const request = route.request();
      // The page that was left for the explorer lists connectors now and then, too.
      if (request.frame().url().endsWith('/console/explore'))
        asked.push(new URL(request.url()).searchParams.get('q'));
      return route.fulfill({ json: { ...listed, next: 'more' } });
    });
    await page.goto(`${opened.front.url}/console/explore`);
    const choice = page.getByRole('combobox', { name: 'Connector' });
    await choice.click();
    await page.getByRole('option', { name: 'Team chat' }).waitFor();
    const found = page.waitForRequest((request) => request.url().includes('q=chat'));
    await choice.fill('chat');
    await found;
    await page.getByRole('option', { name: 'Team chat' }).click();
    await page.getByLabel('Entity').waitFor();
    assert.deepEqual(asked, [null, 'chat']);
  });

  test('the same call is there for a shell, for TypeScript and for the command line', async () => {
    const page = await explore('users', 'list');
    await page.getByText('The same call elsewhere').click();
    await page.getByText(`/api/v1/connectors/sources/${connector}/execute`).waitFor();
    await page.getByText('TypeScript', { exact: true }).click();
    await page.getByText('connector.users.list()').waitFor();
    await page.getByText('CLI', { exact: true }).click();
    await page.getByText(`patchbay execute users list --connector ${connector}`).waitFor();
    assert.deepEqual(opened.complaints(), []);
  });

  async function call(entity: string, action: string, params: Json): Promise<unknown> {
    const answer = await opened.real.call('POST', executePath(), { entity, action, params });
    return answer['result'];
  }

  function envelopeOf(result: unknown): Json {
    return {
      status: 'success',
      result,
      connector_metadata: { next_params: null },
      execution_metadata: {
        connector_instance_id: connector,
        execution_time_ms: 7,
        request_id: connector,
        upstream: 'sandbox',
      },
    };
  }
});

/** A part that takes half of the time has half of the bar. */
async function assertBarSays(page: Page, times: string): Promise<void> {
  const told = [...times.matchAll(/[\d.]+(?= ms)/g)].map(Number);
  const parts = await page.locator('.timing-bar span').all();
  const widths = await Promise.all(
    parts.map(async (part) => (await part.boundingBox())?.width ?? 0),
  );
  const [all, most] = [told.reduce((sum, ms) => sum + ms, 0), Math.max(...told)];
  const share = (widths[told.indexOf(most)] ?? 0) / widths.reduce((sum, width) => sum + width, 0);
  assert.ok(Math.abs(share - most / all) < 0.1, `${share} of the bar for ${times}`);
}

function fieldOf(page: Page, name: string) {
  return page.getByRole('textbox', { name });
}

function cellsOf(page: Page): Promise<readonly string[]> {
  return page.locator('tbody td').allInnerTexts();
}

function outcomeUnknown(): Json {
  const detail = 'The upstream gave no answer.';
  return {
    type: 'https://patchbay.dev/errors/write_outcome_unknown',
    title: 'Nobody knows whether the write happened.',
    status: 502,
    detail,
    message: detail,
    code: 'write_outcome_unknown',
    retry: 'never',
    request_id: '01a2028e-7748-74f7-8850-35d7e0746280',
    errors: [],
    details: { entity: 'messages', action: 'create', how_to_find_out: 'Read the channel.' },
  };
}
