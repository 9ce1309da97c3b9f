import type { EntityDescription, EntitySyncStatus } from '@patchbay/client';
import { useState } from 'react';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { failureOf } from '../../../service/failure.ts';
import { countIn, pageWith } from './known-pages.ts';
import { isNotReady, useRecordPages } from './record-pages.ts';
import { CopyLine } from './copy-line.tsx';
import { RecordDetail } from './record-detail.tsx';
import { RecordTable } from './record-table.tsx';

interface Props {
  readonly connectorId: string;
  readonly entity: EntityDescription;
  readonly columns: readonly string[];
  /** How the copy is now; `undefined` until it is known. */
  readonly status: EntitySyncStatus | undefined;
}

/** The records of a copy, and the chosen one beside them. */
export function CopyBrowser({ connectorId, entity, columns, status }: Props) {
  const copy = { connectorId, entity: entity.name };
  const { pages, error, refetch, fetchNextPage, ...more } = useRecordPages(copy);
  const [chosen, setChosen] = useState<number>();
  if (pages === undefined) {
    if (error === null)
      return (
        <div className="record-browser">
          <Loading what={entity.name} />
        </div>
      );
    if (isNotReady(error)) return <NotReady error={error} />;
    return <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />;
  }
  const sync = pages[0]?.sync;
  const count = countIn(pages);
  const page = chosen === undefined ? undefined : pageWith(pages, chosen);
  return (
    <>
      {sync !== undefined && (
        <CopyLine
          sync={sync}
          status={status}
          onReadAnew={() => {
            setChosen(undefined);
            void more.readAnew();
          }}
        />
      )}
      {count === 0 ? (
        <p className="empty">The copy has no {entity.name}.</p>
      ) : (
        <div className="record-browser">
          <RecordTable
            copy={copy}
            pages={pages}
            columns={columns}
            chosen={chosen}
            onChoose={setChosen}
            hasMore={more.hasNextPage}
            onMore={
              error === null && !more.isFetchingNextPage ? () => void fetchNextPage() : undefined
            }
          />
          <RecordDetail
            copy={copy}
            page={page}
            index={chosen ?? 0}
            onClose={() => setChosen(undefined)}
          />
        </div>
      )}
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void fetchNextPage()} />
      )}
    </>
  );
}

function NotReady({ error }: { readonly error: Error }) {
  return (
    <Notice tone="info" title="There is nothing to show yet">
      <p>{failureOf(error).message}</p>
      <p className="dim">It is asked for again until there is something.</p>
    </Notice>
  );
}
