import { GivenName } from '../../parts/given-name.tsx';
import { Notice } from '../../parts/notice.tsx';
import { plainText } from '../../parts/plain-text.ts';
import { Link } from '../../routing/link.tsx';
import type { ConnectorInfo } from '@patchbay/client';
import { useConnectorsIn } from '../../service/connectors.ts';
import { inWordsOfPages } from '../../service/page-words.ts';

/** How many connectors are named; the filter shows the others. */
const MOST_NAMED = 5;

type Found = GroupProps['found'];

/** Connectors that somebody has to do something about. */
interface AttentionNeeded {
  readonly dead: Found;
  readonly failing: Found;
}

/** What needs attention, and whether that is known by now, be it that it cannot be. */
export function useAttention(): AttentionNeeded & { readonly isKnown: boolean } {
  const dead = useConnectorsIn('reauth_required');
  const failing = useConnectorsIn('degraded');
  return { dead: dead.data, failing: failing.data, isKnown: !dead.isPending && !failing.isPending };
}

/** The connectors that somebody has to do something about, and what. */
export function Attention({ dead, failing }: AttentionNeeded) {
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
            <Link to={`/connectors/${id}`}>{plainText(name)}</Link> of <GivenName name={user} />
            {lastError !== null && `: ${inWordsOfPages(lastError.message)}`}
          </li>
        ))}
      </ul>
      {hasMore && <Link to={`/?status=${status}`}>Show all of them</Link>}
    </Notice>
  );
}
