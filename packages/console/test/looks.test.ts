import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../../connect/test/support/browser.ts';
import { assertFocusOrder } from './support/focus-order.ts';
import { giveInSession } from './support/give-in-session.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

const RESULTS = fileURLToPath(new URL('../../../test-results/console/', import.meta.url));
const WIDTHS = [390, 1280];
/** Pictures of the documents are written where this is set: `npm run docs:images`. */
const WRITES_DOCUMENTS = process.env['WRITE_DOCS_IMAGES'] !== undefined;
const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
/** Which pages the documents show, wide and light, by name. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  explorer: 'console-explorer.png',
  'connector records': 'console-records.png',
};
/** Those that a colour scheme can break; structure and names are the same in each. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** A page, and how a person comes to see what the picture is of. */
interface Look {
  /** There is no connector. */
  readonly isEmpty?: boolean;
  readonly path: (id: string) => string;
  readonly reach: (page: Page) => Promise<unknown>;
}

const DRIFT = {
  unknown_fields: ['mood', 'a_rather_long_name_of_a_field_that_somebody_has_thought_of_today'],
  lost_values: 1_234,
  lost_fields: ['tz', 'tz_offset'],
};

const LOOKS: Readonly<Record<string, Look>> = {
  overview: {
    path: () => '',
    reach: async (page) => {
      await page.getByRole('link', { name: 'Team chat' }).first().waitFor();
      await page.locator('canvas').first().waitFor();
    },
  },
  'overview empty': {
    isEmpty: true,
    path: () => '',
    reach: (page) => page.getByRole('button', { name: /^Try it/ }).waitFor(),
  },
  keys: {
    path: () => '',
    reach: async (page) => {
      await page.getByLabel('Search connectors').waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    },
  },
  'overview nothing found': {
    path: () => '?q=nobody',
    reach: (page) => page.getByText('No connector is like that.').waitFor(),
  },
  'new connector kinds': {
    path: () => '/new',
    reach: (page) => page.getByRole('button', { name: 'Slack' }).waitFor(),
  },
  'new connector form': {
    path: () => '/new?kind=chat-workspace',
    reach: (page) => page.getByRole('button', { name: 'Check and create' }).click(),
  },
  'connect link': {
    path: () => '/connect-link',
    reach: (page) => page.getByLabel('Slack').waitFor(),
  },
  'connector syncs': {
    path: (id) => `/connectors/${id}`,
    reach: (page) => page.getByRole('heading', { name: 'History' }).waitFor(),
  },
  'connector records': {
    path: (id) => `/connectors/${id}?tab=records`,
    reach: async (page) => {
      await page.getByRole('grid').getByRole('row').nth(1).click();
      await page.getByRole('complementary', { name: 'Record' }).getByText('"id"').waitFor();
    },
  },
  'connector settings': {
    path: (id) => `/connectors/${id}?tab=settings`,
    reach: (page) => page.getByRole('button', { name: 'Delete this connector' }).waitFor(),
  },
  // The last of these: it goes on being told so.
  'connector drift': {
    path: (id) => `/connectors/${id}`,
    reach: async (page) => {
      await page.route('**/sync', async (route) => {
        const answer = await route.fetch();
        const status = (await answer.json()) as { readonly entities: readonly object[] };
        const entities = status.entities.map((each) => ({ ...each, drift: DRIFT }));
        await route.fulfill({ json: { ...status, entities } });
      });
      await page.reload();
      await page.getByText(/^Slack sends values of another type/).waitFor();
      await page.getByRole('heading', { name: 'History' }).waitFor();
    },
  },
  explorer: {
    path: (id) => `/explore?connector=${id}`,
    reach: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('tab', { name: 'JSON' }).waitFor();
      await page.getByText('The same call elsewhere').click();
    },
  },
  'explorer write': {
    path: (id) => `/explore?connector=${id}&entity=messages&action=create`,
    reach: async (page) => {
      await page.getByRole('textbox', { name: 'channel' }).fill('C0001');
      await page.getByRole('textbox', { name: 'text' }).fill('Hello');
      await page.getByRole('button', { name: 'Review and send' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send' }).waitFor();
      // What opens slowly is judged once it is open.
      await page.waitForTimeout(400);
    },
  },
  'explorer choice': {
    path: () => '/explore',
    reach: (page) => page.getByRole('combobox', { name: 'Connector' }).waitFor(),
  },
  search: {
    path: (id) => `/search?connector=${id}&entity=users`,
    reach: async (page) => {
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByRole('heading', { name: /match| shown/ }).waitFor();
    },
  },
  applications: {
    path: () => '/applications',
    reach: (page) => page.getByText('You work in it').waitFor(),
  },
  'application made': {
    path: () => '/applications',
    reach: async (page) => {
      // Not really made: whoever signs in next would have to choose.
      const made = { ...applicationOf('Billing agent', 1), client_secret: `pbs_${'x'.repeat(43)}` };
      await page.route('**/v1/applications', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 201, json: { ...made, secrets: [] } })
          : route.continue(),
      );
      await page.getByRole('button', { name: 'New application' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Billing agent');
      await page.getByRole('button', { name: 'Make it' }).click();
      await page.getByRole('textbox', { name: 'Client secret' }).waitFor();
    },
  },
  'application settings': {
    path: () => '/applications',
    reach: async (page) => {
      await page.getByRole('row').nth(1).getByRole('link').click();
      const urls = page.getByRole('region', { name: 'Return URLs' });
      await urls.getByRole('textbox').fill('http://app.example.com/back');
      await urls.getByRole('textbox').blur();
      await urls.getByText(/^must be a URL/).waitFor();
    },
  },
  'application secrets': {
    path: () => '/applications',
    reach: async (page) => {
      await page.getByRole('row').nth(1).getByRole('link').click();
      await page.getByRole('link', { name: 'Secrets and tokens' }).click();
      await page
        .getByRole('textbox', { name: /^Token, or/ })
        .fill('01a2028e-7446-79d8-bd2c-204277a15b34');
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText(/^Revoked at/).waitFor();
    },
  },
  'application sessions': {
    path: () => '/applications',
    reach: async (page) => {
      await page.getByRole('row').nth(1).getByRole('link').click();
      await page.getByRole('link', { name: 'Connect sessions' }).click();
      await page.getByRole('row', { name: /carol/ }).waitFor();
    },
  },
  'application session to confirm': {
    path: () => '/applications',
    reach: async (page) => {
      await page.getByRole('row').nth(1).getByRole('link').click();
      await page.getByRole('link', { name: 'Connect sessions' }).click();
      await page.getByRole('button', { name: 'Confirm the session of dora' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).waitFor();
    },
  },
  'no such page': {
    path: () => '/nowhere',
    reach: (page) => page.getByRole('heading', { name: 'There is no such page' }).waitFor(),
  },
  // The last one: the service has one application only.
  'choose application': {
    path: () => '/nowhere',
    reach: async (page) => {
      await page.evaluate('sessionStorage.clear()');
      const data = ['Support agent', 'Billing agent'].map((name, index) =>
        applicationOf(name, index),
      );
      await page.route('**/v1/applications', (route) =>
        route.fulfill({ json: { data, next: null } }),
      );
      await page.reload();
      await page.getByRole('heading', { name: 'Choose an application' }).waitFor();
    },
  },
};

describe('every page in both colour schemes and at both widths', { skip: NO_BROWSER }, () => {
  let opened: OpenConsole;
  let id: string;
  before(async () => {
    await mkdir(RESULTS, { recursive: true });
    opened = await openConsole();
    id = await opened.createConnector();
    await opened.createConnector('Chat of the second team');
    await opened.untilCopied(id);
    await opened.untilCounted();
    for (const [user, label] of [
      ['carol', 'Carol Example'],
      ['dora', 'Dora Example'],
    ]) {
      const session = await opened.real.call('POST', '/v1/connect-sessions', {
        external_user_id: user,
        user_label: label,
      });
      if (user === 'dora') await giveInSession(opened.real.url, String(session['connect_url']));
    }
  });
  after(() => opened[Symbol.asyncDispose]());

  for (const width of WIDTHS)
    test(`${width} px`, async () => {
      const viewport = { width, height: 800 };
      const page = await opened.newPage({ viewport });
      await page.goto(`${opened.front.url}/console`);
      await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
      await look(page, `sign-in-${width}`);
      await page.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      for (const [name, { path, reach, isEmpty }] of Object.entries(LOOKS)) {
        opened.front.instead.clear();
        if (isEmpty === true) opened.front.instead.set(...NO_CONNECTORS);
        await page.goto(opened.front.url + '/console' + path(id));
        await reach(page);
        if (width === 1280) await documentLook(page, name);
        await look(page, `${name.replaceAll(' ', '-')}-${width}`);
      }
      await page.context().close();
      assert.deepEqual(opened.complaints(), []);
    });
});

function applicationOf(name: string, index: number) {
  return {
    id: `01a2028e-7446-79d8-bd2c-${String(index).padStart(12, '0')}`,
    name,
    client_id: `01a2028e-7446-79d8-bd2d-${String(index).padStart(12, '0')}`,
    organization_id: '01a2028e-0f3e-73a4-939b-74ec784e8f22',
    allowed_origins: [],
    allowed_return_urls: [],
    rate_limit: null,
    created_at: '2026-11-22T09:00:00.000Z',
    updated_at: '2026-11-22T09:00:00.000Z',
    revoked_at: null,
  };
}

const NO_CONNECTORS = [
  'GET /v1/integrations/connectors',
  { status: 200, body: { data: [], next: null } },
] as const;

/** What the documents show is the window, not all of a long page. */
async function documentLook(page: Page, name: string): Promise<void> {
  const file = DOCUMENTED[name];
  if (!WRITES_DOCUMENTS || file === undefined) return;
  await page.screenshot({ path: join(IMAGES, file) });
}

/** In both colour schemes, of which a page follows the one that the browser prefers just then. */
async function look(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.screenshot({ path: join(RESULTS, `${name}-dark.png`), fullPage: true });
  await assertAccessible(page, `${name}, dark`, RULES_OF_COLOUR);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.screenshot({ path: join(RESULTS, `${name}-light.png`), fullPage: true });
  await assertAccessible(page, name);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(overflow) <= 0, `${name}: ${String(overflow)} px wider than the window`);
  await assertFocusOrder(page, name);
}
