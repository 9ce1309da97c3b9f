import { createContext, use, useEffect, useMemo, useState } from 'react';
import type { Dispatch, ReactNode, SetStateAction } from 'react';
import { failureOf, type Failure } from '../service/failure.ts';
import { serverNow } from '../service/server-clock.ts';
import { takeLinkSecret } from './link-secret.ts';
import { openOtherTabs } from './other-tabs.ts';
import { useUnattended } from './use-unattended.ts';
import { readSession, signIn, signOut, type ConsoleSession, type SignIn } from './session-api.ts';

/** Whether anybody is signed in. */
export type SessionState =
  | { readonly at: 'loading' }
  | { readonly at: 'unreachable'; readonly failure: Failure }
  /**
   * `reason` says why, where somebody was signed in or wanted to be. `kept` is the session that ended under their hands:
   * what they have entered is there when the same signs in again.
   */
  | { readonly at: 'out'; readonly reason: string | undefined; readonly kept?: ConsoleSession }
  | { readonly at: 'in'; readonly session: ConsoleSession };

/** How the session of this browser begins and ends. */
interface SessionActions {
  readonly reload: () => Promise<void>;
  /** @throws SessionRefusal */
  readonly signIn: (credentials: SignIn) => Promise<void>;
  readonly signOut: () => Promise<void>;
  /** The service said that the session is over. */
  readonly end: () => void;
  /** Nobody is there any more. */
  readonly leave: () => void;
  /** Asks how long the session lasts by now: using it may have made it longer. */
  readonly renew: () => Promise<void>;
}

/** The session of this browser. */
export interface SessionControl extends SessionActions {
  readonly state: SessionState;
}

const SessionContext = createContext<SessionControl | undefined>(undefined);
const ENDED = 'Your session has ended. Sign in again to go on.';
const SIGNED_OUT = 'You signed out in another tab.';
const UNATTENDED = 'You were signed out, since nothing was done here for an hour.';
/** How long before its end a session is said to end. */
export const WARNED_MS = 10 * 60_000;
/** How long a page whose session has ended is kept for whoever signs in again. */
const KEPT_MS = 60 * 60_000;
/** Browsers count longer timers down at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Taken before anything is drawn, and only once, however often components are. */
const linkSecret = takeLinkSecret();
const otherTabs = openOtherTabs();

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ at: 'loading' });
  // They stay the same, whatever the state: the service is opened with them.
  const actions = useMemo(() => actionsOn(setState), []);
  useEffect(() => {
    void firstState(linkSecret).then(setState);
    // A link that is opened where the console is open already loads nothing anew.
    const onFragment = () => {
      const secret = takeLinkSecret();
      if (secret !== undefined)
        void stateFrom(secret).then((found) => setState((now) => afterLink(now, found)));
    };
    // Whoever that was: what the others show is theirs from now on.
    const onBegun = () => {
      actions.renew().catch(() => undefined);
    };
    window.addEventListener('hashchange', onFragment);
    const unlisten = [
      otherTabs.on('begun', onBegun),
      otherTabs.on('ended', () => setState({ at: 'out', reason: SIGNED_OUT })),
      otherTabs.on('unattended', () => setState({ at: 'out', reason: UNATTENDED })),
    ];
    return () => {
      window.removeEventListener('hashchange', onFragment);
      for (const end of unlisten) end();
    };
  }, [actions]);
  useEndOf(state, actions);
  useEndOfKept(state, setState);
  // What is kept of a session that has ended goes in the same way.
  useUnattended(sessionIn(state) !== undefined, otherTabs, actions.leave);
  const control = useMemo(() => ({ state, ...actions }), [state, actions]);
  return <SessionContext value={control}>{children}</SessionContext>;
}

function actionsOn(setState: Dispatch<SetStateAction<SessionState>>): SessionActions {
  /** What was asked while somebody was signed in, and is answered late, says nothing of who has signed out since. */
  const unlessOut = (state: SessionState) =>
    setState((current) => (current.at === 'out' ? current : state));
  return {
    reload: async () => setState(await stateFrom(undefined)),
    signIn: async (credentials) => setState({ at: 'in', session: await begin(credentials) }),
    signOut: async () => {
      await signOut();
      otherTabs.tell('ended');
      setState({ at: 'out', reason: undefined });
    },
    end: () => setState(endedBy),
    leave: () => {
      otherTabs.tell('unattended');
      setState({ at: 'out', reason: UNATTENDED });
      // Where the service cannot be told, the session ends an hour from now, since nothing uses it any more.
      signOut().catch(() => undefined);
    },
    renew: async () => {
      const session = await readSession();
      if (session === undefined) setState(endedBy);
      else unlessOut({ at: 'in', session });
    },
  };
}

