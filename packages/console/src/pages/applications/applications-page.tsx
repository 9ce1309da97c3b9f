import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { APPLICATIONS_KEY } from '../../service/applications.ts';
import { failureOf } from '../../service/failure.ts';
import { AsSession } from '../../service/service.tsx';
import { useSignedIn } from '../../session/use-session.tsx';
import { useApplications } from './application-calls.ts';
import { ApplicationList } from './application-list.tsx';
import { ApplicationPage } from './application-page.tsx';
import { NewApplication } from './new-application.tsx';
import { RevokeToken } from './secrets/revoke-token.tsx';

/** All applications, for the operator; an application has itself here. */
export function ApplicationsPage() {
  const { application } = useSignedIn();
  if (application !== null) return <ApplicationPage params={{ id: application.id }} />;
  return (
    <AsSession>
      <AllApplications />
    </AsSession>
  );
}

function AllApplications() {
  const queries = useQueryClient();
  const { data, error, refetch } = useApplications();
  const [isMaking, setIsMaking] = useState(false);
  const close = () => {
    setIsMaking(false);
    void queries.invalidateQueries({ queryKey: APPLICATIONS_KEY });
  };
  return (
    <>
      <PageHead title="Applications" about="Each has its own connectors, secrets and limits.">
        <Button size="compact-md" onClick={() => setIsMaking(true)}>
          New application
        </Button>
      </PageHead>
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Loading what="the applications" />}
      {data !== undefined && <ApplicationList applications={data} />}
      <RevokeToken />
      {isMaking && <NewApplication onClose={close} />}
    </>
  );
}
