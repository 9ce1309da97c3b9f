import { useSyncExternalStore } from 'react';

/** Below which path of the service the console is. */
const BASE = '/console';

const listeners = new Set<() => void>();

let isByHistory = false;

/** Where the console is: the path below its own, and the query. */
export interface Place {
  /** Begins with a slash, and ends with none unless that is all. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The place that the address bar shows, kept up to date. */
export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, readAddress);
  const url = new URL(address, location.origin);
  return { path: pathOf(url.pathname), query: url.searchParams };
}

/** The path of an address below the console's own. */
export function pathOf(pathname: string): string {
  const path = pathname.slice(BASE.length).replace(/\/+$/, '');
  return path === '' ? '/' : path;
}

/** The address of a place of the console, for links. */
export function addressOf(path: string): string {
  return path === '/' ? BASE : BASE + path;
}

/**
 * Goes to another place. `replace` leaves no way back to this one: for what is typed into a filter.
 *
 * @param path Below the console's own, query included.
 */
export function goTo(path: string, { replace = false } = {}): void {
  const address = addressOf(path);
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  isByHistory = false;
  for (const listener of listeners) listener();
}

/** Whether somebody came here by the buttons of the browser, back or forward. */
export function cameByHistory(): boolean {
  return isByHistory;
}

/** Changes members of the query, and leaves the others; an empty text takes one away. */
export function changeQuery(changes: Readonly<Record<string, string>>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(null, '', url.pathname + url.search);
  for (const listener of listeners) listener();
}

function readAddress(): string {
  return location.pathname + location.search;
}

function subscribe(listener: () => void): () => void {
  const onPopState = () => {
    isByHistory = true;
    listener();
  };
  listeners.add(listener);
  window.addEventListener('popstate', onPopState);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', onPopState);
  };
}
