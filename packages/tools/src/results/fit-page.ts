import type { JsonObject } from '../host.ts';
import { bytesOf } from './budget.ts';
import { namesTold, type ShrunkRecord } from './shrink-record.ts';

/** What a cut answer says of itself, for whoever reads it. */
export interface Truncation {
  /** Records of the page that was asked for, but are not in the answer. */
  readonly left_out?: number;
  /** Fields of the one record that was too large by itself. */
  readonly fields_left_out?: readonly string[];
  readonly max_bytes: number;
  /** How to get what was left out. */
  readonly rest: string;
}

/** A page that has to fit a budget. */
export interface PageToFit<P, I> {
  readonly page: P;
  readonly maxBytes: number;
  readonly itemsOf: (page: P) => readonly I[];
  /**
   * The answer. Where items were cut off the end of the page, `isCut` is set: then the page's own
   * cursor leads past them and must not be offered.
   */
  readonly render: (
    page: P,
    items: readonly I[],
    notice?: { readonly truncated: Truncation; readonly isCut: boolean },
  ) => JsonObject;
  readonly shrink: (
    item: I,
    maxBytes: number,
  ) => { readonly item: I } & Pick<ShrunkRecord, 'leftOut'>;
  /** The same page with fewer items, whose cursor leads on from the last; `undefined` for none. */
  readonly fetchSmaller: (size: number) => Promise<P | undefined>;
  /** How to get the items after a page of `count` that has a cursor, in words. */
  readonly goOn: string;
  /**
   * How to get what was cut off, where no cursor leads to it, in words. `takesNoSize` is set where a
   * shorter page was asked for and came as long as before: asking for fewer items is no advice then.
   */
  readonly repeat: (count: number, takesNoSize?: boolean) => string;
  /** How to get fields that were left out, in words. */
  readonly narrow: string;
}

/** Room for the notice of fields that were left out, whose names are not known before. */
const NOTICE_BYTES = 1_536;

/** The bytes that a shorter page's cursor may take beyond the page's own, null on the last page. */
const CURSOR_BYTES = 512;

/** At most so many shorter pages are asked for; records that grow meanwhile may need another. */
const MAX_SMALLER_PAGES = 2;

/**
 * Renders a page within its budget, never cutting an item in two: where the page is too long, asks
 * for a shorter one, so that its cursor is right; where that cannot be had, drops items from the end
 * and says so; where one item alone is too long, leaves out its largest fields and names them.
 */
export async function fitPage<P, I>(request: PageToFit<P, I>): Promise<JsonObject> {
  const { page: asked, maxBytes, itemsOf, render, fetchSmaller } = request;
  const total = itemsOf(asked).length;
  const whole = render(asked, itemsOf(asked));
  if (fits(whole, itemsOf(asked), maxBytes)) return whole;
  let page = asked;
  let takesNoSize = false;
  for (let count = 0; count < MAX_SMALLER_PAGES && !isShortEnough(request, page); count += 1) {
    const size = Math.max(1, countFitting(request, page, CURSOR_BYTES));
    const smaller = size < itemsOf(page).length ? await fetchSmaller(size) : undefined;
    if (smaller === undefined) break;
    takesNoSize = itemsOf(smaller).length > size;
    page = smaller;
    if (takesNoSize) break;
  }
  const { repeat } = request;
  const advised = { ...request, repeat: (count: number) => repeat(count, takesNoSize) };
  return cut(advised, page, Math.max(0, total - itemsOf(page).length));
}

/**
 * Whether an answer with these items fits. Of one much too long no more is written than it takes to see that: a page of
 * hits may have 32 MiB, and to write those down would keep everybody waiting.
 */
function fits(answer: JsonObject, items: readonly unknown[], maxBytes: number): boolean {
  let room = maxBytes;
  for (const item of items) {
    room -= bytesOf(item);
    if (room < 0) return false;
  }
  return bytesOf(answer) <= maxBytes;
}

/** Whether no shorter page need be asked for: this one fits, or has only one item. */
function isShortEnough<P, I>(request: PageToFit<P, I>, page: P): boolean {
  const { maxBytes, itemsOf, render, goOn, page: asked } = request;
  if (page === asked) return false;
  const truncated = { left_out: itemsOf(asked).length, max_bytes: maxBytes, rest: goOn };
  const items = itemsOf(page);
  const answer = render(page, items, { truncated, isCut: false });
  return items.length <= 1 || fits(answer, items, maxBytes);
}

/** @param leftBefore Items that are not on this page, but were on the one asked for. */
function cut<P, I>(request: PageToFit<P, I>, page: P, leftBefore: number): JsonObject {
  const { maxBytes, itemsOf, render, goOn, repeat } = request;
  const items = itemsOf(page);
  const asIs = render(page, items, {
    truncated: { left_out: leftBefore, max_bytes: maxBytes, rest: goOn },
    isCut: false,
  });
  if (fits(asIs, items, maxBytes)) return asIs;
  const count = countFitting(request, page);
  const [first] = items;
  if (count === 0 && first !== undefined) return withShrunk(request, page, { first, leftBefore });
  const truncated = {
    left_out: leftBefore + items.length - count,
    max_bytes: maxBytes,
    rest: repeat(count),
  };
  return render(page, items.slice(0, count), { truncated, isCut: true });
}

function withShrunk<P, I>(
  request: PageToFit<P, I>,
  page: P,
  { first, leftBefore }: { readonly first: I; readonly leftBefore: number },
): JsonObject {
  const { maxBytes, itemsOf, render, shrink, goOn, repeat, narrow } = request;
  const left = itemsOf(page).length - 1;
  const isCut = left > 0;
  const notice = (fields: readonly string[]) => ({
    truncated: {
      ...(left + leftBefore > 0 ? { left_out: left + leftBefore } : {}),
      fields_left_out: namesTold(fields),
      max_bytes: maxBytes,
      rest: `${narrow} ${isCut ? repeat(1) : left + leftBefore > 0 ? goOn : ''}`.trim(),
    },
    isCut,
  });
  const room = maxBytes - bytesOf(render(page, [], notice([])));
  let { item, leftOut } = shrink(first, room - NOTICE_BYTES);
  // Long names of fields take more room than was set aside for them.
  const excess = bytesOf(render(page, [item], notice(leftOut))) - maxBytes;
  if (excess > 0) ({ item, leftOut } = shrink(first, room - NOTICE_BYTES - excess));
  return render(page, [item], notice(leftOut));
}

/** How many of the first items fit besides what else an answer with a notice has. */
function countFitting<P, I>(request: PageToFit<P, I>, page: P, reserve = 0): number {
  const { maxBytes, itemsOf, render, goOn, repeat } = request;
  const items = itemsOf(page);
  const rest = [goOn, repeat(items.length)].toSorted((one, other) => bytesOf(other) - bytesOf(one));
  const truncated = { left_out: items.length, max_bytes: maxBytes, rest: rest[0] ?? '' };
  let room = maxBytes - reserve - bytesOf(render(page, [], { truncated, isCut: false }));
  const tooLong = items.findIndex((item) => {
    // One more for the comma.
    room -= bytesOf(item) + 1;
    return room < 0;
  });
  return tooLong === -1 ? items.length : tooLong;
}
