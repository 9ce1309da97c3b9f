import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../host.ts';
import { bytesOf } from './budget.ts';
import { fitPage, type PageToFit, type Truncation } from './fit-page.ts';
import { shrinkRecord } from './shrink-record.ts';

interface Page {
  readonly records: readonly JsonObject[];
  readonly cursor: string | null;
}

interface Answer {
  readonly data: readonly JsonObject[];
  readonly next?: string | null;
  readonly truncated?: Truncation;
}

/** A list of records, read by page from any place; its cursors are long, and null at the end. */
function listOf(all: readonly JsonObject[]) {
  return (from: number, size: number): Page => {
    const records = all.slice(from, from + size);
    const end = from + records.length;
    return { records, cursor: end < all.length ? `${end}${'-'.repeat(200)}` : null };
  };
}

function fit(
  page: Page,
  maxBytes: number,
  fetchSmaller: (size: number) => Page | undefined,
): Promise<JsonObject> {
  const request: PageToFit<Page, JsonObject> = {
    page,
    maxBytes,
    itemsOf: ({ records }) => records,
    render: ({ cursor }, data, notice) => ({
      data,
      next: notice?.isCut === true ? undefined : cursor,
      truncated: notice?.truncated,
    }),
    shrink: (record, room) => {
      const { record: item, leftOut } = shrinkRecord(record, room);
      return { item, leftOut };
    },
    fetchSmaller: (size) => Promise.resolve(fetchSmaller(size)),
    goOn: 'Go on with next.',
    repeat: (count) => `Repeat with ${count}.`,
    narrow: 'Repeat with select_fields.',
  };
  return fitPage(request);
}

/** What a program reads: the answer has to be whole JSON in its budget. */
function read(answer: JsonObject, maxBytes: number): Answer {
  const text = JSON.stringify(answer);
  assert.ok(new TextEncoder().encode(text).length <= maxBytes, `${text.length} of ${maxBytes}`);
  return JSON.parse(text) as Answer;
}

const arbitraryLongText = fc
  .tuple(fc.string({ maxLength: 8, unit: 'binary' }), fc.nat(700))
  .map(([part, count]) => part.repeat(count));

const arbitraryRecord = fc.dictionary(
  fc.string({ maxLength: 20 }),
  fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(null), fc.integer(), arbitraryLongText),
  { maxKeys: 60, size: 'medium' },
) as fc.Arbitrary<JsonObject>;

const arbitraryCase = fc.record({
  all: fc.array(
    arbitraryRecord.map((record) => JSON.parse(JSON.stringify(record)) as JsonObject),
    { minLength: 1, maxLength: 8 },
  ),
  size: fc.integer({ min: 1, max: 9 }),
  maxBytes: fc.integer({ min: 4_096, max: 40_000 }),
});

test('following the cursor of cut pages brings every record once, whole or with its gaps named', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCase, async ({ all, size, maxBytes }) => {
      const fetch = listOf(all);
      const seen: JsonObject[] = [];
      let from: number | null = 0;
      while (from !== null) {
        const start: number = from;
        const page = fetch(start, size);
        let requests = 0;
        const fitted = await fit(page, maxBytes, (smaller) => {
          requests += 1;
          return fetch(start, smaller);
        });
        const answer = read(fitted, maxBytes);
        assert.ok(requests <= 1, 'one shorter page is enough');
        assert.ok(answer.data.length > 0);
        const expected = all.slice(start, start + answer.data.length);
        if (answer.truncated?.fields_left_out === undefined) {
          assert.deepEqual(answer.data, expected);
        } else {
          assert.equal(answer.data.length, 1);
          assertShrunk(answer.data[0] ?? {}, expected[0] ?? {}, answer.truncated.fields_left_out);
        }
        const leftOut = page.records.length - answer.data.length;
        assert.equal(answer.truncated?.left_out ?? 0, leftOut);
        assert.ok(answer.next !== undefined, 'the cursor is right, so it is there');
        seen.push(...expected);
        from = answer.next === null ? null : Number.parseInt(answer.next, 10);
      }
      assert.deepEqual(seen, all);
    }),
    { numRuns: 50 },
  );
});

