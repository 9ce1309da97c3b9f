import { setTimeout } from 'node:timers/promises';
import type { StatFigures } from '@patchbay/client';
import { buildIfStale, builtFolder } from '../../../connect/test/support/build.ts';
import { collectComplaints, launchBrowser } from '../../../connect/test/support/browser.ts';
import { startRealService, type RealService } from '../../../connect/test/support/real-service.ts';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startConsoleFront, type ConsoleFront } from './console-front.ts';

/** The console before a real service with the sandbox behind it, and a browser. */
export interface OpenConsole {
  readonly real: RealService;
  readonly front: ConsoleFront;
  /** Whatever any page complained about on its console. */
  complaints(): readonly string[];
  /** A new browser window, in which nobody is signed in. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** One in which the operator is signed in, at a place of the console. */
  signedIn(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Makes a connector of the sandbox, of the kind that needs least; its id. */
  createConnector(name?: string): Promise<string>;
  /** Waits for the end of the first sync of a connector. */
  untilCopied(id: string): Promise<void>;
  /** Waits until the figures tell of what has been copied, which takes the service some seconds. */
  untilCounted(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openConsole(): Promise<OpenConsole> {
  const consolePageFolder = builtFolder('console');
  await buildIfStale(consolePageFolder, 'console');
  const real = await startRealService({ consolePageFolder });
  const front = await startConsoleFront(real);
  const browser: Browser = await launchBrowser();
  const complaints: (readonly string[])[] = [];
  const newPage = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      // What fades in is judged at once.
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(15_000);
    complaints.push(collectComplaints(context));
    // Browsers have it only where the address has https, or is this machine's own.
    await context.addInitScript(() => Reflect.deleteProperty(Crypto.prototype, 'randomUUID'));
    return context.newPage();
  };
  return {
    real,
    front,
    complaints: () => complaints.flat(),
    newPage,
    signedIn: async (path = '', options = {}) => {
      const page = await newPage(options);
      await page.goto(`${front.url}/console#${front.newLinkSecret()}`);
      await page.getByRole('navigation').waitFor();
      if (path !== '') await page.goto(`${front.url}/console${path}`);
      return page;
    },
    createConnector: async (name = 'Team chat') => {
      const made = await real.call('POST', '/v1/integrations/connectors', {
        external_user_id: 'alice',
        connector_type: 'slack',
        name,
        credentials: { api_token: 'demo' },
        replication_config: {
          start_date: '2025-12-01T00:00:00Z',
          lookback_window: 7,
          join_channels: false,
        },
      });
      return String(made['id']);
    },
    untilCopied: async (id) => {
      for (;;) {
        const { last } = await real.call('GET', `/v1/integrations/connectors/${id}/sync`);
        if (last !== null) return;
        await setTimeout(100);
      }
    },
    untilCounted: async () => {
      for (;;) {
        const { total } = await real.call('GET', '/v1/stats');
        if ((total as StatFigures).records > 0) return;
        await setTimeout(250);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await front.close();
      await real.close();
    },
  };
}
