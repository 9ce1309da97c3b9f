import { createContext, use, useCallback, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { failureOf, type Failure } from '../service/failure.ts';
import { takeLinkSecret } from './link-secret.ts';
import { readSession, signIn, signOut, type ConsoleSession, type SignIn } from './session-api.ts';

/** Whether anybody is signed in. */
export type SessionState =
  | { readonly at: 'loading' }
  | { readonly at: 'unreachable'; readonly failure: Failure }
  /** `reason` says why, where somebody was signed in or wanted to be. */
  | { readonly at: 'out'; readonly reason: string | undefined }
  | { readonly at: 'in'; readonly session: ConsoleSession };

/** The session of this browser, and how it begins and ends. */
export interface SessionControl {
  readonly state: SessionState;
  readonly reload: () => Promise<void>;
  /** @throws SessionRefusal */
  readonly signIn: (credentials: SignIn) => Promise<void>;
  readonly signOut: () => Promise<void>;
  /** The service said that the session is over. */
  readonly end: () => void;
}

const SessionContext = createContext<SessionControl | undefined>(undefined);
const ENDED = 'Your session has ended. Sign in again to go on.';
/** Browsers count longer timers down at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Taken before anything is drawn, and only once, however often components are. */
const linkSecret = takeLinkSecret();

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ at: 'loading' });
  const control = useMemo<SessionControl>(
    () => ({
      state,
      reload: async () => setState(await firstState(undefined)),
      signIn: async (credentials) => setState({ at: 'in', session: await signIn(credentials) }),
      signOut: async () => {
        await signOut();
        setState({ at: 'out', reason: undefined });
      },
      end: () => setState({ at: 'out', reason: ENDED }),
    }),
    [state],
  );
  useEffect(() => {
    void firstState(linkSecret).then(setState);
  }, []);
  useEndOf(state, control.end);
  return <SessionContext value={control}>{children}</SessionContext>;
}

export function useSession(): SessionControl {
  const control = use(SessionContext);
  if (control === undefined) throw new Error('There is no SessionProvider around this component.');
  return control;
}

let first: Promise<SessionState> | undefined;

/** A link signs in once; whoever asks a second time means the same. */
function firstState(secret: string | undefined): Promise<SessionState> {
  if (secret === undefined) return stateFrom(undefined);
  return (first ??= stateFrom(secret));
}

async function stateFrom(secret: string | undefined): Promise<SessionState> {
  try {
    if (secret !== undefined) return { at: 'in', session: await signIn({ link_secret: secret }) };
    const session = await readSession();
    return session === undefined ? { at: 'out', reason: undefined } : { at: 'in', session };
  } catch (error) {
    const failure = failureOf(error);
    if (secret !== undefined) return { at: 'out', reason: failure.message };
    return { at: 'unreachable', failure };
  }
}

/** At its end the session is over, whether or not anything is asked of the service. */
function useEndOf(state: SessionState, end: () => void): void {
  const endsAt = state.at === 'in' ? Date.parse(state.session.expires_at) : undefined;
  const finish = useCallback(end, [end]);
  useEffect(() => {
    if (endsAt === undefined) return;
    const timer = setTimeout(finish, Math.min(MAX_TIMER_MS, Math.max(0, endsAt - Date.now())));
    return () => clearTimeout(timer);
  }, [endsAt, finish]);
}
