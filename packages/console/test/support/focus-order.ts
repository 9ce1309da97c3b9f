import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** More stops than the longest page has, where a list shows its first screen. */
const MOST_STOPS = 400;

/** Where the focus is, as a person sees it. */
interface Stop {
  readonly name: string;
  readonly isSeen: boolean;
  readonly hasRing: boolean;
  /** Somebody who reads has come past it at the stop before. */
  readonly isBackwards: boolean;
  readonly isVisited: boolean;
}

/** Describes the element that has the focus and marks it; `null` where the page itself has it. */
const STOP = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) {
    window.lastStop = undefined;
    return null;
  }
  // Of a radio, people see and press the label.
  const shown = element.type === 'radio' ? (element.labels[0] ?? element) : element;
  const { left, right, top, bottom } = shown.getBoundingClientRect();
  const around = [shown, element, element.nextElementSibling];
  for (let each = element.parentElement; each !== null; each = each.parentElement) around.push(each);
  const hasRing = around.some((each) => {
    if (each === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  });
  // What has the focus is scrolled to: both are measured now.
  const before = window.lastStop?.getBoundingClientRect() ?? { left: 0, right: 0, top: 0, bottom: 0 };
  window.lastStop = shown;
  const isAbove = bottom <= before.top;
  const isSameLine = top < before.bottom && before.top < bottom;
  const isVisited = element.hasAttribute('data-visited');
  element.setAttribute('data-visited', '');
  return {
    name: (shown.getAttribute('aria-label') ?? shown.textContent.trim().slice(0, 60)) || shown.outerHTML.slice(0, 160),
    isSeen: right > left && bottom > top && right > 0 && left < innerWidth && bottom > 0 && top < innerHeight,
    hasRing,
    isBackwards: (isAbove && left <= before.left) || (isSameLine && right <= before.left),
    isVisited,
  };
})()`;

/** What the Tab key never came to, of what it should: a group of radios and one of tabs have one stop. */
const MISSED = `(() => {
  const inside = [...document.querySelectorAll('[role=dialog], dialog[open]')].at(-1) ?? document;
  const all = [...inside.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')];
  const isStop = (each) => each.tabIndex >= 0 && !each.disabled && each.type !== 'radio' &&
    each.type !== 'file' && each.checkVisibility({ visibilityProperty: true });
  const missed = all.filter((each) => isStop(each) && !each.hasAttribute('data-visited'));
  for (const each of document.querySelectorAll('[data-visited]')) each.removeAttribute('data-visited');
  return missed.map((each) => each.outerHTML.slice(0, 160));
})()`;

/**
 * Goes once around by the Tab key.
 *
 * @throws AssertionError where something cannot be reached, cannot be seen or does not show that it has the focus, or
 *   where the focus goes backwards.
 */
export async function assertFocusOrder(page: Page, where: string): Promise<void> {
  const stops: Stop[] = [];
  let turns = 1;
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<Stop | null>(STOP);
    if (stop?.isVisited === true) break;
    // After the last one the browser itself may have the focus, and it is no way back to the first.
    if (stop === null) turns = 0;
    else stops.push(stop);
    assert.ok(stops.length < MOST_STOPS, `${where}: the focus does not come around`);
  }
  assert.deepEqual(await page.evaluate(MISSED), [], `${where}: never reached`);
  const namesOf = (some: readonly Stop[]) => some.map(({ name }) => name);
  const hidden = stops.filter(({ isSeen, hasRing }) => !isSeen || !hasRing);
  assert.deepEqual(namesOf(hidden), [], `${where}: has the focus, and nobody sees it`);
  const backwards = namesOf(stops.filter(({ isBackwards }) => isBackwards));
  assert.ok(
    backwards.length <= turns,
    `${where}: the focus goes backwards: ${backwards.join(', ')}`,
  );
}
