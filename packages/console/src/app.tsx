import { MantineProvider } from '@mantine/core';
import { Activity, lazy, Suspense } from 'react';
import { FailureNotice } from './parts/failure-notice.tsx';
import { Loading } from './parts/loading.tsx';
import type { ConsoleSession } from './session/session-api.ts';
import {
  SessionProvider,
  sessionIn,
  useSession,
  type SessionState,
} from './session/use-session.tsx';
import { useFocusKeeper } from './shell/focus-keeper.ts';
import { SignedIn } from './shell/signed-in.tsx';
import { theme } from './theme.ts';

/** Whoever is signed in already does without it. */
const SignInPage = lazy(async () => ({
  default: (await import('./pages/sign-in/sign-in-page.tsx')).SignInPage,
}));

/** The console: whoever is signed in works in it, everybody else is asked to sign in. */
export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <SessionProvider>
        <Gate />
      </SessionProvider>
    </MantineProvider>
  );
}

function Gate() {
  const { state, reload } = useSession();
  useFocusKeeper();
  switch (state.at) {
    case 'loading':
      return <Loading what="the console" />;
    case 'unreachable':
      return (
        <main className="alone">
          <h1>The console cannot start</h1>
          <FailureNotice failure={state.failure} onRetry={() => void reload()} />
        </main>
      );
    case 'out':
    case 'in':
      return <InOrOut state={state} />;
  }
}

/** Of a session that has ended nothing is shown or read, but what was entered stays: in memory, and for the same only. */
function InOrOut({ state }: { readonly state: Extract<SessionState, { at: 'in' | 'out' }> }) {
  const session = sessionIn(state);
  return (
    <>
      {state.at === 'out' && (
        <Suspense fallback={<Loading what="the sign-in" />}>
          <SignInPage reason={state.reason} />
        </Suspense>
      )}
      {session !== undefined && (
        <Activity key={identityOf(session)} mode={state.at === 'in' ? 'visible' : 'hidden'}>
          <SignedIn session={session} />
        </Activity>
      )}
    </>
  );
}

/** Nothing that somebody has read is shown to another, who signs in in the same browser. */
function identityOf({ role, application }: ConsoleSession): string {
  return `${role} ${application?.id ?? ''}`;
}
