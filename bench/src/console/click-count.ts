import type { Page } from 'playwright-core';

/** Reports what a person's pointer would do; options that the page chooses from are pointed at twice. */
const REPORT = `
  addEventListener('pointerdown', ({ isTrusted }) => isTrusted && clicked(1), true);
  addEventListener('change', ({ target }) => target instanceof HTMLSelectElement && clicked(2), true);
`;

/**
 * Counts the clicks in a page from now on, by what its documents see of them.
 *
 * @returns How many there were so far. The choice of an option in the browser's own list is two: no event of the list
 *   itself reaches a page.
 */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('clicked', (count: number) => {
    clicks += count;
  });
  await page.addInitScript(REPORT);
  return () => clicks;
}
