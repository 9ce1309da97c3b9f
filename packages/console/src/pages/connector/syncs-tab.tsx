import type { EntitySyncStatus, SyncRun } from '@patchbay/client';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { useNow } from '../../parts/use-now.ts';
import { agoText, countText, dateTime, labelOf, numberText } from '../../parts/words.ts';
import type { ListedConnector } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';
import { useSyncStatus } from '../../service/syncs.ts';
import { causeText } from './cause-text.ts';
import { RunHistory } from './run-history.tsx';

/** How the copy of each entity stands, live while it is being read. */
export function SyncsTab({ connector }: { readonly connector: ListedConnector }) {
  const { data, error, refetch, isLive, lost } = useSyncStatus(connector.id);
  if (data === undefined)
    return error === null ? (
      <Loading what="the syncs" />
    ) : (
      <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
    );
  return (
    <>
      <CurrentRun current={data.current} last={data.last} isLive={isLive} />
      {lost !== undefined && <FailureNotice failure={lost} />}
      {data.entities.length === 0 ? (
        <p className="empty">Nothing of this connector is copied.</p>
      ) : (
        <table className="table stacked">
          <thead>
            <tr>
              <th scope="col">Entity</th>
              <th scope="col">State</th>
              <th scope="col" className="number">
                Records
              </th>
              <th scope="col">Read under way</th>
              <th scope="col">Complete as of</th>
              <th scope="col">Trouble</th>
            </tr>
          </thead>
          <tbody>
            {data.entities.map((entity) => (
              <EntityRow key={entity.entity} entity={entity} />
            ))}
          </tbody>
        </table>
      )}
      <RunHistory id={connector.id} />
    </>
  );
}

interface CurrentRunProps {
  readonly current: SyncRun | null;
  readonly last: SyncRun | null;
  readonly isLive: boolean;
}

function CurrentRun({ current, last, isLive }: CurrentRunProps) {
  const now = useNow(5_000);
  if (current !== null)
    return (
      <p role="status">
        <StateBadge state={current.state} />: a sync because of {causeText(current.cause)}, asked
        for {agoText(current.requested_at, now)}
        {isLive && ', shown live'}
      </p>
    );
  if (last === null) return <p role="status">There has been no sync yet.</p>;
  return (
    <p role="status">
      Last sync: <StateBadge state={last.state} />
      {last.finished_at !== null && ` ${agoText(last.finished_at, now)}`}, because of{' '}
      {causeText(last.cause)}
    </p>
  );
}

function EntityRow({ entity }: { readonly entity: EntitySyncStatus }) {
  const { entity: name, state, entity_count: count, as_of: asOf, complete, error } = entity;
  const now = useNow(15_000);
  return (
    <tr>
      <td className="main-cell">
        <strong>{name}</strong>
      </td>
      <td>
        <StateBadge state={state} />
      </td>
      <td className="number" data-label="records">
        {numberText(count)}
      </td>
      <td>{underWay(entity)}</td>
      <td title={asOf === null ? undefined : dateTime(asOf)}>
        {asOf === null ? <span className="dim">never</span> : agoText(asOf, now)}
        {!complete && asOf !== null && ', not whole'}
      </td>
      <td>{error?.message}</td>
    </tr>
  );
}

function underWay({ mode, records, pages }: EntitySyncStatus): string {
  if (mode === null) return '';
  return `${labelOf(mode)}: ${countText(records ?? 0, 'record')}, ${countText(pages ?? 0, 'page')}`;
}
