import type { ConnectPopup, ConnectWindow } from '../../src/connect.ts';

type Listener = Parameters<ConnectWindow['addEventListener']>[1];

/** A pop-up as the window that opened it sees it. */
export interface FakePopup extends ConnectPopup {
  closed: boolean;
  /** Where it was sent. */
  readonly visited: string[];
}

/** A browser's window, whose time passes as fast as promises settle. */
export interface FakeWindow extends ConnectWindow {
  /** What was given to `open`, joined by spaces. */
  readonly opened: string[];
  readonly popup: FakePopup;
  readonly visited: string[];
  isBlocking: boolean;
  hasFocus: boolean;
  /** Milliseconds. */
  now: number;
  /** What is called when that time has come. */
  at(ms: number, happen: () => void): void;
  send(event: {
    readonly data: unknown;
    readonly origin?: string;
    readonly source?: unknown;
  }): void;
  show(persisted: boolean): void;
  /** Listeners that are still there. */
  listeners(): number;
}

export const PAGE = 'https://patchbay.example.com';

export function makeFakeWindow(): FakeWindow {
  const listeners = new Map<string, Set<Listener>>();
  const timers: { readonly at: number; readonly callback: () => void }[] = [];
  const emit = (type: string, event: unknown): void => {
    for (const listener of listeners.get(type) ?? []) listener(event as never);
  };
  const runNext = (): void => {
    const [first] = timers.toSorted((one, other) => one.at - other.at);
    if (first === undefined) return;
    timers.splice(timers.indexOf(first), 1);
    window.now = first.at;
    first.callback();
  };
  const popup: FakePopup = {
    closed: false,
    visited: [],
    location: { replace: (url) => void popup.visited.push(url) },
    close: () => {
      popup.closed = true;
    },
  };
  const window: FakeWindow = {
    screenX: 100,
    screenY: 50,
    outerWidth: 1_280,
    outerHeight: 900,
    opened: [],
    visited: [],
    popup,
    isBlocking: false,
    hasFocus: false,
    now: 0,
    document: { hasFocus: () => window.hasFocus },
    location: { assign: (url) => void window.visited.push(url) },
    open: (...args) => {
      window.opened.push(args.join(' '));
      return window.isBlocking ? null : popup;
    },
    setTimeout: (callback, ms) => {
      timers.push({ at: window.now + ms, callback });
      // One timer a turn, so that what one of them starts is done before the next.
      setImmediate(runNext);
    },
    addEventListener: (type, listener) => {
      const all = listeners.get(type) ?? new Set();
      // The type says which events go with it.
      listeners.set(type, all.add(listener as Listener));
    },
    removeEventListener: (type, listener) => {
      listeners.get(type)?.delete(listener as Listener);
    },
    at: (ms, happen) => void window.setTimeout(happen, ms - window.now),
    send: ({ data, origin = PAGE, source = popup }) => emit('message', { data, origin, source }),
    show: (persisted) => emit('pageshow', { persisted }),
    listeners: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
  };
  return window;
}
