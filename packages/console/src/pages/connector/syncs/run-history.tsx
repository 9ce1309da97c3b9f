import type { SyncRunReport } from '@patchbay/client';
import { Button } from '@mantine/core';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { dateTime, durationText, numberText } from '../../../parts/words.ts';
import { TableHead } from '../../../parts/table-head.tsx';
import { failureOf } from '../../../service/failure.ts';
import { useRuns } from './runs.ts';
import { causeText, secondsOf } from './run-words.ts';

const NUMBERS = ['Took', 'Read', 'Written', 'Deleted'];
const COLUMNS = ['When', 'Cause', 'State', ...NUMBERS, 'Entities, and what failed'];

/** The last syncs, newest first: why there were any, what they did, and why they failed. */
export function RunHistory({ connectorId }: { readonly connectorId: string }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useRuns(connectorId);
  const runs = data?.pages.flatMap((page) => page.data);
  return (
    <section className="connector-section" aria-labelledby="history">
      <h2 id="history">History</h2>
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {runs === undefined && error === null && <Loading what="the history" />}
      {runs?.length === 0 && <p className="empty">No sync yet.</p>}
      {runs !== undefined && runs.length > 0 && <RunTable runs={runs} />}
      {hasNextPage && (
        <Button
          className="at-start"
          variant="default"
          size="compact-md"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Earlier syncs
        </Button>
      )}
    </section>
  );
}

function RunTable({ runs }: { readonly runs: readonly SyncRunReport[] }) {
  return (
    <table className="table stacked">
      <TableHead columns={COLUMNS} numbers={NUMBERS} />
      <tbody>
        {runs.map((run) => (
          <RunRow key={run.run_id} run={run} />
        ))}
      </tbody>
    </table>
  );
}

function RunRow({ run }: { readonly run: SyncRunReport }) {
  const { requested_at: requestedAt, cause, state, entities, error } = run;
  const seconds = secondsOf(run);
  return (
    <tr>
      <td className="main-cell nowrap" title={run.run_id}>
        {dateTime(requestedAt)}
      </td>
      <td>{causeText(cause)}</td>
      <td>
        <StateBadge state={state} />
      </td>
      <td className="number">{seconds === undefined ? '' : durationText(seconds)}</td>
      <td className="number" data-label="read">
        {numberText(run.records_read)}
      </td>
      <td className="number" data-label="written">
        {numberText(run.records_written)}
      </td>
      <td className="number" data-label="deleted">
        {numberText(run.records_deleted)}
      </td>
      <td>
        {error === null ? (
          <span className="dim">{entities.join(', ')}</span>
        ) : (
          <>
            {error.entity !== null && `${error.entity}: `}
            {error.message} <code>{error.code}</code>
          </>
        )}
      </td>
    </tr>
  );
}
