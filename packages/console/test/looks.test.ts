import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { assertAccessible, NO_BROWSER } from '../../connect/test/support/browser.ts';
import { openConsole, type OpenConsole } from './support/open-console.ts';

const RESULTS = fileURLToPath(new URL('../../../test-results/console/', import.meta.url));
const WIDTHS = [390, 1280];
const SCHEMES = ['light', 'dark'] as const;

/** A page, and how a person comes to see what the picture is of. */
interface Look {
  readonly path: (id: string) => string;
  readonly reach: (page: Page) => Promise<unknown>;
}

const LOOKS: Readonly<Record<string, Look>> = {
  overview: {
    path: () => '',
    reach: async (page) => {
      await page.getByRole('link', { name: 'Team chat' }).first().waitFor();
      await page.locator('canvas').nth(3).waitFor();
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
  'no such page': {
    path: () => '/nowhere',
    reach: (page) => page.getByRole('heading', { name: 'There is no such page' }).waitFor(),
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
  });
  after(() => opened[Symbol.asyncDispose]());

  for (const width of WIDTHS)
    for (const colorScheme of SCHEMES)
      test(`${width} px, ${colorScheme}`, async () => {
        const viewport = { width, height: 800 };
        const page = await opened.newPage({ viewport, colorScheme });
        await page.goto(`${opened.front.url}/console`);
        await page.getByRole('heading', { name: 'Sign in to Patchbay' }).waitFor();
        await look(page, 'sign in', width, colorScheme);
        await page.goto(`${opened.front.url}/console#${opened.front.newLinkSecret()}`);
        await page.getByRole('navigation', { name: 'Pages' }).waitFor();
        for (const [name, { path, reach }] of Object.entries(LOOKS)) {
          await page.goto(opened.front.url + '/console' + path(id));
          await reach(page);
          await look(page, name, width, colorScheme);
        }
        await page.context().close();
        assert.deepEqual(opened.complaints(), []);
      });
});

async function look(
  page: Page,
  name: string,
  width: number,
  scheme: (typeof SCHEMES)[number],
): Promise<void> {
  const file = `${name.replaceAll(' ', '-')}-${width}-${scheme}.png`;
  await page.screenshot({ path: join(RESULTS, file), fullPage: true });
  await assertAccessible(page, file);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(overflow) <= 0, `${file}: ${String(overflow)} px wider than the window`);
}
