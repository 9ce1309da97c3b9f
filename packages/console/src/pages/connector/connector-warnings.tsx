import { Notice } from '../../parts/notice.tsx';
import { dateTime } from '../../parts/words.ts';
import { Link } from '../../routing/link.tsx';
import type { ConnectorInfo } from '@patchbay/client';
import { tabAddress } from './connector-address.ts';

/** What somebody has to know of a connector, or to do about it; nothing where all is well. */
export function ConnectorWarnings({ connector }: { readonly connector: ConnectorInfo }) {
  return (
    <>
      <StateNotice connector={connector} />
      {connector.warnings.map(({ code, message, ends_at: endsAt }) => (
        <Notice key={`${code} ${message}`} tone="warning" title={message}>
          <p className="dim">
            <code>{code}</code>
            {endsAt !== undefined && `, on ${dateTime(endsAt)}`}
          </p>
        </Notice>
      ))}
    </>
  );
}

/** What its state means for whoever uses it (docs/wire.md#the-connector-object). */
function StateNotice({ connector }: { readonly connector: ConnectorInfo }) {
  const { id, status, last_error: lastError } = connector;
  switch (status) {
    case 'reauth_required':
      return (
        <Notice
          tone="error"
          title="The upstream refuses the credentials: calls fail until there are new ones."
        >
          {lastError !== null && <p>{lastError.message}</p>}
          <Link to={tabAddress(id, 'settings')}>Give it new credentials</Link>
        </Notice>
      );
    case 'degraded':
      return (
        <Notice tone="warning" title="The last sync failed. Calls go on; the copy gets older.">
          {lastError !== null && <p>{lastError.message}</p>}
        </Notice>
      );
    case 'paused':
      return (
        <Notice
          tone="info"
          title="Copying is paused. Calls go on, and searches find what had been copied."
        />
      );
    case 'disabled':
      return (
        <Notice
          tone="warning"
          title="It is disabled: calls and searches are refused, and nothing is copied."
        />
      );
    default:
      return null;
  }
}
