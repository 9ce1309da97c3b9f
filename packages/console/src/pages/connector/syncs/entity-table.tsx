import type { EntitySyncStatus } from '@patchbay/client';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { useNow } from '../../../parts/use-now.ts';
import { agoText, dateTime, numberText } from '../../../parts/words.ts';
import { TableHead } from '../../../parts/table-head.tsx';
import { Link } from '../../../routing/link.tsx';
import { recordsAddress } from '../connector-address.ts';

const TICK_MS = 5_000;
const COLUMNS = ['Entity', 'State', 'Records', 'As of', 'Reading', 'Trouble'];

interface Props {
  readonly connectorId: string;
  readonly entities: readonly EntitySyncStatus[];
}

/** Every entity that is copied, and how far that is. */
export function EntityTable({ connectorId, entities }: Props) {
  const now = useNow(TICK_MS);
  if (entities.length === 0) return <p className="empty">Nothing of it is copied.</p>;
  return (
    <table className="table stacked entity-table">
      <TableHead columns={COLUMNS} numbers={['Records']} />
      <tbody>
        {entities.map((entity) => (
          <EntityRow key={entity.entity} connectorId={connectorId} status={entity} now={now} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly connectorId: string;
  readonly status: EntitySyncStatus;
  /** Milliseconds since 1970. */
  readonly now: number;
}

function EntityRow({ connectorId, status, now }: RowProps) {
  const { entity, state, entity_count: count, as_of: asOf, complete, error } = status;
  return (
    <tr>
      <td className="main-cell">
        <Link to={recordsAddress(connectorId, entity)} className="cell-link">
          {entity}
        </Link>
      </td>
      <td>
        <StateBadge state={state} />
      </td>
      <td className="number" data-label="records">
        {numberText(count)}
      </td>
      <td title={asOf === null ? undefined : dateTime(asOf)}>
        {asOf === null ? 'not whole yet' : agoText(asOf, now)}
        {asOf !== null && !complete && ', not whole yet'}
      </td>
      <td className="reading">
        <Reading status={status} />
      </td>
      <td>
        {error !== null && (
          <>
            {error.message} <code>{error.code}</code>
          </>
        )}
      </td>
    </tr>
  );
}

/** What the read under way has brought; against the copy of before, where one can be compared with it. */
function Reading({ status }: { readonly status: EntitySyncStatus }) {
  const { state, mode, records, pages, complete, entity_count: count } = status;
  if (mode === null || records === null) return null;
  const isReading = state === 'syncing';
  const share = complete && mode === 'full' && count > 0 ? Math.min(1, records / count) : undefined;
  return (
    <>
      <span>
        {mode === 'full' ? 'all' : 'changes'}: {numberText(records)} records
        {pages !== null && `, ${numberText(pages)} ${pages === 1 ? 'page' : 'pages'}`}
        {!isReading && ', goes on with the next sync'}
      </span>
      {isReading && (
        <span className="reading-bar" aria-hidden="true">
          <span
            className={share === undefined ? 'reading-moves' : undefined}
            style={{ width: share === undefined ? '30%' : `${share * 100}%` }}
          />
        </span>
      )}
    </>
  );
}
