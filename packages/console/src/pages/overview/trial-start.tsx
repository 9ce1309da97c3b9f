import { Button } from '@mantine/core';
import { newIdempotencyKey, type ConnectorInfo } from '@patchbay/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { goTo } from '../../routing/location.ts';
import { failureOf } from '../../service/failure.ts';
import { useService } from '../../service/service.tsx';
import type { TrialConnector } from '../../session/session-api.ts';

/** One click to a connector that works; where it is copied, `TrialProgress` goes on. */
export function TrialStart({ trial }: { readonly trial: TrialConnector }) {
  const service = useService();
  // However often the button is pressed, it is made once.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const creation = useMutation({
    mutationFn: async () =>
      // docs/wire.md#create-a-connector
      (await service.request('POST', '/v1/integrations/connectors', {
        body: trial.body,
        idempotencyKey,
      })) as ConnectorInfo,
    onSuccess: ({ id }) => goTo(`/?trial=${id}`),
  });
  return (
    <div className="trial-start">
      {creation.error !== null && <FailureNotice failure={failureOf(creation.error)} />}
      <Button loading={creation.isPending} onClick={() => creation.mutate()}>
        Try it with {trial.display_name} of the {trial.upstream}
      </Button>
      <p className="dim">
        One click makes the connector, copies its records, and leads to a search.
      </p>
    </div>
  );
}
