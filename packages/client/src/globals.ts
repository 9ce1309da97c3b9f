/** What this package looks for among the globals, which differ from place to place. */
export interface Globals {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly getBuiltinModule?: (name: string) => unknown;
  };
  readonly document?: unknown;
  readonly WorkerNavigator?: unknown;
  readonly Deno?: unknown;
}

/** The globals of this runtime, typed so that any of them may be missing. */
export const GLOBALS = globalThis as Globals;

/**
 * Whether this runs in a browser, where whoever opens the page can read everything that it holds:
 * in a page, which has a `document`, or in a worker of one. What imitates a page, as jsdom does,
 * counts as one.
 *
 * `window` would not tell: Deno had one. Its workers have a `WorkerNavigator` as those of browsers
 * do; Node, Bun and edge runtimes have neither that nor a `document`.
 */
export function isBrowser({ document, WorkerNavigator, Deno }: Globals): boolean {
  return document !== undefined || (WorkerNavigator !== undefined && Deno === undefined);
}
