import { Button } from '@mantine/core';
import { Notice } from '../../../parts/notice.tsx';
import { changeQuery, usePlace } from '../../../routing/location.ts';

/** Only sentences of our own: anybody can write such an address. */
const REASONS: Readonly<Record<string, string>> = {
  access_denied: 'Consent was refused at the vendor; nothing has changed.',
  account_mismatch: 'Another account or person consented; nothing has changed.',
  session_expired: 'It took longer than ten minutes; nothing has changed.',
};

/** How a consent went from which the browser comes back (docs/wire.md#oauth-consent). */
export function ConsentOutcome() {
  const { query } = usePlace();
  const outcome = query.get('consent');
  if (outcome === null) return null;
  const dismiss = (
    <Button size="compact-sm" variant="default" onClick={() => changeQuery({ consent: '' })}>
      Dismiss
    </Button>
  );
  if (outcome === 'given')
    return (
      <Notice tone="info" title="You are back from the vendor. The state above says how it is now.">
        {dismiss}
      </Notice>
    );
  return (
    <Notice tone="error" title={reasonOf(outcome)}>
      {dismiss}
    </Notice>
  );
}

function reasonOf(outcome: string): string {
  const reason = Object.hasOwn(REASONS, outcome) ? REASONS[outcome] : undefined;
  return reason ?? 'The consent did not work; nothing has changed.';
}
