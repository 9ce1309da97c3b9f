import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LARGE_PAGE_BYTES, LargePages, largePagesAtOnce } from './large-pages.ts';

const GIB = 1024 ** 3;
const ONE = { id: 'one', applicationId: 'a' };
const OTHER = { id: 'other', applicationId: 'b' };

/** A page of a reader's that proves to be large. */
function large(pages: LargePages, reader: typeof ONE) {
  const page = pages.of(reader).begin();
  return { page, taken: page.take(LARGE_PAGE_BYTES + 1) };
}

/** Whether a page has to wait before more of it is taken in. */
async function waits(taken: Promise<void> | undefined): Promise<boolean> {
  if (taken === undefined) return false;
  const soon = new Promise((resolve) => setImmediate(() => resolve('waits')));
  return (await Promise.race([taken, soon])) === 'waits';
}

test('small pages wait for nobody, large ones for their turn, until those before them are released', async () => {
  const pages = new LargePages(1);
  const first = pages.of(ONE).begin();
  const second = pages.of(OTHER).begin();
  assert.equal(await waits(first.take(LARGE_PAGE_BYTES)), false);
  assert.equal(await waits(second.take(LARGE_PAGE_BYTES)), false);
  assert.equal(await waits(first.take(1)), false);
  const more = second.take(1);
  assert.equal(await waits(more), true);
  assert.equal(await waits(second.take(1)), true, 'what was on its way');
  assert.equal(second.sizeBytes, LARGE_PAGE_BYTES + 2);
  assert.deepEqual(pages.state(), { running: 1, waiting: 1 });
  first.release();
  first.release();
  assert.equal(await waits(more), false);
  assert.equal(await waits(second.take(1)), false);
  const third = pages.of(ONE).begin();
  assert.equal(await waits(third.take(LARGE_PAGE_BYTES + 1)), true);
});

test('a page that is given up waits no longer, and takes no turn', async () => {
  const pages = new LargePages(1);
  const first = pages.of(ONE).begin();
  const second = pages.of(OTHER).begin();
  await first.take(LARGE_PAGE_BYTES + 1);
  const waiting = second.take(LARGE_PAGE_BYTES + 1);
  second.release();
  await waiting;
  const third = pages.of(OTHER).begin();
  const next = third.take(LARGE_PAGE_BYTES + 1);
  first.release();
  await next;
});

test('a page that is asked for again has nothing of what came before', async () => {
  const pages = new LargePages(1);
  const first = pages.of(ONE).begin();
  await first.take(LARGE_PAGE_BYTES + 1);
  assert.equal(first.isLarge, true);
  first.restart();
  assert.deepEqual([first.sizeBytes, first.isLarge], [0, false]);
  assert.equal(await waits(large(pages, OTHER).taken), false);
});

test('whoever is given a turn and gives up at once leaves it to others', async () => {
  for (const atOnce of [1, 2, 8]) {
    const pages = new LargePages(atOnce);
    // As many as one connector may have, and one more.
    const together = Array.from({ length: Math.max(2, atOnce) }, () => large(pages, ONE));
    for (const { page } of together) page.release();
    for (const { taken } of together) await taken;
    for (let nth = 0; nth < Math.max(1, atOnce - 1); nth++)
      assert.equal(await waits(large(pages, OTHER).taken), false, `${nth} of ${atOnce}`);
  }
});

test('the end of a walk releases what is left of it', async () => {
  const pages = new LargePages(1);
  {
    using walk = pages.of(ONE);
    await walk.begin().take(LARGE_PAGE_BYTES + 1);
  }
  assert.equal(await waits(large(pages, OTHER).taken), false);
});

test('of several turns neither a connector nor an application has the last', async () => {
  const pages = new LargePages(2);
  const other = { ...ONE, id: 'another of the same' };
  assert.equal(await waits(large(pages, ONE).taken), false);
  assert.equal(await waits(large(pages, ONE).taken), true);
  assert.equal(await waits(large(pages, other).taken), true);
  assert.equal(await waits(large(pages, OTHER).taken), false);
});

test('there are as many as there is memory for, one at least', () => {
  assert.deepEqual(
    [0.1, 1, 100].map((size) => largePagesAtOnce(size * GIB)),
    [1, 4, 8],
  );
});
