import { Button } from '@mantine/core';
import type { ConnectorCheck } from '@patchbay/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Notice } from '../../parts/notice.tsx';
import { failureOf } from '../../service/failure.ts';
import { useService } from '../../service/service.tsx';

/** Tries the credentials upstream, and says what came of it. */
export function CheckCredentials({ id }: { readonly id: string }) {
  const service = useService();
  const queries = useQueryClient();
  const check = useMutation({
    mutationFn: () => service.connectors.check(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['connector', id] }),
  });
  return (
    <section className="form" aria-labelledby="check">
      <h2 id="check">Check</h2>
      <div>
        <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          Check the credentials
        </Button>
      </div>
      {check.error !== null && <FailureNotice failure={failureOf(check.error)} />}
      {check.data !== undefined && <Report report={check.data} />}
    </section>
  );
}

function Report({ report }: { readonly report: ConnectorCheck }) {
  const hasFailed = report.status === 'failed';
  return (
    <Notice
      tone={hasFailed ? 'error' : 'success'}
      title={hasFailed ? (report.error_message ?? 'The check failed.') : 'The credentials work'}
    >
      <ul>
        {report.entity_check_results.map(({ entity, status, error_message: message }) => (
          <li key={entity}>
            {entity}: {status === 'succeeded' ? 'can be read' : (message ?? 'cannot be read')}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
