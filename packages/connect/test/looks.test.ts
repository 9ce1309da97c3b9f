import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import type { Browser, Page } from 'playwright-core';
import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { assertAccessible, collectComplaints, launchBrowser } from './support/browser.ts';
import { buildIfStale } from './support/build.ts';
import {
  problem,
  startFakeService,
  type FakeService,
  type FakeSession,
} from './support/fake-service.ts';
import { COPYING, INTERCOM, SLACK, viewOf, ZENDESK } from './support/views.ts';

const RESULTS = fileURLToPath(new URL('../../../test-results/connect/', import.meta.url));
const WIDTHS = [360, 1280];
const SCHEMES = ['light', 'dark'] as const;
const RETURN_URL = 'https://app.acme.example/integrations';

/** A state of the page, and how a person comes to see it. */
interface Look {
  readonly view: Partial<ConnectPageSession>;
  readonly reach?: (at: {
    readonly page: Page;
    readonly service: FakeService;
    readonly session: FakeSession;
  }) => Promise<void>;
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#0a7"/></svg>';
const CONNECTED = {
  status: 'succeeded',
  connector_id: 'connector-1',
  connector_type: 'chat-workspace',
  return_url: RETURN_URL,
} as const;

const chooseToken = async (page: Page): Promise<void> => {
  await page.getByRole('radio', { name: 'Token' }).check();
  await page.getByLabel('Subdomain').fill('acme');
  await page.getByLabel('Email').fill('ada@acme.example');
  await page.getByLabel('API token', { exact: true }).fill('a-token');
};

const LOOKS: Readonly<Record<string, Look>> = {
  choose: { view: { kinds: [SLACK, ZENDESK, INTERCOM], return_url: RETURN_URL } },
  'choose-declined': {
    view: {
      kinds: [SLACK, INTERCOM],
      error: { code: 'access_denied', message: 'Whoever was asked did not allow it.' },
    },
  },
  consent: { view: { return_url: RETURN_URL } },
  'consent-branded': {
    view: {
      kinds: [SLACK, INTERCOM],
      connector_type: 'customer-messaging',
      branding: {
        name: 'Acme Integrations',
        logo_url: 'https://logo.acme.example/logo.svg',
        accent: 'ffe000',
      },
    },
  },
  'other-ways': {
    view: { return_url: RETURN_URL },
    reach: async ({ page }) => {
      await page.getByText('Connect another way').click();
      await page.getByRole('radio', { name: 'Token' }).check();
    },
  },
  'long-names': {
    view: {
      application_name: 'Acmeacmeacmeacmeacmeacmeacmeacmeacmeacmeacmeacmeacme'.repeat(2),
      user_label: `ada.${'lovelace.'.repeat(10)}@acme.example`,
      branding: { name: 'Integrations'.repeat(8), logo_url: null, accent: null },
      return_url: RETURN_URL,
    },
  },
  reconnect: { view: { reconnects: true, user_label: null } },
  declined: {
    view: { error: { code: 'access_denied', message: 'Whoever was asked did not allow it.' } },
  },
  'form-unchosen': { view: { kinds: [ZENDESK] } },
  form: {
    view: { kinds: [ZENDESK] },
    reach: ({ page }) => page.getByRole('radio', { name: 'OAuth' }).check(),
  },
  'form-faults': {
    view: { kinds: [ZENDESK] },
    reach: async ({ page, session }) => {
      session.onCredentials = () =>
        problem(422, 'invalid_config', 'Two things are wrong.', [
          {
            field: 'config.subdomain',
            message:
              'config.subdomain must be the first part of <subdomain>.zendesk.com: lower-case letters, digits, hyphens',
          },
          { field: 'credentials.email', message: 'credentials.email must be an address' },
        ]);
      await chooseToken(page);
      await page.getByRole('button', { name: 'Check and connect' }).click();
      await page.getByText('Email must be an address').waitFor();
    },
  },
  'form-rejected': {
    view: { kinds: [ZENDESK] },
    reach: async ({ page, session }) => {
      session.onCredentials = () =>
        problem(424, 'credentials_rejected', 'Zendesk refused the credentials: wrong API token.');
      await chooseToken(page);
      await page.getByRole('button', { name: 'Check and connect' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  checking: {
    view: { kinds: [ZENDESK] },
    reach: async ({ page, session }) => {
      session.onCredentials = () => new Promise(() => undefined);
      await chooseToken(page);
      await page.getByRole('button', { name: 'Check and connect' }).click();
      await page.getByRole('button', { name: 'Checking with' }).waitFor();
    },
  },
  unconfirmed: { view: { status: 'unconfirmed', connector_type: 'chat-workspace' } },
  connected: { view: CONNECTED },
  copying: { view: { ...CONNECTED, progress: COPYING } },
  'copy-failed': { view: { ...CONNECTED, progress: { state: 'failed', entities: [] } } },
  'may-close': { view: { ...CONNECTED, return_url: null } },
  expired: { view: { status: 'expired', return_url: RETURN_URL } },
  taken: {
    view: {},
    reach: async ({ page, session }) => {
      session.instead = problem(
        409,
        'connect_session_taken',
        'Another browser has opened this link first. Ask for a new one if that was not you.',
      );
      await page.reload();
      await page.getByText('Another browser has').waitFor();
    },
  },
  'no-link': {
    view: {},
    reach: async ({ page, service }) => {
      await page.goto(`${service.url}/connect`);
      await page.getByText('This link is not complete').waitFor();
    },
  },
  lost: {
    view: { status: 'unconfirmed', connector_type: 'chat-workspace' },
    reach: async ({ page, session }) => {
      session.instead = { status: 502, body: 'a proxy speaks' };
      await page.getByRole('alert').waitFor();
    },
  },
  unreachable: {
    view: {},
    reach: async ({ page, session }) => {
      session.instead = { status: 502, body: 'a proxy speaks' };
      await page.reload();
      await page.getByText('The connection is lost').waitFor();
    },
  },
};

describe('every state of the connect page', { skip: NO_BROWSER }, () => {
  let service: FakeService;
  let browser: Browser;

  before(async () => {
    await buildIfStale();
    await mkdir(RESULTS, { recursive: true });
    service = await startFakeService();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await service.close();
  });

  for (const width of WIDTHS)
    test(`is for everybody, and fits, at ${width} px`, async () => {
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(20_000);
      const complaints = collectComplaints(context);
      await context.route('https://logo.acme.example/**', (route) =>
        route.fulfill({ contentType: 'image/svg+xml', body: LOGO }),
      );
      // A page takes longer to open than a state to reach.
      const page = await context.newPage();
      for (const [name, look] of Object.entries(LOOKS)) {
        // Nobody leaves for the application before the state has been seen.
        const session = service.addSession(viewOf(look.view));
        await page.goto(service.linkOf(session));
        await page.waitForURL(/session=/);
        await look.reach?.({ page, service, session });
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({
            path: join(RESULTS, `${name}-${width}-${colorScheme}.png`),
            fullPage: true,
          });
          // What it finds depends on the colours, but not on the width.
          if (width === WIDTHS[0]) await assertAccessible(page, `${name}, ${colorScheme}`);
        }
        const tooWide = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        assert.ok(tooWide <= 0, `${name} is ${tooWide} px too wide`);
        // Links differ in what stands behind the #, which by itself would open nothing.
        await page.goto('about:blank');
      }
      assert.deepEqual(complaints, []);
      await context.close();
    });
});
