import { Notice } from '../../parts/notice.tsx';
import { Link } from '../../routing/link.tsx';
import type { ConnectorInfo } from '@patchbay/client';
import { useConnectorsIn } from '../../service/connectors.ts';

/** How many connectors are named; the filter shows the others. */
const MOST_NAMED = 5;

/** The connectors that somebody has to do something about, and what. */
export function Attention() {
  const dead = useConnectorsIn('reauth_required').data;
  const failing = useConnectorsIn('degraded').data;
  return (
    <>
      <Group
        found={dead}
        status="reauth_required"
        tone="error"
        title="Credentials refused: calls fail until there are new ones"
      />
      <Group
        found={failing}
        status="degraded"
        tone="warning"
        title="The last sync failed: copies get older, calls go on"
      />
    </>
  );
}

interface GroupProps {
  readonly found:
    { readonly data: readonly ConnectorInfo[]; readonly next: string | null } | undefined;
  readonly status: string;
  readonly tone: 'error' | 'warning';
  readonly title: string;
}

function Group({ found, status, tone, title }: GroupProps) {
  if (found === undefined || found.data.length === 0) return null;
  const named = found.data.slice(0, MOST_NAMED);
  const hasMore = found.data.length > named.length || found.next !== null;
  return (
    <Notice tone={tone} title={title}>
      <ul>
        {named.map(({ id, name, external_user_id: user, last_error: lastError }) => (
          <li key={id}>
            <Link to={`/connectors/${id}`}>{name}</Link> of {user}
            {lastError !== null && `: ${lastError.message}`}
          </li>
        ))}
      </ul>
      {hasMore && <Link to={`/?status=${status}`}>Show all of them</Link>}
    </Notice>
  );
}
