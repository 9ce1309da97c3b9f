import { Button, NativeSelect } from '@mantine/core';
import type { ConnectSessionInfo } from '@patchbay/client';
import { useState } from 'react';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { LinkButton } from '../../../parts/link-button.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { labelOf } from '../../../parts/words.ts';
import { changeQuery, usePlace } from '../../../routing/location.ts';
import { failureOf } from '../../../service/failure.ts';
import { ServiceProvider } from '../../../service/service.tsx';
import { useSignedIn } from '../../../session/use-session.tsx';
import { useApplicationChoice } from '../../../shell/chosen-application.ts';
import { ConfirmSession } from './confirm-session.tsx';
import { STATUSES, useSessionPages } from './session-calls.ts';
import { SessionTable } from './session-table.tsx';

/** The links by which people connect something for an application, and what came of each. */
export function SessionsTab({ applicationId }: { readonly applicationId: string }) {
  const { role } = useSignedIn();
  if (role === 'application') return <Sessions isWorkedIn />;
  return (
    <ServiceProvider key={applicationId} applicationId={applicationId}>
      <SessionsOf applicationId={applicationId} />
    </ServiceProvider>
  );
}

function SessionsOf({ applicationId }: { readonly applicationId: string }) {
  return <Sessions isWorkedIn={useApplicationChoice()?.chosenId === applicationId} />;
}

interface Props {
  /** The other pages are about the same application. */
  readonly isWorkedIn: boolean;
}

function Sessions({ isWorkedIn }: Props) {
  const { query } = usePlace();
  const status = STATUSES.find((each) => each === query.get('status')) ?? '';
  const pages = useSessionPages(status);
  const [confirmed, setConfirmed] = useState<ConnectSessionInfo>();
  const { data, error, refetch } = pages;
  const sessions = data?.pages.flatMap((page) => page.data);
  // What was found in another state says nothing of this one.
  const hasNone = !pages.isPlaceholderData && sessions?.length === 0;
  return (
    <section className="form" aria-label="Connect sessions">
      <div className="page-head">
        <NativeSelect
          aria-label="State"
          value={status}
          onChange={(event) => changeQuery({ status: event.currentTarget.value })}
          data={[
            { value: '', label: 'Every state' },
            ...STATUSES.map((value) => ({ value, label: labelOf(value) })),
          ]}
        />
        {isWorkedIn && <LinkButton to="/connect-link">Connect link</LinkButton>}
      </div>
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {sessions === undefined && error === null && <Loading what="the connect sessions" />}
      {hasNone && (
        <p className="empty">
          {status === ''
            ? 'No connect sessions. Each is kept for a day after its end.'
            : 'No connect session is like that.'}
        </p>
      )}
      {sessions !== undefined && sessions.length > 0 && (
        <SessionTable sessions={sessions} isWorkedIn={isWorkedIn} onConfirm={setConfirmed} />
      )}
      {pages.hasNextPage && (
        <div>
          <Button
            variant="default"
            size="compact-md"
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Earlier sessions
          </Button>
        </div>
      )}
      {confirmed !== undefined && (
        <ConfirmSession session={confirmed} onClose={() => setConfirmed(undefined)} />
      )}
    </section>
  );
}
