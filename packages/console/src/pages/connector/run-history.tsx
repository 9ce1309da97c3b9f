import { FailureNotice } from '../../parts/failure-notice.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { dateTime, durationText, numberText } from '../../parts/words.ts';
import { failureOf } from '../../service/failure.ts';
import { useRunHistory, type PastRun } from '../../service/syncs.ts';
import { causeText } from './cause-text.ts';

/** The syncs that there were, newest first, and why each of them was. */
export function RunHistory({ id }: { readonly id: string }) {
  const { data, error, refetch } = useRunHistory(id);
  return (
    <section className="section" aria-labelledby="history">
      <h2 id="history">History</h2>
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {data !== undefined && data.length === 0 && <p className="dim">Nothing yet.</p>}
      {data !== undefined && data.length > 0 && (
        <table className="table stacked">
          <thead>
            <tr>
              <th scope="col">Asked for</th>
              <th scope="col">State</th>
              <th scope="col">Because of</th>
              <th scope="col">Took</th>
              <th scope="col" className="number">
                Read
              </th>
              <th scope="col" className="number">
                Written
              </th>
              <th scope="col" className="number">
                Deleted
              </th>
              <th scope="col">Trouble</th>
            </tr>
          </thead>
          <tbody>
            {data.map((run) => (
              <RunRow key={run.run_id} run={run} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function RunRow({ run }: { readonly run: PastRun }) {
  return (
    <tr>
      <td className="main-cell">{dateTime(run.requested_at)}</td>
      <td>
        <StateBadge state={run.state} />
      </td>
      <td>{causeText(run.cause)}</td>
      <td>{tookText(run)}</td>
      <td className="number" data-label="read">
        {numberText(run.records_read)}
      </td>
      <td className="number" data-label="written">
        {numberText(run.records_written)}
      </td>
      <td className="number" data-label="deleted">
        {numberText(run.records_deleted)}
      </td>
      <td>{run.error?.message}</td>
    </tr>
  );
}

function tookText({ started_at: startedAt, finished_at: finishedAt }: PastRun): string {
  if (startedAt === null || finishedAt === null) return '';
  return durationText((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000);
}
