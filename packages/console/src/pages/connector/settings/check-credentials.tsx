import { Button } from '@mantine/core';
import type { ConnectorCheck } from '@patchbay/client';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { useCheck } from '../connector-changes.ts';
import { failureOf } from '../../../service/failure.ts';

/** Tries the credentials upstream, and says what they may read. */
export function CheckCredentials({ connectorId }: { readonly connectorId: string }) {
  const { mutate, data, error, isPending } = useCheck(connectorId);
  return (
    <>
      <Button
        className="at-start"
        size="compact-md"
        variant="default"
        loading={isPending}
        onClick={() => mutate()}
      >
        Check credentials
      </Button>
      {error !== null && <FailureNotice failure={failureOf(error)} />}
      {data !== undefined && <Report check={data} />}
    </>
  );
}

function Report({ check }: { readonly check: ConnectorCheck }) {
  const { status, error_message: message, entity_check_results: results } = check;
  const isGood = status === 'succeeded';
  return (
    <Notice
      tone={isGood ? 'success' : 'error'}
      title={isGood ? 'The credentials work.' : (message ?? 'The credentials do not work.')}
    >
      <ul className="plain-list">
        {results.map(({ entity, status: state, error_message: fault }) => (
          <li key={entity}>
            <StateBadge state={state} /> {entity}
            {fault !== undefined && `: ${fault}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
