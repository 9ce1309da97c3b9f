import { Button } from '@mantine/core';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { JsonView } from '../../../parts/data/json-view.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { plainText } from '../../../parts/plain-text.ts';
import { failureOf } from '../../../service/failure.ts';
import type { KnownPage } from './known-pages.ts';
import { dateTime } from '../../../parts/words.ts';
import { useRecord, type CopiedRecord, type Copy } from './record-pages.ts';

interface Props {
  readonly copy: Copy;
  /** The page of the chosen record; `undefined` where none is chosen. */
  readonly page: KnownPage | undefined;
  readonly index: number;
  readonly onClose: () => void;
}

/** The chosen record, as the copy has it. */
export function RecordDetail({ page, ...rest }: Props) {
  if (page === undefined)
    return (
      <aside className="record-detail record-detail-empty" aria-label="Record">
        <p className="dim">
          Choose a record to see all of it. In the table, the arrow keys go from one to the next.
        </p>
      </aside>
    );
  return <ChosenRecord page={page} {...rest} />;
}

interface ChosenProps extends Props {
  readonly page: KnownPage;
}

function ChosenRecord({ copy, page, index, onClose }: ChosenProps) {
  const { record, isGone, error, readAgain } = useRecord(copy, page, index);
  return (
    <aside className="record-detail" aria-label="Record">
      <div className="connector-section-head">
        <h2 className="record-title">{plainText(record?.id ?? '…')}</h2>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
      {record !== undefined && (
        <>
          <RecordDates record={record} />
          <JsonView key={record.id} value={record.data} label="JSON of the record" />
        </>
      )}
      {isGone && <p>It is no longer there.</p>}
      {record === undefined && !isGone && error === null && <Loading what="the record" />}
      {record === undefined && error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={readAgain} />
      )}
    </aside>
  );
}

/** How fresh the record is, in instants that can be compared. */
function RecordDates({ record }: { readonly record: CopiedRecord }) {
  const { confirmed_at: confirmedAt, synced_at: syncedAt } = record;
  if (confirmedAt === undefined || syncedAt === undefined) return null;
  return (
    <p className="record-dates dim">
      Read <time dateTime={confirmedAt}>{dateTime(confirmedAt)}</time>
      {confirmedAt !== syncedAt && (
        <>
          , unchanged since <time dateTime={syncedAt}>{dateTime(syncedAt)}</time>
        </>
      )}
    </p>
  );
}
