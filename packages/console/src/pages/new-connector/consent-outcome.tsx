import { Notice } from '../../parts/notice.tsx';
import { Link } from '../../routing/link.tsx';
import { usePlace } from '../../routing/location.ts';
import { useConnector } from '../../service/connectors.ts';

/** Only sentences of our own: anybody can write such an address. */
const REASONS: Readonly<Record<string, string>> = {
  access_denied: 'consent was refused at the vendor.',
  session_expired: 'it took longer than ten minutes.',
};

/** What a person brings back who was at a vendor to consent (docs/wire.md#oauth-consent). */
export function ConsentOutcome() {
  const { query } = usePlace();
  const error = query.get('error');
  const id = query.get('connector_id') ?? '';
  // What an address says of a connector is true once that has been read.
  const { data: connector } = useConnector(error === null ? id : '');
  if (error !== null)
    return <Notice tone="error" title={`Nothing was connected: ${reasonOf(error)}`} />;
  if (connector === undefined) return null;
  return (
    <Notice tone="success" title="Connected">
      <Link to={`/connectors/${connector.id}`}>Go to the connector</Link>
    </Notice>
  );
}

function reasonOf(error: string): string {
  const reason = Object.hasOwn(REASONS, error) ? REASONS[error] : undefined;
  return reason ?? 'the consent did not work. Try again.';
}
