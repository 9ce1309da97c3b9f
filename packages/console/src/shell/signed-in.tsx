import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { ChosenApplication } from './chosen-application.ts';
import { ChooseApplication } from './choose-application.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import {
  APPLICATIONS_KEY,
  listApplications,
  type ListedApplication,
} from '../service/applications.ts';
import { failureOf } from '../service/failure.ts';
import { ServiceProvider, useService } from '../service/service.tsx';
import type { ConsoleSession } from '../session/session-api.ts';
import {
  forgetApplication,
  rememberApplication,
  rememberedApplication,
} from './application-choice.ts';
import { Shell } from './shell.tsx';

/** The console of whoever is signed in: an application's own, or one that the operator chooses. */
export function SignedIn({ session }: { readonly session: ConsoleSession }) {
  const { application, role } = session;
  if (role === 'application' && application !== null)
    return (
      <ServiceProvider applicationId={undefined}>
        <Shell session={session} applicationName={application.name} />
      </ServiceProvider>
    );
  return (
    <ServiceProvider applicationId={undefined}>
      <OfOperator session={session} />
    </ServiceProvider>
  );
}

/** Asks with the operator's own token what there is, then works with the token of the application chosen. */
function OfOperator({ session }: { readonly session: ConsoleSession }) {
  const service = useService();
  const [chosenId, setChosenId] = useState(rememberedApplication);
  const { data, error, refetch } = useQuery({
    queryKey: APPLICATIONS_KEY,
    queryFn: ({ signal }) => listApplications(service, signal),
    staleTime: Infinity,
  });
  const usable = data?.filter(({ revoked_at: revokedAt }) => revokedAt === null) ?? [];
  const chosen = applicationFor(usable, chosenId);
  // The only one stays the chosen one when another is made.
  if (chosen !== undefined && chosen.id !== chosenId) setChosenId(chosen.id);
  useEffect(() => {
    if (chosenId !== undefined) rememberApplication(chosenId);
  }, [chosenId]);
  const choice = useMemo(() => ({ chosenId, choose: setChosenId }), [chosenId]);
  // What has been read is shown also where reading it anew fails.
  if (data === undefined && error !== null)
    return (
      <main className="alone">
        <h1>The applications cannot be read</h1>
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      </main>
    );
  if (data === undefined) return <Loading what="the applications" />;
  if (chosen === undefined)
    return (
      <ChooseApplication
        applications={usable}
        onChoose={setChosenId}
        onMade={() => void refetch()}
      />
    );
  const chooseAnew = () => {
    forgetApplication();
    setChosenId(undefined);
  };
  return (
    <ServiceProvider key={chosen.id} applicationId={chosen.id}>
      <ChosenApplication value={choice}>
        <Shell
          session={session}
          applicationName={chosen.name}
          onChangeApplication={usable.length > 1 ? chooseAnew : undefined}
        />
      </ChosenApplication>
    </ServiceProvider>
  );
}

/** The one that was chosen, or the only one there is. */
function applicationFor(
  applications: readonly ListedApplication[],
  id: string | undefined,
): ListedApplication | undefined {
  const [only] = applications;
  if (applications.length === 1) return only;
  return applications.find((each) => each.id === id);
}
