import { useEffect, useLayoutEffect, useRef } from 'react';
import { cameByHistory } from '../routing/location.ts';

/** What had the focus last, and what was around it then, from the inside out. */
interface Trail {
  readonly element: Element;
  readonly around: readonly Element[];
}

/** Whether the focus is to go to the heading of the page, as soon as there is one. */
let isHeadingAwaited = false;

/**
 * Where what has the focus is taken off the page, the focus goes on to what is left around it: browsers would give it to
 * the page as a whole, and whoever works without a pointer would begin again at its top.
 */
export function useFocusKeeper(): void {
  useEffect(() => {
    let trail: Trail | undefined;
    const onFocusIn = ({ target }: FocusEvent) => {
      isHeadingAwaited = false;
      trail =
        target instanceof Element ? { element: target, around: ancestorsOf(target) } : undefined;
    };
    // Somebody has pressed beside everything: that is where the focus shall be.
    const onFocusOut = ({ target }: FocusEvent) => {
      setTimeout(() => {
        const isLeft = trail?.element === target && trail.element.isConnected && isNowhere();
        if (isLeft) trail = undefined;
      });
    };
    const onChange = () => {
      if (!isNowhere()) return;
      if (isHeadingAwaited) focusPageHeading();
      if (trail === undefined || trail.element.isConnected) return;
      const left = trail.around.filter((each) => each.isConnected);
      trail = undefined;
      // A row that is scrolled out of sight: the browser itself goes on from where it was.
      if (left.some((each) => each.matches('[aria-rowcount]'))) return;
      const isFound = left.some((each) => focusWithin(each));
      isHeadingAwaited = !isFound;
    };
    const observer = new MutationObserver(onChange);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', onFocusIn);
    document.addEventListener('focusout', onFocusOut);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onFocusIn);
      document.removeEventListener('focusout', onFocusOut);
    };
  }, []);
}

/** Moves the focus to the heading of a page that somebody has come to; the first one has it where the browser gives it. */
export function useFocusOnPage(page: string): void {
  const shown = useRef(page);
  useLayoutEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    // Until the page is loaded, the place where it will be.
    document.querySelector<HTMLElement>('#page')?.focus({ preventScroll: true });
    isHeadingAwaited = true;
    focusPageHeading();
  }, [page]);
}

function ancestorsOf(element: Element): readonly Element[] {
  const found: Element[] = [];
  for (let each = element.parentElement; each !== null; each = each.parentElement) found.push(each);
  return found;
}

/** Whether the page as a whole has the focus, or the place where a heading is awaited. */
function isNowhere(): boolean {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) return true;
  return isHeadingAwaited && activeElement.id === 'page';
}

/** Whoever goes back finds the page scrolled as it was. */
function focusPageHeading(): void {
  focusOn(document.querySelector('main h1'), { preventScroll: cameByHistory() });
}

/** Gives the focus to what stands for a part of the page; whether there is such a thing. */
function focusWithin(part: Element): boolean {
  return focusOn(part.querySelector(standsFor(part)));
}

/** Of a form, or a group in it, the first field; of everything else its heading. Nothing that acts where a key is pressed. */
function standsFor(part: Element): string {
  return part.matches('form, fieldset') ? 'input, select, textarea' : 'h1, h2, h3';
}

function focusOn(element: Element | null, options: FocusOptions = {}): boolean {
  if (!(element instanceof HTMLElement)) return false;
  // Of what is no stop for the Tab key.
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus(options);
  return document.activeElement === element;
}
