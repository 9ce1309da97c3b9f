import type { EntitySyncStatus, SyncStatus } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Notice } from '../../parts/notice.tsx';
import { countText } from '../../parts/words.ts';
import { Link } from '../../routing/link.tsx';
import { goTo } from '../../routing/location.ts';
import { failureOf } from '../../service/failure.ts';
import { useService } from '../../service/service.tsx';

const LOOK_MS = 400;
/** A process that copies begins within a second or two. */
const LATE_MS = 10_000;

/** A connector that has just been made: how its first copy goes, and from there to the first search. */
export function TrialProgress({ id }: { readonly id: string }) {
  const service = useService();
  const [shownAt] = useState(() => Date.now());
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['connector', id, 'first copy'],
    queryFn: ({ signal }) => service.connectors.sync.status(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.last == null ? LOOK_MS : false),
  });
  const copied = data?.entities.find(isCopied)?.entity;
  useEffect(() => {
    if (copied !== undefined) goTo(searchAddress(id, copied), { replace: true });
  }, [id, copied]);
  return (
    <div className="empty" role="status">
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {error === null && <Progress status={data} isLate={dataUpdatedAt - shownAt > LATE_MS} />}
      <p>
        <Link to={`/connectors/${id}`}>Go to the connector</Link>
      </p>
    </div>
  );
}

interface ProgressProps {
  readonly status: SyncStatus | undefined;
  readonly isLate: boolean;
}

function Progress({ status, isLate }: ProgressProps) {
  const last = status?.last ?? null;
  if (last === null) {
    const read = status?.entities.reduce((sum, { records }) => sum + (records ?? 0), 0) ?? 0;
    return (
      <>
        <p>
          <strong>The connector is made.</strong> Its records are being copied:{' '}
          {countText(read, 'record')} so far.
        </p>
        {isLate && status?.current?.state === 'queued' && (
          <Notice tone="warning" title="No process has begun to copy it.">
            <p>Copying is done by a process of the role worker or all: is there one?</p>
          </Notice>
        )}
        <Loading what="the first records" />
      </>
    );
  }
  const problem = status?.entities.find(({ error }) => error !== null)?.error;
  if (last.state === 'failed')
    return (
      <Notice tone="error" title="The first copy failed.">
        <p>{problem?.message ?? 'The connector’s page has its history.'}</p>
      </Notice>
    );
  return <Notice tone="warning" title="The first copy ended, and there is nothing in it." />;
}

function isCopied({ entity_count: count, complete }: EntitySyncStatus): boolean {
  return complete && count > 0;
}

function searchAddress(connector: string, entity: string): string {
  return `/search?${new URLSearchParams({ connector, entity, run: '1' }).toString()}`;
}
