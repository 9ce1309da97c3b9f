import { chromium, type Browser, type Page } from 'playwright-core';
import type { BenchOptions } from './support/bench-options.ts';
import { benchLists } from './console/console-lists.ts';
import { FORM_STEPS, takeSteps, TRIAL_STEPS } from './console/console-steps.ts';
import type { BenchResult } from './support/measure.ts';
import { startConsole } from './console/started-console.ts';

/** Where Debian's package puts that with a window, as people have it. */
const CHROMIUM = '/usr/bin/chromium';
/** By the form of a new connector; with the sandbox's own, which goes on to the long lists. */
const WAYS: readonly string[] = ['form', 'trial'];
/** From the link to the first hits, in seconds. */
const AIM = 60;

/**
 * The console before `npm start`, in a browser: how long it takes from the link that the start shows to the first
 * search, and how fluid long lists are. The built pages and the browser's program are read before.
 */
export async function benchConsole({ only = WAYS }: BenchOptions): Promise<readonly BenchResult[]> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const results: BenchResult[] = [];
    for (const way of WAYS.filter((each) => only.includes(each)))
      results.push(...(await fromNothing(browser, way)));
    return results;
  } finally {
    await browser.close();
  }
}

async function fromNothing(browser: Browser, way: string): Promise<readonly BenchResult[]> {
  await using started = await startConsole();
  const page = await openPage(browser);
  const steps = way === 'form' ? FORM_STEPS : TRIAL_STEPS;
  const results = await takeSteps(page, started.link, { way, steps, aim: AIM });
  const start = {
    name: `${way}: npm start, until the link`,
    value: secondsOf(started.startMs),
    unit: 's',
  };
  const lists = way === 'trial' ? await benchLists(page, connectorIn(page)) : [];
  await page.context().close();
  return [start, ...results, ...lists];
}

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/** The connector that the search of the page is about. */
function connectorIn(page: Page): string {
  return new URL(page.url()).searchParams.get('connector') ?? '';
}

function secondsOf(ms: number): number {
  return Math.round(ms / 10) / 100;
}