test('where no shorter page can be had, records go from the end, and no cursor leads past them', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCase, async ({ all, size, maxBytes }) => {
      const page = listOf(all)(0, size);
      const answer = read(await fit(page, maxBytes, () => undefined), maxBytes);
      const leftOut = page.records.length - answer.data.length;
      assert.equal(answer.truncated?.left_out ?? 0, leftOut);
      assert.equal(answer.next, leftOut > 0 ? undefined : page.cursor);
      if (answer.truncated?.fields_left_out === undefined)
        assert.deepEqual(answer.data, page.records.slice(0, answer.data.length));
      if (leftOut > 0) assert.match(answer.truncated?.rest ?? '', /Repeat with \d/);
    }),
    { numRuns: 50 },
  );
});

test('no record is dropped that would have fit', async () => {
  const records = Array.from({ length: 9 }, (_, id) => ({ id, text: 'x'.repeat(1_000) }));
  const page = { records, cursor: null };
  const answer = read(await fit(page, 8_192, () => undefined), 8_192);
  assert.equal(answer.data.length, 7);
  assert.deepEqual(answer.truncated, {
    left_out: 2,
    max_bytes: 8_192,
    rest: 'Repeat with 7.',
  });
});

test('one shorter page is enough, also where its cursor is longer than that of the last page', async () => {
  const all = Array.from({ length: 9 }, (_, id) => ({ id, text: 'x'.repeat(977) }));
  const fetch = listOf(all);
  let requests = 0;
  const fitted = await fit(fetch(0, 9), 8_192, (size) => {
    requests += 1;
    return fetch(0, size);
  });
  assert.equal(requests, 1);
  const answer = read(fitted, 8_192);
  assert.equal(answer.truncated?.left_out, 9 - answer.data.length);
});

test('a shorter page that is too long after all is cut like any other', async () => {
  const text = 'x'.repeat(3_000);
  const page = { records: Array.from({ length: 5 }, (_, id) => ({ id, text })), cursor: '5' };
  // Meanwhile the records have grown.
  const grown = {
    records: page.records.slice(0, 2).map((each) => ({ ...each, more: text })),
    cursor: '2',
  };
  const answer = read(await fit(page, 8_192, () => grown), 8_192);
  assert.deepEqual(answer.data, grown.records.slice(0, 1));
  assert.equal(answer.next, undefined);
  assert.equal(answer.truncated?.left_out, 4);
});

test('a page that fits is as it came, without a notice', async () => {
  const page = { records: [{ id: 1 }], cursor: '1' };
  assert.deepEqual(await fit(page, 4_096, () => assert.fail()), {
    data: [{ id: 1 }],
    next: '1',
    truncated: undefined,
  });
});

/** Fields that are not named are as they were; those that are, are gone or a notice. */
function assertShrunk(shrunk: JsonObject, original: JsonObject, leftOut: readonly string[]): void {
  const isListWhole = leftOut.every((name) => Object.hasOwn(original, name));
  for (const [name, value] of Object.entries(original)) {
    if (!Object.hasOwn(shrunk, name)) {
      if (isListWhole) assert.ok(leftOut.includes(name), name);
    } else if (typeof shrunk[name] === 'string' && /^\[left out: \d+ bytes\]$/.test(shrunk[name])) {
      if (shrunk[name] !== value) assert.equal(shrunk[name], `[left out: ${bytesOf(value)} bytes]`);
    } else {
      assert.deepEqual(shrunk[name], value);
    }
  }
}

test('of a page much too long no more is written than fits', async () => {
  let written = 0;
  const records = Array.from({ length: 1_000 }, (_, id) => ({
    id,
    get text() {
      written += 1;
      return 'x'.repeat(100);
    },
  }));
  const pageOf = listOf(records);
  for (const fetchSmaller of [(size: number) => pageOf(0, size), () => undefined]) {
    written = 0;
    const { data } = read(await fit(pageOf(0, 1_000), 8_192, fetchSmaller), 8_192);
    assert.ok(data.length > 50, `${data.length} records`);
    assert.ok(written < 10 * data.length, `${written} records were written for ${data.length}`);
  }
});
