import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible } from '../../connect/test/support/browser.ts';
import { giveInSession } from './support/give-in-session.ts';
import { holdChange } from './support/hold-change.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

type Json = Readonly<Record<string, unknown>>;

describe('the pages of applications', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let ownId: string;
  before(async () => {
    opened = await openConsole();
    const { data } = await asOperator('GET', '/v1/applications');
    ownId = String((data as readonly Json[])[0]?.['id']);
  });
  afterEach(() => opened.front.instead.clear());
  after(() => opened[Symbol.asyncDispose]());

  const asOperator = async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await ask(method, path, { token: opened.real.operatorKey, body });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response.status === 204 ? {} : ((await response.json()) as Json);
  };
  const ask = (
    method: string,
    path: string,
    { token, body }: { readonly token?: string; readonly body?: Json | undefined },
  ) =>
    fetch(opened.real.url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const newApplication = async (name: string) => {
    const made = await asOperator('POST', '/v1/applications', { name });
    return {
      id: String(made['id']),
      credentials: { client_id: made['client_id'], client_secret: made['client_secret'] },
    };
  };
  const logIn = (credentials: Json) =>
    ask('POST', '/api/v1/account/applications/token', { body: credentials });
  /** As the operator, who works in the first application that there is. */
  const openedAt = async (path: string) => {
    const page = await opened.newPage();
    await page.addInitScript(`sessionStorage.setItem('patchbay.application', '${ownId}')`);
    await page.goto(`${opened.front.url}/console${path}#${opened.front.newLinkSecret()}`);
    return page;
  };
  /** A page in which an application is signed in, by itself. */
  const signedInAs = async ({ client_id: id, client_secret: secret }: Json, path: string) => {
    const page = await opened.newPage();
    await page.goto(`${opened.front.url}/console${path}`);
    await page.getByText('Application', { exact: true }).click();
    await page.getByLabel('Client id').fill(String(id));
    await page.getByLabel('Client secret').fill(String(secret));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    return page;
  };

  test('the operator makes one: its secret is shown once, works, and leaves nothing behind', async () => {
    const page = await openedAt('/applications');
    await page.getByText('You work in it').waitFor();
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Billing agent');
    await page.getByRole('button', { name: 'Make it' }).click();
    const dialog = page.getByRole('dialog', { name: 'Billing agent is made' });
    const clientId = await dialog.getByRole('textbox', { name: 'Client id' }).inputValue();
    const secret = await dialog.getByRole('textbox', { name: 'Client secret' }).inputValue();
    await assertAccessible(page, 'a secret');
    const login = await logIn({ client_id: clientId, client_secret: secret });
    assert.equal(login.status, 200);
    await dialog.getByRole('button', { name: 'Copy the client secret' }).waitFor();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Billing agent' }).waitFor();
    await assertNowhere(page, secret);
    // Another application does not take the place of the one that is worked in.
    await page.getByText('You work in it').waitFor();
    await page.getByRole('button', { name: 'Work in Billing agent' }).click();
    await page.getByTitle('Billing agent', { exact: true }).waitFor();
  });

  test('all of them are found by name, revoked ones are marked', async () => {
    await newApplication('Reports');
    const { data } = await asOperator('GET', '/v1/applications');
    const [first] = data as readonly Json[];
    const many = Array.from({ length: 250 }, (_, index) => ({
      ...first,
      id: `01a2028e-7446-79d8-bd2c-${String(index).padStart(12, '0')}`,
      name: `Application ${index}`,
      revoked_at: index === 7 ? '2026-01-01T00:00:00.000Z' : null,
    }));
    const body = { data: [...(data as readonly Json[]), ...many], next: null };
    opened.front.instead.set('GET /v1/applications', { status: 200, body });
    const page = await openedAt('/applications');
    await page.getByRole('link', { name: 'Application 0', exact: true }).waitFor();
    assert.ok((await page.getByRole('row').count()) <= 101);
    await page.getByLabel('Search applications').fill('application 7');
    const seventh = page.getByRole('row', { name: /Application 7 / });
    await seventh.getByText('Revoked').waitFor();
    assert.equal(await seventh.getByRole('button').count(), 0, 'nobody works in it');
    assert.equal(new URL(page.url()).searchParams.get('q'), 'application 7');
    await page.getByLabel('Search applications').fill('nothing of the kind');
    await page.getByText('No application is like that.').waitFor();
  });

  test('a revoked one can be deleted, and nothing else', async () => {
    const { id } = await newApplication('Gone soon');
    const shown = await asOperator('GET', `/v1/applications/${id}`);
    const body = { ...shown, revoked_at: '2026-01-01T00:00:00.000Z' };
    opened.front.instead.set(`GET /v1/applications/${id}`, { status: 200, body });
    const page = await openedAt(`/applications/${id}`);
    await page.getByText(/^Revoked since/).waitFor();
    await page.getByRole('button', { name: 'Delete this application' }).waitFor();
    assert.equal(await page.getByRole('navigation', { name: /Parts/ }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  });

  test('name and limit are changed, and what is wrong is said at the field', async () => {
    const { id } = await newApplication('Name to change');
    const page = await openedAt(`/applications/${id}`);
    const save = page.getByRole('button', { name: 'Save' });
    const limit = page.getByLabel('Calls a minute');
    assert.equal(await save.isDisabled(), true);
    await limit.fill('many');
    await page.getByText('must be a whole number from 1, or empty').waitFor();
    assert.equal(await save.isDisabled(), true);
    await limit.fill('99999999');
    await save.click();
    await page.getByText(/must be an integer from 1 to 10000000/).waitFor();
    await page.getByText('Nothing was saved: see what is wrong at the fields.').waitFor();
    assert.equal(await limit.getAttribute('aria-invalid'), 'true');
    await limit.fill('600');
    await page.getByRole('textbox', { name: 'Name' }).fill('Another name');
    await save.click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('heading', { name: 'Another name' }).waitFor();
    const { name, rate_limit: saved } = await asOperator('GET', `/v1/applications/${id}`);
    assert.deepEqual([name, saved], ['Another name', 600]);
    await limit.fill('');
    await save.click();
    await page.getByText('Saved.').waitFor();
    const later = await asOperator('GET', `/v1/applications/${id}`);
    assert.equal(later['rate_limit'], null, 'the limit of the service');
    await page.getByRole('link', { name: 'Applications' }).click();
    await page.getByRole('link', { name: 'Another name' }).waitFor();
  });

  test('return URLs and origins are judged before they are sent, as the service judges them', async () => {
    const { id } = await newApplication('With lists');
    const page = await openedAt(`/applications/${id}`);
    const urls = page.getByRole('region', { name: 'Return URLs' });
    const field = urls.getByLabel('Another return URL');
    await urls.getByText(/^None:/).waitFor();
    for (const [text, fault] of [
      ['http://app.example.com/back', /must be a URL such as/],
      ['https://app.example.com/back?tenant=1', /without a query/],
    ] as const) {
      await field.fill(text);
      await field.blur();
      await urls.getByText(fault).waitFor();
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
    }
    await assertAccessible(page, 'a faulty URL');
    await field.fill('HTTPS://App.example.com/back');
    await urls.getByRole('button', { name: 'Add', exact: true }).click();
    await urls.getByRole('button', { name: 'Remove https://app.example.com/back' }).waitFor();
    await untilEmpty(field);
    await field.fill('https://app.example.com/back');
    await field.press('Enter');
    await urls.getByText('is on the list already').waitFor();
    await urls.getByRole('button', { name: 'Add it' }).click();
    const own = `${opened.front.url}/console/consented`;
    await urls.getByRole('button', { name: `Remove ${own}` }).waitFor();

    const origins = page.getByRole('region', { name: 'Origins' });
    await origins.getByLabel('Another origin').fill('https://app.example.com/');
    await origins.getByLabel('Another origin').press('Enter');
    await origins.getByText(/must be an origin such as/).waitFor();
    await origins.getByLabel('Another origin').fill('https://app.example.com');
    await origins.getByLabel('Another origin').press('Enter');
    await origins.getByRole('button', { name: /^Remove/ }).waitFor();
    await urls.getByRole('button', { name: 'Remove https://app.example.com/back' }).click();
    await urls.getByText('https://app.example.com/back', { exact: true }).waitFor({
      state: 'detached',
    });
    const saved = await asOperator('GET', `/v1/applications/${id}`);
    assert.deepEqual(saved['allowed_return_urls'], [own]);
    assert.deepEqual(saved['allowed_origins'], ['https://app.example.com']);
  });

  test('secrets: several at a time, each shown once, and the last one stays', async () => {
    const { id, credentials } = await newApplication('With secrets');
    const page = await openedAt(`/applications/${id}?tab=secrets`);
    const secrets = page.getByRole('region', { name: 'Client secrets' });
    await secrets.getByText('The last one stays: make another first').waitFor();
    assert.equal(await secrets.getByRole('button', { name: /^Delete/ }).count(), 0);
    await secrets.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'Make it' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    const second = await dialog.getByRole('textbox', { name: 'Client secret' }).inputValue();
    assert.equal((await logIn({ ...credentials, client_secret: second })).status, 200);
    await page.keyboard.press('Escape');
    // One that is closed is no dialog any more before it has gone.
    await page.locator('dialog').waitFor({ state: 'detached' });
    await assertNowhere(page, second);
    await secrets
      .getByRole('button', { name: /^Delete/ })
      .nth(1)
      .waitFor();
    await secrets
      .getByRole('button', { name: /^Delete/ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByText(/^Whatever logs in with it is refused/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await secrets.getByText('The last one stays: make another first').waitFor();
    assert.equal((await logIn(credentials)).status, 401, 'the older one');
    assert.equal((await logIn({ ...credentials, client_secret: second })).status, 200);
  });

  test('a token is revoked, by itself or its id, and the field is empty then', async () => {
    const { id, credentials } = await newApplication('With tokens');
    const page = await openedAt(`/applications/${id}?tab=secrets`);
    const field = page.getByLabel('Token, or its id (jti)');
    for (const nameOf of [(token: string) => token, jtiOf]) {
      const { access_token: token } = (await (await logIn(credentials)).json()) as Json;
      const read = () => ask('GET', `/v1/applications/${id}`, { token: String(token) });
      assert.equal((await read()).status, 200);
      await field.fill(nameOf(String(token)));
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText(/^Revoked at/).waitFor();
      await untilEmpty(field);
      assert.equal((await read()).status, 401);
      await assertNowhere(page, nameOf(String(token)));
      await page.reload();
    }
  });

  test('one is deleted once its name has been typed', async () => {
    const { id, credentials } = await newApplication('To be deleted');
    const page = await openedAt(`/applications/${id}`);
    await page.getByRole('button', { name: 'Delete this application' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete To be deleted' });
    const confirm = dialog.getByRole('button', { name: 'Delete' });
    await dialog.getByLabel(/^Type its name/).fill('To be');
    assert.equal(await confirm.isDisabled(), true);
    await assertAccessible(page, 'a deletion');
    await dialog.getByLabel(/^Type its name/).fill('To be deleted');
    await confirm.click();
    await page.waitForURL(/\/console\/applications$/);
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'To be deleted' }).count(), 0);
    assert.equal((await logIn(credentials)).status, 401);
    await page.goto(`${opened.front.url}/console/applications/${id}`);
    await page.getByRole('heading', { name: 'There is no such application' }).waitFor();
  });

  test('connect sessions show how far they are, and one that waits is confirmed', async () => {
    const made = await opened.real.call('POST', '/v1/connect-sessions', {
      external_user_id: 'dora',
      user_label: 'Dora Example',
      connector_types: ['slack'],
    });
    await opened.real.call('POST', '/v1/connect-sessions', { external_user_id: 'emil' });
    const page = await openedAt(`/applications/${ownId}?tab=sessions`);
    const doras = page.getByRole('row', { name: /dora/ });
    await doras.getByText('Open', { exact: true }).waitFor();
    await doras.getByText('Slack').waitFor();
    await page.getByRole('row', { name: /emil/ }).getByText('not chosen yet').waitFor();
    await giveInSession(opened.real.url, String(made['connect_url']));
    await page.getByRole('combobox', { name: 'State' }).selectOption('Unconfirmed');
    assert.equal(new URL(page.url()).searchParams.get('status'), 'unconfirmed');
    await page.getByRole('row', { name: /emil/ }).waitFor({ state: 'detached' });
    await doras.getByText('Sandbox').waitFor();
    await doras.getByRole('button', { name: 'Confirm the session of dora' }).click();
    const dialog = page.getByRole('dialog', { name: 'Was it Dora Example' });
    await dialog.getByText(/^Confirm it only where/).waitFor();
    await assertAccessible(page, 'a confirmation');
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No connect session is like that.').waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('Every state');
    await doras.getByText('Succeeded').waitFor();
    await doras.getByRole('link', { name: 'The connector' }).click();
    await page.getByRole('heading', { name: 'Slack' }).waitFor();
    assert.ok(!(await page.content()).includes('/connect#'));
  });

  test('a session for a name that would spoof another shows it as it is, and on one line', async () => {
    await opened.real.call('POST', '/v1/connect-sessions', { external_user_id: 'gina' });
    const { data } = await opened.real.call('GET', '/v1/connect-sessions');
    const [first] = data as readonly Json[];
    const account = { id: 'T1', name: '\u202edetsurt', principal: '\u2066U1' };
    const session = {
      ...first,
      external_user_id: `\u202eecila${'W'.repeat(4_000)}`,
      status: 'unconfirmed',
      account,
    };
    const body = { data: [session], next: null };
    opened.front.instead.set('GET /v1/connect-sessions', { status: 200, body });
    const page = await openedAt(`/applications/${ownId}?tab=sessions`);
    const user = page.getByRole('table').getByTitle(/^\\u202eecilaW+$/);
    await user.waitFor();
    const { width = 0, height = 0 } = (await user.boundingBox()) ?? {};
    assert.ok(width <= 300 && height <= 30, `${width} x ${height} px`);
    await page
      .getByRole('table')
      .getByText(String.raw`\u202edetsurt`)
      .waitFor();
    await page.getByRole('button', { name: 'Confirm the session of' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(String.raw`\u2066U1`).waitFor();
    assert.doesNotMatch(await dialog.innerText(), /[\u202e\u2066]/);
    await dialog.getByRole('button', { name: 'Confirm' }).click({ trial: true });
  });

  test('those of an application that is not worked in are its own', async () => {
    const { id } = await newApplication('With no sessions');
    const page = await openedAt(`/applications/${id}?tab=sessions&status=expired`);
    await page.getByText('No connect session is like that.').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/\/connect-sessions\?limit=50$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/connect-sessions\?limit=50$/);
    await page.getByLabel('State').selectOption('Every state');
    await asked;
    assert.equal(await page.getByText(/^No connect session/).count(), 0);
    held.resolve();
    await page.getByText(/^No connect sessions\./).waitFor();
    assert.equal(await page.getByRole('link', { name: 'The connector' }).count(), 0);
  });

  test('what is entered while the name is saved stays', async () => {
    const { id } = await newApplication('Named slowly');
    const page = await openedAt(`/applications/${id}`);
    const held = await holdChange(page);
    await page.getByRole('textbox', { name: 'Name' }).fill('Named at last');
    await page.getByRole('button', { name: 'Save' }).click();
    await held.begun;
    await page.getByLabel('Calls a minute').fill('77');
    held.release();
    await page.getByRole('heading', { name: 'Named at last' }).waitFor();
    assert.equal(await page.getByLabel('Calls a minute').inputValue(), '77');
  });

  test('an application has itself there, and is offered nothing that it may not do', async () => {
    const { id: otherId } = await newApplication('Of somebody else');
    const { credentials } = await newApplication('By itself');
    const page = await signedInAs(credentials, '/applications');
    await page.getByRole('heading', { name: 'By itself' }).waitFor();
    assert.equal(await page.getByLabel('Calls a minute').isDisabled(), true);
    for (const name of ['New application', 'Delete this application'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    await page.getByRole('textbox', { name: 'Name' }).fill('By itself, renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('complementary').getByText('By itself, renamed').waitFor();
    await page.getByRole('link', { name: 'Secrets and tokens' }).click();
    await page.getByText('The operator of the service does that.').waitFor();
    for (const name of ['New secret', 'Delete'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    const { access_token: token } = (await (await logIn(credentials)).json()) as Json;
    await page.getByLabel('Token, or its id (jti)').fill(String(token));
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText(/^Revoked at/).waitFor();
    await page.getByRole('link', { name: 'Connect sessions' }).click();
    await page.getByText(/^No connect sessions\./).waitFor();
    await assertAccessible(page, 'an application of its own');
    assert.deepEqual(opened.complaints(), []);
    await page.goto(`${opened.front.url}/console/applications/${otherId}`);
    await page.getByRole('heading', { name: 'There is no such application' }).waitFor();
  });

  test('where there is none yet, the operator makes the first one', async () => {
    const none = { status: 200, body: { data: [], next: null } };
    opened.front.instead.set('GET /v1/applications', none);
    const page = await opened.newPage();
    await page.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    await page.getByText('There is no application yet.').waitFor();
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('The very first');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('textbox', { name: 'Client secret' }).waitFor();
    opened.front.instead.clear();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'The very first' }).click();
    await page.getByTitle('The very first', { exact: true }).waitFor();
  });

  test('signing out ends the tokens of the operator and of every application that was looked at', async () => {
    const { id } = await newApplication('Looked at');
    await opened.real.call('POST', '/v1/connect-sessions', { external_user_id: 'fred' });
    const first = await opened.newPage();
    await first.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
    await first.getByRole('button', { name: 'Looked at' }).waitFor();
    // What a page holds is gone with the page: those of one that stays until the end are looked at.
    const page = await first.context().newPage();
    await first.close();
    const tokens = new Set<string>();
    page.on('request', (request) => {
      const [, token] = (request.headers()['authorization'] ?? '').split(' ');
      if (token !== undefined) tokens.add(token);
    });
    await page.goto(`${opened.front.url}/console/applications/${ownId}?tab=sessions`);
    await page.getByRole('button', { name: 'Looked at' }).click();
    await page.getByRole('row', { name: /fred/ }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
    assert.ok(tokens.size >= 2, 'of the operator, and of the application');
    // Nobody who signs out waits for it.
    for (const token of tokens)
      while ((await ask('GET', `/v1/applications/${id}`, { token })).status !== 401)
        await page.waitForTimeout(50);
  });

  test('the API is sent no cookie', () => {
    assert.deepEqual(opened.front.withCookie, []);
  });
});

/** The service has taken what was entered. */
async function untilEmpty(field: Locator): Promise<void> {
  while ((await field.inputValue()) !== '') await field.page().waitForTimeout(50);
}

/** What is told once is neither shown any more nor kept where a page keeps things. */
async function assertNowhere(page: Page, secret: string): Promise<void> {
  const kept = await page.evaluate(
    `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state,
      [...document.querySelectorAll('input')].map(({ value }) => value)])`,
  );
  assert.ok(!String(kept).includes(secret), 'kept');
  assert.ok(!(await page.content()).includes(secret), 'shown');
}

function jtiOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Json;
  return String(claims['jti']);
}
