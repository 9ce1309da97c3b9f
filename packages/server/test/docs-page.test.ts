import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import { buildDocsPage, isBuilt } from '../build/build-docs-page.ts';
import { startChromium, type ChromiumPage } from './support/chromium.ts';
import { startTestService, type TestService } from './support/start-test-service.ts';

/** Where screenshots go, for people to look at. */
const SHOTS = process.env['PATCHBAY_SCREENSHOTS'];
/** What Chromium says of a page that is not as it should be. */
const COMPLAINTS = new Set([
  'Runtime.consoleAPICalled',
  'Runtime.exceptionThrown',
  'Log.entryAdded',
]);

const SCROLLS_SIDEWAYS = 'document.documentElement.scrollWidth > innerWidth';

describe('the pages at /docs and /', () => {
  let folder: string;
  let running: TestService;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patchbay-docs-page-'));
    await buildDocsPage(join(folder, 'page'));
    running = await startTestService({ docsPageFolder: join(folder, 'page') });
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  test('is built once, and says what to run where it is not', async () => {
    assert.equal(await isBuilt(join(folder, 'page')), true);
    assert.equal(await isBuilt(join(folder, 'elsewhere')), false);
    await using without = await startTestService({ docsPageFolder: join(folder, 'elsewhere') });
    const { status, text } = await without.send('GET', '/docs');
    assert.deepEqual(
      [status, /npm run build --workspace @patchbay\/server/.test(text)],
      [503, true],
    );
  });

  test('lets in scripts and styles of its own files alone, which browsers keep for good', async () => {
    const { headers, text } = await running.send('GET', '/docs');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/,
    );
    assert.doesNotMatch(policy, /unsafe/);
    const files = text.match(/\/docs\/assets\/[\w.-]+/g) ?? [];
    assert.equal(files.length, 5);
    for (const file of files) {
      const asset = await running.send('GET', file);
      assert.equal(asset.status, 200, file);
      assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
    }
  });

  describe('in Chromium', { skip: NO_BROWSER }, () => {
    test('loads from nowhere else, complains of nothing, and tries a call with a pasted token', async () => {
      await using page = await startChromium();
      for (const domain of ['Network', 'Runtime', 'Log']) await page.send(`${domain}.enable`);
      await show(page, { width: 1280, scheme: 'light' });
      await page.open(`${running.service.url}/docs`);
      await until(page, "document.querySelectorAll('.opblock-tag').length > 5");
      await shoot(page, 'docs-1280-light');
      // Within an operation, the viewer nests controls by its own design.
      assert.deepEqual(await accessFaults(page), []);
      await page.evaluate("document.querySelector('.btn.authorize').click()");
      await until(page, "document.querySelector('.auth-container input') !== null");
      const kept = `[...document.querySelectorAll('.auth-container input')]
        .filter(({ type, autocomplete }) => type !== 'password' || autocomplete !== 'off').length`;
      assert.equal(await page.evaluate(kept), 0, 'browsers keep what is typed into fields of text');
      const token = await running.applicationToken();
      const container = '.auth-container:has(input[aria-label="auth-bearer-value"])';
      await page.evaluate(`{
        const input = document.querySelector('${container} input');
        const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
        set.call(input, ${JSON.stringify(token)});
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }`);
      await page.evaluate(`document.querySelector('${container} .btn.authorize').click()`);
      await shoot(page, 'docs-authorized-1280-light');
      await page.evaluate("document.querySelector('.close-modal').click()");
      const operation = '#operations-Connectors-getV1IntegrationsConnectors';
      await page.evaluate("document.querySelector('#operations-tag-Connectors').click()");
      await until(page, `document.querySelector('${operation} button') !== null`);
      await page.evaluate(`document.querySelector('${operation} button').click()`);
      await until(page, `document.querySelector('${operation} .btn.execute') !== null`);
      // Until then the viewer finds no operation to execute, and waits for ever.
      const loading = `${operation} .opblock-loading-animation`;
      await until(page, `document.querySelector('${loading}') === null`);
      await page.evaluate(`document.querySelector('${operation} .btn.execute').click()`);
      const status = `${operation} .live-responses-table .response-col_status`;
      await until(page, `/\\d/.test(document.querySelectorAll('${status}')[1]?.textContent)`);
      assert.match(
        String(await page.evaluate(`document.querySelectorAll('${status}')[1].textContent`)),
        /^200/,
      );
      await shoot(page, 'docs-tried-1280-light');
      await show(page, { width: 390, scheme: 'dark' });
      assert.equal(await page.evaluate(SCROLLS_SIDEWAYS), false);
      await shoot(page, 'docs-390-dark');

      await page.evaluate('window.isAuthorized = true');
      await page.leaveBy("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
      assert.equal(await page.evaluate('window.isAuthorized === undefined'), true);

      const asked = page.events
        .filter(({ method }) => method === 'Network.requestWillBeSent')
        .map(({ params }) => (params['request'] as { readonly url: string }).url)
        .filter((url) => !url.startsWith('data:'));
      assert.ok(asked.length > 5);
      for (const url of asked) assert.equal(new URL(url).origin, running.service.url);
      const complaints = page.events.filter(({ method }) => COMPLAINTS.has(method));
      assert.deepEqual(complaints, []);
    });

    test('is nothing that scrolls sideways at /, in both themes', async () => {
      await using page = await startChromium();
      await page.send('Log.enable');
      for (const [width, scheme] of [
        [390, 'light'],
        [390, 'dark'],
        [1280, 'light'],
        [1280, 'dark'],
      ] as const) {
        await show(page, { width, scheme });
        await page.open(running.service.url);
        assert.equal(await page.evaluate(SCROLLS_SIDEWAYS), false, `${width} px`);
        const styled = 'getComputedStyle(document.body).margin';
        assert.notEqual(await page.evaluate(styled), '8px', 'the policy lets its own style in');
        assert.deepEqual(await accessFaults(page), [], `${width} px, ${scheme}`);
        await shoot(page, `home-${width}-${scheme}`);
      }
      assert.deepEqual(
        page.events.filter(({ method }) => COMPLAINTS.has(method)),
        [],
      );
    });
  });
});

async function show(
  page: ChromiumPage,
  { width, scheme }: { readonly width: number; readonly scheme: string },
): Promise<void> {
  const features = [{ name: 'prefers-color-scheme', value: scheme }];
  const size = { width, height: 900, deviceScaleFactor: 1, mobile: false };
  await page.send('Emulation.setDeviceMetricsOverride', size);
  await page.send('Emulation.setEmulatedMedia', { features });
}

/** What axe-core calls serious, or worse, of what a page shows now: the rule, and where. */
async function accessFaults(page: ChromiumPage): Promise<readonly unknown[]> {
  await page.evaluate(
    await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
  );
  await page.evaluate(`axe.run().then(({ violations }) => {
    globalThis.found = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => [id, ...nodes.map(({ target }) => target.join(' '))]);
  })`);
  await until(page, 'globalThis.found !== undefined');
  return (await page.evaluate('found')) as readonly unknown[];
}

/** Waits until an expression is true in a page; the test's own timeout is the end. */
async function until(page: ChromiumPage, expression: string): Promise<void> {
  while ((await page.evaluate(expression)) !== true) await wait(100);
}

async function shoot(page: ChromiumPage, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  const { data } = await page.send('Page.captureScreenshot');
  await mkdir(SHOTS, { recursive: true });
  await writeFile(join(SHOTS, `${name}.png`), Buffer.from(String(data), 'base64'));
}
