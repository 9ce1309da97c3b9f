import { useEffect, useState } from 'react';
import { goTo, pathOf } from '../routing/location.ts';
import { PAGES } from './pages.ts';

/** A key, and what it does, for the list that `?` shows. */
export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

const PLACES = PAGES.flatMap(({ title, navigation }) =>
  navigation === undefined ? [] : [{ title, to: navigation.to }],
);

/** What keys do wherever one is; those inside of tables are said beside them. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['?'], does: 'Show these keys' },
  { keys: ['/'], does: 'Go to the search field of the page, or else to the search' },
  { keys: [']'], does: 'Next page of the navigation' },
  { keys: ['['], does: 'Page before it' },
  ...PLACES.map(({ title }, index) => ({ keys: [String(index + 1)], does: title })),
];

/** Kept by the browser: keys of one letter are in the way of whoever dictates. */
const OFF = 'patchbay.shortcuts.off';

export function areShortcutsOn(): boolean {
  return localStorage.getItem(OFF) === null;
}

export function switchShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, '1');
}

/** Does what keys are for, and says whether the list of them is to be shown. */
export function useShortcuts(): readonly [isShown: boolean, show: (isShown: boolean) => void] {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isForShortcuts(event)) return;
      if (event.key === '?') setIsShown(true);
      else if (!follow(event.key)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return [isShown, setIsShown];
}

/** Whether a key is nobody else's: not typed into a field, not in a dialog, not one of the browser's. */
function isForShortcuts(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return false;
  if (!areShortcutsOn() || document.querySelector('dialog[open]') !== null) return false;
  const { target } = event;
  return !(target instanceof Element) || target.closest(TYPED_INTO) === null;
}

const TYPED_INTO = 'input, textarea, select, [contenteditable], [role=combobox]';

/** Whether the key leads anywhere. */
function follow(key: string): boolean {
  switch (key) {
    case '/':
      focusSearch();
      return true;
    case ']':
      return goBy(1);
    case '[':
      return goBy(-1);
    default:
      return goToPlace(/^[1-9]$/.test(key) ? Number(key) - 1 : -1);
  }
}

function focusSearch(): void {
  const field = document.querySelector<HTMLElement>(
    '#page [role=search] input, #page [type=search]',
  );
  if (field === null) goTo('/search');
  else field.focus();
}

function goBy(step: number): boolean {
  const path = pathOf(location.pathname);
  const here = PLACES.findIndex(({ to }) => to === path);
  return goToPlace((here + step + PLACES.length) % PLACES.length);
}

function goToPlace(index: number): boolean {
  const place = PLACES[index];
  if (place !== undefined) goTo(place.to);
  return place !== undefined;
}
