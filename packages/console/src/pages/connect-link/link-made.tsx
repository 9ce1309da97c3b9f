import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CopyText } from '../../parts/copy-text.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { GivenName } from '../../parts/given-name.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { timeOfDay } from '../../parts/words.ts';
import { Link } from '../../routing/link.tsx';
import { failureOf } from '../../service/failure.ts';
import { useService } from '../../service/service.tsx';
import type { ConnectLink, ConnectLinkStatus } from './make-connect-link.ts';

const POLL_MS = 3_000;

interface Props {
  readonly link: ConnectLink;
  readonly onAnother: () => void;
}

/** The link, to be sent to the person it is for, and what has come of it since. */
export function LinkMade({ link, onAnother }: Props) {
  return (
    <>
      <PageHead
        title="Connect link"
        about={
          <>
            For <GivenName name={link.externalUserId} />, until {timeOfDay(link.expires_at)}, for
            the first browser that opens it.
          </>
        }
      >
        <Button variant="default" size="compact-sm" onClick={onAnother}>
          Another link
        </Button>
      </PageHead>
      <div className="form form-page">
        <TextInput
          label="Link"
          description="Shown only here. Give it to nobody but the person it is for."
          readOnly
          value={link.connect_url}
          onFocus={(event) => event.currentTarget.select()}
        />
        <div>
          <CopyText text={() => link.connect_url} what="the link" />
        </div>
        <Progress link={link} />
      </div>
    </>
  );
}

/** The session of a link, until its end. */
function Progress({ link }: { readonly link: ConnectLink }) {
  const service = useService();
  const queries = useQueryClient();
  const path = `/v1/connect-sessions/${link.id}`;
  const queryKey = ['connect-session', link.id];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await service.request('GET', path, { signal })) as ConnectLinkStatus,
    refetchInterval: ({ state }) => (isOver(state.data) ? false : POLL_MS),
  });
  const confirmation = useMutation({
    mutationFn: () =>
      service.request('POST', `${path}/confirm`, {
        body: { external_user_id: link.externalUserId },
      }),
    onSuccess: (session) => queries.setQueryData(queryKey, session),
  });
  if (error !== null) return <FailureNotice failure={failureOf(error)} />;
  if (data === undefined) return null;
  return (
    <div className="form">
      <p>
        <StateBadge state={data.status} />
        {data.account !== null && (
          <>
            {' '}
            Account <GivenName name={data.account.name ?? data.account.id} />
          </>
        )}
      </p>
      {data.error !== null && <p className="dim">The last attempt: {data.error.message}</p>}
      {data.status === 'unconfirmed' && (
        <div className="row">
          <Button loading={confirmation.isPending} onClick={() => confirmation.mutate()}>
            Confirm that it was&nbsp;
            <GivenName name={link.externalUserId} />
          </Button>
        </div>
      )}
      {confirmation.error !== null && <FailureNotice failure={failureOf(confirmation.error)} />}
      {data.status === 'succeeded' && data.connector_id !== null && (
        <Link to={`/connectors/${data.connector_id}`}>Go to the connector</Link>
      )}
    </div>
  );
}

function isOver(session: ConnectLinkStatus | undefined): boolean {
  return session?.status === 'succeeded' || session?.status === 'expired';
}
