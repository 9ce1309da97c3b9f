import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { NO_BROWSER } from '@patchbay/connectors/testing';
import { startChromium } from './support/chromium.ts';
import { consentOptions, initiate, KIND_NAMES, smallSandbox } from './support/consent.ts';
import { startTestService } from './support/start-test-service.ts';

/** Where screenshots go, for people to look at. */
const SHOTS = process.env['PATCHBAY_SCREENSHOTS'];

describe('consent in Chromium', { skip: NO_BROWSER }, () => {
  test('cookies of http on loopback are kept, and one page leads to the other, at 360 px', async () => {
    await using sandbox = await smallSandbox();
    await using running = await startTestService(consentOptions(sandbox));
    await using back = await startBack();
    await using page = await startChromium();
    const token = await running.applicationToken();
    const user_label = `Somebody with ${'a very long name '.repeat(10)}`;
    const start = (kind: string) =>
      initiate(running, token, { connector_type: kind, redirect_url: back.url, user_label });
    for (const kind of KIND_NAMES) {
      await page.open(await start(kind));
      await page.clickThrough('a.go');
      await page.clickThrough(`button[value=${kind === 'customer-messaging' ? 'deny' : 'allow'}]`);
      const { searchParams } = new URL(String(await page.evaluate('location.href')));
      if (kind === 'customer-messaging') assert.equal(searchParams.get('error'), 'access_denied');
      else
        assert.match(
          searchParams.get('connector_id') ?? searchParams.toString(),
          /^[0-9a-f-]{36}$/,
        );
    }
    assert.deepEqual(
      back.referrers,
      back.referrers.map(() => undefined),
    );

    for (const [width, scheme] of [
      [360, 'light'],
      [360, 'dark'],
      [1280, 'light'],
    ] as const) {
      const features = [{ name: 'prefers-color-scheme', value: scheme }];
      const size = { width, height: 800, deviceScaleFactor: 1, mobile: false };
      await page.send('Emulation.setDeviceMetricsOverride', size);
      await page.send('Emulation.setEmulatedMedia', { features });
      await page.open(await start('chat-workspace'));
      const overflow = 'document.documentElement.scrollWidth > innerWidth';
      assert.equal(await page.evaluate(overflow), false, `${width} px`);
      const styled = "getComputedStyle(document.querySelector('a.go')).display";
      assert.equal(await page.evaluate(styled), 'block', 'the policy lets its own style in');
      if (SHOTS === undefined) continue;
      const { data } = await page.send('Page.captureScreenshot');
      await mkdir(SHOTS, { recursive: true });
      await writeFile(
        join(SHOTS, `consent-${width}-${scheme}.png`),
        Buffer.from(String(data), 'base64'),
      );
    }
  });
});

/** The page that the application has people come back to; it remembers what browsers say they came from. */
async function startBack() {
  const referrers: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/back') === true) referrers.push(request.headers.referer);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP, so it has a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/back`,
    referrers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
