import type { Page } from 'playwright-core';

/** A change that the service has not been told of yet. */
export interface HeldChange {
  /** When it has been sent. */
  readonly begun: Promise<void>;
  readonly release: () => void;
}

/** Holds every `PATCH` of a page until it is released. */
export async function holdChange(page: Page): Promise<HeldChange> {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route('**/*', async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback();
    begun.resolve();
    await held.promise;
    await route.continue();
  });
  return { begun: begun.promise, release: held.resolve };
}
