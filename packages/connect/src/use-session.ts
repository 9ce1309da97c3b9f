import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { forgetSecret, readAddress, rememberSession, type Address } from './address.ts';
import { openSession, readSession, Refusal } from './service.ts';
import type { ConnectPageSession, ConnectProgress } from '@patchbay/connectors/wire';

/** What the page knows of its session. */
export type SessionState =
  | { readonly at: 'loading' }
  /** Its address names none. */
  | { readonly at: 'nowhere' }
  /** The service refuses it to this browser. */
  | { readonly at: 'refused'; readonly refusal: Refusal }
  /** Nobody answered before anything was known, or the service asks to come again. */
  | { readonly at: 'unreachable'; readonly refusal: Refusal | undefined }
  /** `isLost`: the last answer is some time ago. */
  | { readonly at: 'there'; readonly view: ConnectPageSession; readonly isLost: boolean };

export interface Session {
  readonly state: SessionState;
  /** Asks the service anew. */
  readonly reload: () => Promise<void>;
  /** Takes what the service has just said. */
  readonly take: (view: ConnectPageSession) => void;
}

const FIRST_DELAY_MS = 1_500;
const LONGEST_DELAY_MS = 15_000;
/** A first copy may take hours: who watches it asks ever more seldom. */
const GROWTH = 1.03;
/** Nobody learns of its end to the second, and clocks differ. */
const SHORTEST_WAIT_FOR_END_MS = 5_000;
const LONGEST_WAIT_MS = 3_600_000;
const OVER = new Set(['succeeded', 'failed', 'cancelled']);

/** The session that the address names, kept up to date. */
export function useSession(): Session {
  const [state, setState] = useState<SessionState>({ at: 'loading' });
  /** Counts what was taken: an answer to a question from before it is old. */
  const version = useRef(0);
  const underWay = useRef<Promise<void>>(undefined);

  const take = useCallback((view: ConnectPageSession) => {
    version.current += 1;
    rememberSession(view.id);
    setState({ at: 'there', view, isLost: false });
  }, []);

  const load = useCallback(async (): Promise<void> => {
    const address = readAddress(location);
    if (address === undefined) return setState({ at: 'nowhere' });
    const asked = version.current;
    try {
      const view =
        'secret' in address
          ? await openSession(address.secret)
          : await readSession(address.sessionId);
      // Another link was opened in this tab meanwhile: to take this one would take its secret away.
      if (hasOtherSecret(address)) return await load();
      if (asked === version.current) take(view);
    } catch (error) {
      if (hasOtherSecret(address)) return await load();
      if (asked === version.current) setState((before) => afterFailure(before, error));
    }
  }, [take]);

  // One at a time: an answer that is late would be told after one that is newer.
  const reload = useCallback(
    () => (underWay.current ??= load().finally(() => (underWay.current = undefined))),
    [load],
  );

  useEffect(() => void reload(), [reload]);
  useReloadOnReturn(reload);
  usePolling(state, reload);
  return { state, reload, take };
}

function hasOtherSecret(asked: Address): boolean {
  const now = readAddress(location);
  if (now === undefined || !('secret' in now)) return false;
  return !('secret' in asked) || asked.secret !== now.secret;
}

function afterFailure(before: SessionState, error: unknown): SessionState {
  const refusal = error instanceof Refusal ? error : undefined;
  if (refusal === undefined || refusal.isPassing)
    return before.at === 'there' ? { ...before, isLost: true } : { at: 'unreachable', refusal };
  forgetSecret();
  // What is connected stays so, however long this browser may watch it.
  if (before.at === 'there' && before.view.status === 'succeeded') return before;
  return { at: 'refused', refusal };
}

/** What was known may be old when a person comes back to the page, or has a network again. */
function useReloadOnReturn(reload: () => Promise<void>): void {
  useEffect(() => {
    const whenShown = (event: PageTransitionEvent) => {
      // It is as it was left, on its way to the vendor.
      if (event.persisted) location.reload();
    };
    const whenVisible = () => {
      if (document.visibilityState === 'visible') void reload();
    };
    const always = () => void reload();
    window.addEventListener('pageshow', whenShown);
    // Another link in the same tab changes the fragment only.
    window.addEventListener('hashchange', always);
    window.addEventListener('online', always);
    document.addEventListener('visibilitychange', whenVisible);
    return () => {
      window.removeEventListener('pageshow', whenShown);
      window.removeEventListener('hashchange', always);
      window.removeEventListener('online', always);
      document.removeEventListener('visibilitychange', whenVisible);
    };
  }, [reload]);
}

function usePolling(state: SessionState, reload: () => Promise<void>): void {
  const delay = useRef(FIRST_DELAY_MS);
  const step = state.at === 'there' ? state.view.status : state.at;
  useEffect(() => {
    delay.current = FIRST_DELAY_MS;
  }, [step]);
  useEffect(() => {
    if (state.at !== 'there') return;
    const waitMs = waitBefore(state.view, state.isLost, delay.current);
    if (waitMs === undefined) return;
    delay.current = Math.min(LONGEST_DELAY_MS, delay.current * GROWTH);
    const timer = setTimeout(() => void reload(), waitMs);
    return () => clearTimeout(timer);
  }, [state, reload]);
}

/** How long what is known is good; `undefined` where nothing will change any more. */
function waitBefore(
  view: ConnectPageSession,
  isLost: boolean,
  delayMs: number,
): number | undefined {
  if (isLost) return delayMs;
  switch (view.status) {
    case 'open': {
      const leftMs = Date.parse(view.expires_at) - Date.now();
      return Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_FOR_END_MS, leftMs));
    }
    case 'succeeded':
      return isOver(view.progress) ? undefined : delayMs;
    case 'expired':
      return undefined;
    default:
      return delayMs;
  }
}

/** Whether a first copy will not get any further, or there is none. */
export function isOver(progress: ConnectProgress | null): boolean {
  return progress === null || (progress.state !== null && OVER.has(progress.state));
}