/** What a state becomes by a link: one that does not work ends nothing, since it may be a place on the page. */
function afterLink(state: SessionState, found: SessionState): SessionState {
  if (found.at === 'in') return found;
  return state.at === 'out' && found.at === 'out' ? { ...state, reason: found.reason } : state;
}

/** What is left of a state when the service says that there is no session. */
function endedBy(state: SessionState): SessionState {
  if (state.at === 'out') return state;
  return { at: 'out', reason: ENDED, ...(state.at === 'in' ? { kept: state.session } : {}) };
}

/** The session whose page there is: the one that somebody is signed in with, or that has ended under their hands. */
export function sessionIn(state: SessionState): ConsoleSession | undefined {
  if (state.at === 'in') return state.session;
  return state.at === 'out' ? state.kept : undefined;
}

export function useSession(): SessionControl {
  const control = use(SessionContext);
  if (control === undefined) throw new Error('There is no SessionProvider.');
  return control;
}

/** Who is signed in, for what is shown to somebody who is. */
export function useSignedIn(): ConsoleSession {
  const session = sessionIn(useSession().state);
  if (session === undefined) throw new Error('Nobody is signed in.');
  return session;
}

async function begin(credentials: SignIn): Promise<ConsoleSession> {
  const session = await signIn(credentials);
  otherTabs.tell('begun');
  return session;
}

let first: Promise<SessionState> | undefined;

/** A link signs in once; whoever asks a second time means the same. */
function firstState(secret: string | undefined): Promise<SessionState> {
  if (secret === undefined) return stateFrom(undefined);
  return (first ??= stateFrom(secret));
}

/** Whoever is signed in stays so where a link does not work, which may have been used before. */
async function stateFrom(secret: string | undefined): Promise<SessionState> {
  if (secret === undefined) return stateNow(undefined);
  try {
    return { at: 'in', session: await begin({ link_secret: secret }) };
  } catch (error) {
    return stateNow(failureOf(error).message);
  }
}

/** @param reason What is told where nobody is signed in. */
async function stateNow(reason: string | undefined): Promise<SessionState> {
  try {
    const session = await readSession();
    return session === undefined ? { at: 'out', reason } : { at: 'in', session };
  } catch (error) {
    return { at: 'unreachable', failure: failureOf(error) };
  }
}

/**
 * Shortly before its end, and at its end, the service is asked whether using the session has made it longer; whether
 * or not it answers, nothing is shown of a session that is over.
 */
function useEndOf(state: SessionState, { renew, end }: SessionActions): void {
  const endsAt = state.at === 'in' ? Date.parse(state.session.expires_at) : undefined;
  useEffect(() => {
    if (endsAt === undefined) return;
    const leftMs = Math.min(MAX_TIMER_MS, Math.max(0, endsAt - serverNow()));
    const asking = setTimeout(
      () => {
        // The session goes on as it was; at its end it is asked for again.
        renew().catch(() => undefined);
      },
      Math.max(0, leftMs - WARNED_MS),
    );
    const ending = setTimeout(() => {
      renew().catch(end);
    }, leftMs);
    return () => {
      clearTimeout(asking);
      clearTimeout(ending);
    };
  }, [endsAt, renew, end]);
}

/** Whoever has not come back by then begins anew. */
function useEndOfKept(state: SessionState, setState: Dispatch<SetStateAction<SessionState>>): void {
  const kept = state.at === 'out' ? state.kept : undefined;
  useEffect(() => {
    if (kept === undefined) return undefined;
    const ending = setTimeout(
      () => setState((now) => (now.at === 'out' ? { at: 'out', reason: now.reason } : now)),
      KEPT_MS,
    );
    return () => clearTimeout(ending);
  }, [kept, setState]);
}
