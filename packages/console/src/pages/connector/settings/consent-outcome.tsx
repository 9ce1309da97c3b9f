import { Button } from '@mantine/core';
import { Notice } from '../../../parts/notice.tsx';
import { changeQuery, usePlace } from '../../../routing/location.ts';

/** What an error of the query says here. Its own description is not shown: anybody can write such an address. */
const REASONS: Readonly<Record<string, string>> = {
  access_denied: 'Consent was refused at the vendor; nothing has changed.',
  account_mismatch: 'Another account or person consented; nothing has changed.',
  session_expired: 'It took longer than ten minutes; nothing has changed.',
};

/** How a consent went from which the browser comes back (docs/wire.md#oauth-consent). */
export function ConsentOutcome() {
  const { query } = usePlace();
  const error = query.get('error');
  if (error === null && !query.has('connector_id')) return null;
  const dismiss = (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => changeQuery({ connector_id: '', error: '', error_description: '' })}
    >
      Dismiss
    </Button>
  );
  if (error === null)
    return (
      <Notice tone="info" title="You are back from the vendor. The state above says how it is now.">
        {dismiss}
      </Notice>
    );
  return (
    <Notice tone="error" title={REASONS[error] ?? 'The consent did not work; nothing has changed.'}>
      {dismiss}
    </Notice>
  );
}
