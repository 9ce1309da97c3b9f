import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Result, RunOptions } from 'axe-core';
import { CHROMIUM_OF_PAGES } from '@patchbay/connectors/testing';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM_OF_PAGES,
    args: ['--no-sandbox', '--disable-gpu'],
  });
}

/** What pages complained about. Chromium itself notes every answer that is a refusal. */
export function collectComplaints(context: BrowserContext): readonly string[] {
  const complaints: string[] = [];
  context.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    const said = message.text();
    if (isComplaint && !said.startsWith('Failed to load resource:')) complaints.push(said);
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return complaints;
}

/**
 * @param rules All by default.
 * @throws AssertionError where a person who needs assistive technology meets a serious obstacle.
 */
export async function assertAccessible(
  page: Page,
  where: string,
  rules?: readonly string[],
): Promise<void> {
  await page.evaluate(await axeSource());
  const violations = await page.evaluate(
    async (runOnly) => {
      // What the source above has defined.
      const axe = Reflect.get(globalThis, 'axe') as {
        run(options: RunOptions): Promise<{ readonly violations: readonly Result[] }>;
      };
      const { violations: found } = await axe.run(runOnly === undefined ? {} : { runOnly });
      return found.map(({ id, impact, nodes }) => ({
        id,
        impact,
        where: nodes.map(({ html }) => html.slice(0, 200)),
      }));
    },
    rules && [...rules],
  );
  assert.deepEqual(
    violations.filter(({ impact }) => impact !== 'minor'),
    [],
    where,
  );
}

let source: Promise<string> | undefined;

function axeSource(): Promise<string> {
  return (source ??= readFile(
    createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
    'utf8',
  ));
}
