import type { Page } from 'playwright-core';

/** How long frames take while something scrolls by, hundreds of rows at a time; the window unless said. */
export async function framesText(page: Page, scroller = 'window'): Promise<string> {
  // As text: the tests are compiled for Node.js, which has no document.
  const times = await page.evaluate(`(async () => {
    const scroller = ${scroller};
    const found = [];
    let last = performance.now();
    for (let step = 0; step < 120; step++) {
      scroller.scrollBy(0, ${scroller === 'window' ? 3_000 : 25_000});
      await new Promise(requestAnimationFrame);
      found.push(performance.now() - last);
      last = performance.now();
    }
    return found;
  })()`);
  const sorted = (times as readonly number[]).toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return `half within ${at(0.5)} ms, 95% within ${at(0.95)} ms`;
}
