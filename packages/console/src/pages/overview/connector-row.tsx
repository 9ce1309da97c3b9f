import { FreshnessBar } from '../../parts/freshness-bar.tsx';
import { GivenName } from '../../parts/given-name.tsx';
import { plainText } from '../../parts/plain-text.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { numberText } from '../../parts/words.ts';
import { Link } from '../../routing/link.tsx';
import type { ConnectorInfo } from '@patchbay/client';

interface Props {
  readonly connector: ConnectorInfo;
  /** In the list; the first is 0. */
  readonly index: number;
  /** Learns how high the row is. */
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

/** A connector at a glance. */
export function ConnectorRow({ connector, index, measure }: Props) {
  const {
    id,
    name,
    status,
    account,
    external_user_id: user,
    freshness,
    last_error: lastError,
    summarized_source_template: { name: kindName },
  } = connector;
  const count = freshness?.record_count;
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      <td>
        <StateBadge state={status} />
      </td>
      <td className="main-cell">
        <Link to={`/connectors/${id}`} className="cell-link">
          <bdi>{plainText(name)}</bdi>
        </Link>{' '}
        <span className="dim">{kindName}</span>
      </td>
      <td className="cut" title={account === null ? undefined : plainText(account.id)}>
        {account === null ? <span className="dim">not known yet</span> : accountName(account)}
      </td>
      <td>
        <GivenName name={user} />
      </td>
      <td>
        <FreshnessBar freshness={freshness} />
      </td>
      <td className="number" data-label="records">
        {typeof count === 'number' && numberText(count)}
      </td>
      <td className="cut" title={lastError?.message}>
        {lastError?.message}
      </td>
    </tr>
  );
}

function accountName({ id, name }: NonNullable<ConnectorInfo['account']>): string {
  return plainText(name ?? id);
}
